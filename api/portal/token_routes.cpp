// What the holder of an entry token asks. The token is a UUID ticket: made from the place, read
// back without a table, in every process; the history writes the same.
#include "api/portal/portal.h"

namespace anteroom::api::portal {

using net::Status;

std::string Portal::token_of(const HostedRoom& room, Number number) const {
    const std::optional<token::UuidTicket> ticket =
        desk_.office().tickets.mint_uuid({.kind = token::TicketKind::inner,
                                          .room = room.index(),
                                          .generation = token_generation,
                                          .number = number});
    return ticket ? std::string(ticket->view()) : std::string();
}

std::optional<Portal::Entry> Portal::read_token(const Ask& ask, std::string_view token) {
    if (token.size() != token::UuidTicket{}.view().size()) return std::nullopt;
    const token::TicketVerdict verdict = desk_.office().tickets.read(token, ask.unix_now());
    const auto* content = std::get_if<token::TicketContent>(&verdict);
    if (!content || content->kind != token::TicketKind::inner ||
        content->generation != token_generation)
        return std::nullopt;
    const Rooms& rooms = desk_.service().rooms();
    HostedRoom* room = rooms.at(content->room);
    if (!room && !rooms.may_come(content->room)) return std::nullopt;
    return Entry{.room = room ? room->shared_from_this() : nullptr, .number = content->number};
}

// Of an entry that ended long ago nobody knows any more whose it was.
bool Portal::is_of_other(const Entry& entry, std::string_view user) const {
    const VisitorKey* key = user.empty() ? nullptr : entry.room->view().visitor(entry.number);
    return key && !(*key == desk_.office().key_of(user));
}

void Portal::look(const Entry& entry, Ask& ask, const std::string& user, OnLook then) {
    HostedRoom& room = *entry.room;
    room.counters().note_poll();
    Later later = desk_.defer(ask);
    if (room.touch(entry.number, ask.now)) {
        const Standing standing = room.view().standing(entry.number);
        if (standing.state != VisitorState::unknown && room.may_tell(standing))
            return then(later, entry, standing);
    }
    // Called or over a moment ago, or not known here yet: said when it is durable.
    desk_.service().submit(room, Touch{entry.number}, &desk_.loop(),
                           [this, entry, user, then = std::move(then),
                            later = std::move(later)](const Outcome& outcome) mutable {
                               if (const auto* told = std::get_if<Standing>(&outcome)) {
                                   if (is_of_other(entry, user))
                                       return refuse(later, errors::user_mismatch);
                                   return then(later, entry, *told);
                               }
                               // Nothing can be written now; what was written before is still true.
                               const Reason reason = std::get<Refused>(outcome).reason;
                               const Standing before = entry.room->view().standing(entry.number);
                               const bool is_known = before.state != VisitorState::unknown &&
                                                     entry.room->may_tell(before);
                               if (is_known && is_of_other(entry, user))
                                   return refuse(later, errors::user_mismatch);
                               if (reason == Reason::unavailable && is_known)
                                   return then(later, entry, before);
                               refuse(later, reason);
                           });
}

void Portal::look(Ask& ask, std::string_view token, const std::string& user, Millis age_max,
                  OnLook then) {
    std::optional<Entry> entry = read_token(ask, token);
    if (!entry) return refuse(ask, errors::entry_not_found);
    if (!entry->room) return refuse(ask, errors::unavailable);
    if (is_of_other(*entry, user)) return refuse(ask, errors::user_mismatch);
    if (is_stale(ask, *entry->room, age_max)) return;
    look(*std::move(entry), ask, user, std::move(then));
}

void Portal::token_status(Ask& ask, std::string_view token, const std::string& user) {
    look(ask, token, user, limits::age_max,
         [this](Later& later, const Entry& entry, const Standing& standing) {
             net::Answer answer = begin(later, Status::ok);
             write_success(answer, status_of(*entry.room, standing));
         });
}

void Portal::token_leave(Ask& ask, std::string_view token, const std::string& user) {
    look(ask, token, user, limits::age_max,
         [this](Later& later, const Entry& entry, const Standing& standing) {
             if (standing.state == VisitorState::expired)
                 return refuse(later, errors::token_expired);
             if (!is_live(standing.state)) return refuse(later, errors::entry_not_found);
             end(entry, Leave{entry.number}, std::move(later));
         });
}

// For a purchase in one queue: the entry of another is none.
void Portal::token_validate(Ask& ask, std::string_view token, const std::string& user) {
    const Order order = read_order({}, ask.request.query);
    const std::optional<Event> event = name_event(ask, order);
    if (!event) return;
    const std::optional<HostedRoom*> queue = find_queue(ask, *event);
    if (!queue) return;
    if (!*queue || !is_guarded(**queue)) {
        net::Answer answer = begin(ask, Status::ok);
        return write_success(answer);
    }
    look(ask, token, user, limits::age_untold,
         [this, wanted = (*queue)->shared_from_this()](Later& later, const Entry& entry,
                                                       const Standing& standing) {
             if (entry.room != wanted) return refuse(later, errors::entry_required);
             answer_validity(later, entry, standing);
         });
}

} // namespace anteroom::api::portal
