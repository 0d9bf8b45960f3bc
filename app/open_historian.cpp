#include "app/open_historian.h"

#include <spdlog/spdlog.h>

#include "app/dialects.h"
#include "app/history_config.h"
#include "service/clock.h"
#include "store/history/soci_sink.h"
#include "store/history/sqlite_sink.h"

namespace anteroom::app {

namespace {

// The token by which clients of a system name their visits, 36 characters.
history::EntryToken entry_token(const std::shared_ptr<const SharedRing>& keys,
                                std::uint32_t generation) {
    return [book = std::make_shared<RotatingBook>(keys), generation](std::uint32_t room,
                                                                     Number number) {
        const std::optional<token::UuidTicket> ticket =
            book->mint_uuid({.kind = token::TicketKind::inner,
                             .room = room,
                             .generation = generation,
                             .number = number});
        return ticket ? std::string(ticket->view()) : std::string();
    };
}

// A visit has one token: that of the first dialect that has some.
const DialectInfo* dialect_of_tokens() {
    for (const DialectInfo* dialect : dialects())
        if (dialect->history && dialect->history->token_generation) return dialect;
    return nullptr;
}

} // namespace

std::unique_ptr<history::Historian> open_historian(const Config& config,
                                                   const std::shared_ptr<const SharedRing>& keys) {
    history::Views all_views, spoken_views;
    for (const DialectInfo* dialect : dialects()) {
        if (!dialect->history) continue;
        all_views.push_back(dialect->history);
        if (speaks(config, dialect->name)) spoken_views.push_back(dialect->history);
    }
    // In a database every visit has a token, whatever is spoken. Each sink has a book of its own,
    // because it has a thread of its own.
    const DialectInfo* dialect = dialect_of_tokens();
    const std::uint32_t generation = dialect ? dialect->history->token_generation : 0;
    const bool is_spoken = dialect && speaks(config, dialect->name);
    std::vector<std::unique_ptr<history::HistorySink>> sinks;
    sinks.push_back(std::make_unique<history::SqliteSink>(
        data_folder(config), std::move(spoken_views),
        is_spoken ? entry_token(keys, generation) : history::EntryToken{}));
    if (const std::optional<history::SqlUrl> url = history_url(config))
        sinks.push_back(std::make_unique<history::SociSink>(*url, std::move(all_views),
                                                            entry_token(keys, generation)));
    history::HistorianOptions options{.folder = data_folder(config), .keep = history_keep(config)};
    options.now = [clock = Clock()] { return clock.now(); };
    options.tell = [](history::Mood mood, const std::string& line) {
        mood == history::Mood::well ? spdlog::info("{}", line) : spdlog::warn("{}", line);
    };
    return std::make_unique<history::Historian>(std::move(options), std::move(sinks));
}

} // namespace anteroom::app
