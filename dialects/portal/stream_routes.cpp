// The event stream of an entry.
#include "dialects/portal/portal.h"
#include "dialects/portal/stream_words.h"

namespace anteroom::portal {

using net::Status;

void Portal::subscribe(Ask& ask, std::string_view token, const std::string& user) {
    const std::string last_id(ask.request.header("last-event-id").value_or(""));
    look(ask, token, user, limits::age_max,
         [this, token = std::string(token), last_id](Later& later, const Entry& entry,
                                                     const Standing&) {
             // A browser comes back after the end; this tells it to stay away (HTML, 9.2.3).
             if (PortalWords::is_over(last_id))
                 return desk_.begin(later, Status::no_content).send();
             const std::string origin = later.origin;
             std::vector<net::Header> headers{{"X-Request-ID", later.request_id.view()}};
             if (!origin.empty()) headers.push_back({"Access-Control-Allow-Origin", origin});
             if (!origin.empty() && origin != "*")
                 headers.insert(headers.end(),
                                {{"Access-Control-Allow-Credentials", "true"}, {"Vary", "Origin"}});
             std::optional<net::EventStream> stream = later.reply.stream(headers);
             if (!stream) return;
             auto words = std::make_shared<PortalWords>(token, options_.stream, last_id);
             const std::uint64_t begun =
                 hub_.add(entry.room, entry.number, *std::move(stream), std::move(words));
             desk_.service().supersede_streams(entry.room, entry.number, begun);
         });
}

} // namespace anteroom::portal
