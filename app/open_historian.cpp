#include "app/open_historian.h"

#include <spdlog/spdlog.h>

#include "app/history_config.h"
#include "dialects/portal/options.h"
#include "service/clock.h"
#include "store/history/soci_sink.h"
#include "store/history/sqlite_sink.h"

namespace anteroom::app {

std::unique_ptr<history::Historian> open_historian(const Config& config,
                                                   const std::shared_ptr<const SharedRing>& keys) {
    // The token by which a visitor of system P's queue is known, 36 characters. One book for each
    // sink: they have threads of their own.
    const auto entry_token = [&keys]() -> history::EntryToken {
        return [book = std::make_shared<RotatingBook>(keys)](std::uint32_t room, Number number) {
            const std::optional<token::UuidTicket> ticket =
                book->mint_uuid({.kind = token::TicketKind::inner,
                                 .room = room,
                                 .generation = portal::token_generation,
                                 .number = number});
            return ticket ? std::string(ticket->view()) : std::string();
        };
    };
    std::vector<std::unique_ptr<history::HistorySink>> sinks;
    sinks.push_back(std::make_unique<history::SqliteSink>(
        data_folder(config), speaks(config, "portal") ? entry_token() : history::EntryToken{}));
    if (const std::optional<history::SqlUrl> url = history_url(config))
        sinks.push_back(std::make_unique<history::SociSink>(*url, entry_token()));
    history::HistorianOptions options{.folder = data_folder(config), .keep = history_keep(config)};
    options.now = [clock = Clock()] { return clock.now(); };
    options.tell = [](history::Mood mood, const std::string& line) {
        mood == history::Mood::well ? spdlog::info("{}", line) : spdlog::warn("{}", line);
    };
    return std::make_unique<history::Historian>(std::move(options), std::move(sinks));
}

} // namespace anteroom::app
