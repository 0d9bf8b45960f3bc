// The event stream of an entry.
#include "dialects/portal/portal.h"
#include "dialects/portal/stream_words.h"

namespace anteroom::portal {

void Portal::subscribe(Call& call) {
    const std::string token(call.parameter(2)); // After the type and the id, which do not matter.
    const std::string last_id(call.request().header("last-event-id").value_or(""));
    const std::optional<VisitPlace> place = read_token(call, token);
    if (!place) return;
    const std::shared_ptr<HostedRoom> room = place->room->shared_from_this();
    desk_.stand(
        call, *place,
        [this, room, number = place->number, token, last_id](Call& asked, const Sight& sight) {
            if (!stands_of(asked, sight, errors::entry_not_found)) return;
            // A browser comes back after the end; 204 tells it to stay away (HTML, 9.2.3).
            if (PortalWords::is_over(last_id)) return asked.begin(net::Status::no_content).send();
            std::optional<net::EventStream> stream = asked.stream({});
            if (!stream) return;
            auto words = std::make_shared<PortalWords>(token, options_.stream, last_id);
            const std::uint64_t begun =
                hub_.add(room, number, *std::move(stream), std::move(words));
            desk_.service().supersede_streams(room, number, begun);
        });
}

} // namespace anteroom::portal
