// RoomLog in every process: follows the log, settles entries, sends asks to the writer.
#include "store/shared/room_log.h"

#include "base/check.h"
#include "base/overload.h"
#include "base/text.h"
#include "net/loop.h"
#include "service/apply.h"
#include "store/shared/scripts.h"
#include "store/shared/times.h"

namespace anteroom::shared {
namespace {

constexpr std::size_t entries_per_look = 256;
constexpr std::size_t asks_max = 100'000;    // In the stream, of all processes.
constexpr std::size_t waiting_max = 100'000; // Of this one.
constexpr std::size_t seen_per_ask = 50'000;

// Of an entry id or a number: "12-0" is 12. 0: the text starts with no number.
std::uint64_t position_in(std::string_view text) {
    return parse_leading_number<std::uint64_t>(text).value_or(0);
}

} // namespace

RoomLog::RoomLog(LogContext& context, HostedRoom& room)
    : context_(context), room_(room), keys_(room.id()) {
    room_.set_fresh(context.clock.now());
}

// --- Looking at the log.

void RoomLog::follow() {
    if (mode_ == Mode::dead) return;
    if (follows_) {
        follow_again_ = true;
        return;
    }
    if (mode_ == Mode::opening && !(flight_ && flight_->is_uncertain)) return;
    follows_ = true;
    const bool wants = mode_ == Mode::live && !context_.stopping && (writes_ || !flight_);
    context_.client.run(follow_script(), {keys_.head(), keys_.log(), keys_.writer(), keys_.asks()},
                        {context_.process, text(writer_lease.count), text(position_), text(stamp_),
                         wants ? "1" : "0", text(entries_per_look)},
                        [room = keep_alive(), position = position_,
                         asked = context_.clock.now()](const CallResult& answer) {
                            RoomLog& log = of(*room);
                            log.follows_ = false;
                            const bool again = std::exchange(log.follow_again_, false);
                            if (log.mode_ == Mode::dead) return;
                            if (answer.trouble == Trouble::refused)
                                log.context_.refused(answer.reply.text);
                            // The reply is for an older log position: ignore it.
                            if (answer.trouble == Trouble::none && log.position_ == position)
                                log.on_followed(answer, asked);
                            if (again) log.follow();
                        });
}

std::optional<RoomLog::Head> RoomLog::read_head(const Reply& reply) {
    if (reply.list.size() != 10) return std::nullopt;
    const auto number = [&](std::size_t i) { return position_in(reply.list[i].text); };
    Head head{.position = number(0), .stamp = number(1), .confirmed = number(2)};
    head.is_ours = reply.list[3].text == context_.process;
    head.is_free = reply.list[3].text.empty();
    head.is_removed = reply.list[6].text == "1";
    head.asks = static_cast<std::uint64_t>(reply.list[7].integer);
    const std::vector<Reply>& entries = reply.list[8].list;
    for (std::size_t i = 0; i + 1 < entries.size(); i += 2)
        head.entries.emplace_back(position_in(entries[i].text), entries[i + 1].text);
    const auto ms = static_cast<std::int64_t>(number(9));
    context_.skew_ms.store(ms - context_.clock.now().ms, std::memory_order_relaxed);
    return head;
}

void RoomLog::on_followed(const CallResult& answer, Instant asked) {
    const std::optional<Head> head = read_head(answer.reply);
    if (flight_ && flight_->is_uncertain) return on_uncertain(head);
    const std::shared_ptr<HostedRoom> alive = keep_alive();
    if (!head || head->is_removed) {
        context_.owner.on_gone(room_);
        return die();
    }
    if (flight_) { // The reply to the flight will tell whether it was written.
        if (!head->is_ours && !head->is_free) return step_down();
        if (head->asks > asks_taken_) fetch_asks();
        return;
    }
    const bool is_other =
        head->position < position_ || (head->position == position_ && head->stamp != stamp_);
    if (is_other) return lose("its log is not the one that was read before");
    if (!take_entries(*head)) return;
    settle_through(std::min(head->confirmed, position_));
    if (context_.replicas == 0) settle_through(position_);
    if (position_ < head->position) return follow();
    room_.set_fresh(asked);
    if (mode_ == Mode::loading) {
        mode_ = Mode::live;
        context_.owner.on_live(room_);
        return follow(); // Become the writer if there is none.
    }
    if (head->is_ours && !writes_) become_writer();
    if (!head->is_ours && writes_) step_down();
    if (writes_ && head->asks > asks_taken_) fetch_asks();
    if (head->is_free && !context_.stopping && mode_ == Mode::live && !writes_) follow();
}

// The reply to the flight was lost: the head says whether its entry is in the log.
void RoomLog::on_uncertain(const std::optional<Head>& head) {
    const std::shared_ptr<HostedRoom> alive = keep_alive();
    if (flight_->opens) {
        const bool is_there = head && !head->is_removed;
        if (!is_there) return send_flight();
        if (head->stamp != flight_->entry.stamp) return lose("the room is there already");
        position_ = head->position - 1;
        return committed(context_.replicas == 0);
    }
    if (!head || head->is_removed) {
        context_.owner.on_gone(room_);
        return die();
    }
    if (head->position == position_ && head->stamp == stamp_) {
        // The entry is not in the log. It is sent again only while the lease lasts: after that
        // another process may have written, and its calls come first.
        if (head->is_ours && context_.clock.now() - flight_->since < writer_lease)
            return send_flight();
        return lose("what was decided could not be written in time");
    }
    const bool is_done = head->position > position_ &&
                         (head->position == position_ + 1
                              ? head->stamp == flight_->entry.stamp
                              : !head->entries.empty() &&
                                    head->entries.front().second == write_entry(flight_->entry));
    if (!is_done) return lose("another process has written the room");
    committed(context_.replicas == 0);
    follow();
}

bool RoomLog::take_entries(const Head& head) {
    for (const auto& [position, bytes] : head.entries) {
        if (writes_) {
            step_down();
            if (mode_ == Mode::dead) return false;
        }
        if (!take(position, bytes)) return false;
    }
    const bool has_gap = head.position > position_ && head.entries.empty();
    if (has_gap) lose("its log begins later");
    return !has_gap;
}

bool RoomLog::take(std::uint64_t position, std::string_view bytes) {
    std::optional<LogEntry> entry = read_entry(bytes);
    if (!entry) return lose("its log cannot be read by this version"), false;
    if (position != position_ + 1) return lose("its log begins later"), false;
    if (entry->after != stamp_) return lose("its log is not the one that was read before"), false;
    Settling settling{.position = position};
    const std::uint64_t stamp = entry->stamp;
    const bool removed = entry->removed;
    if (!replay(*std::move(entry), settling))
        return lose("its log does not fit what was read before"), false;
    position_ = position;
    stamp_ = stamp;
    context_.followed.add();
    settling_.push_back(std::move(settling));
    if (!removed) return true;
    const std::shared_ptr<HostedRoom> alive = keep_alive();
    settle_through(position_);
    context_.owner.on_gone(room_);
    die();
    return false;
}

bool RoomLog::replay(LogEntry entry, Settling& settling) {
    bool fits = true;
    {
        HostedRoom::Writing writing(room_);
        fits = replay_facts(writing, entry.facts);
    }
    facts_since_snapshot_ += entry.facts.size();
    if (entry.profile) room_.set_profile(*std::move(entry.profile));
    for (AskAnswer& answer : entry.answers) {
        if (answer.process != context_.process_id) continue;
        const auto found = waiting_.find(answer.ask);
        if (found == waiting_.end()) continue; // look_after() has refused it already.
        found->second.outcome = answer.outcome;
        settling.deliveries.push_back(std::move(found->second));
        waiting_.erase(found);
    }
    if (!entry.facts.empty()) settling.facts.push_back(std::move(entry.facts));
    return fits;
}

// E<position> <entry>: a new entry. C<position>: confirmed by replicas. A: a new ask. P<marks>: who
// is absent. W: the room has no writer. N: follow.
void RoomLog::on_news(std::optional<std::string> news) {
    if (mode_ == Mode::dead || mode_ == Mode::opening) return;
    if (!news || news->empty()) return follow();
    const std::string_view rest = std::string_view(*news).substr(1);
    switch (news->front()) {
        case 'E': {
            if (writes_ || flight_ || mode_ != Mode::live) return;
            const std::size_t space = rest.find(' ');
            const std::uint64_t position = position_in(rest);
            if (position <= position_ && space != rest.npos) return;
            if (position != position_ + 1 || space == rest.npos) return follow();
            const std::shared_ptr<HostedRoom> alive = keep_alive();
            if (!take(position, rest.substr(space + 1))) return;
            if (context_.replicas == 0) settle_through(position_);
            room_.set_fresh(context_.clock.now());
            return;
        }
        case 'C': {
            const std::uint64_t position = position_in(rest);
            if (!writes_) settle_through(std::min(position, position_));
            return;
        }
        case 'A': return fetch_asks();
        case 'P': {
            std::optional<PresenceMarks> marks = read_presence(rest);
            if (!marks || writes_) return;
            HostedRoom::Writing writing(room_);
            return writing.room().follow_presence(*std::move(marks));
        }
        default: return follow();
    }
}

// --- Settling.

void RoomLog::settle_through(std::uint64_t position) {
    confirmed_ = std::max(confirmed_, position);
    while (!settling_.empty() && settling_.front().position <= position) {
        Settling settled = std::move(settling_.front());
        settling_.pop_front();
        room_.unsettled().end_waiting(settled.commands);
        for (const Facts& facts : settled.facts) settle_facts(room_, facts, context_.listener);
        deliver_all(std::move(settled.deliveries));
    }
}

void RoomLog::refuse_everything() {
    std::vector<Pending> pending;
    {
        HostedRoom::Writing writing(room_);
        dead_ = true;
        writes_ = false;
        pending.swap(pending_);
    }
    std::vector<Delivery> all;
    const auto add = [&](std::vector<Delivery>& deliveries) {
        std::move(deliveries.begin(), deliveries.end(), std::back_inserter(all));
        deliveries.clear();
    };
    for (Pending& one : pending) all.push_back(std::move(one.delivery));
    if (flight_) add(flight_->settling.deliveries);
    for (Settling& one : settling_) add(one.deliveries);
    for (auto& [id, delivery] : waiting_) all.push_back(std::move(delivery));
    waiting_.clear();
    {
        const std::lock_guard lock(outgoing_mutex_);
        for (Outgoing& one : outgoing_) all.push_back(std::move(one.delivery));
        outgoing_.clear();
    }
    flight_.reset();
    refuse_all(std::move(all));
}

void RoomLog::lose(const std::string& why) {
    if (mode_ == Mode::dead) return;
    context_.say(room_.id() + ": read again: " + why);
    context_.reloads.add();
    const std::shared_ptr<HostedRoom> alive = keep_alive();
    die();
    context_.owner.on_lost(room_);
}

void RoomLog::die() {
    mode_ = Mode::dead;
    abandon_snapshot();
    refuse_everything();
}

// --- Asking the writer.

void RoomLog::ask(Outgoing outgoing) {
    {
        const std::lock_guard lock(outgoing_mutex_);
        const bool dead = dead_.load();
        if (!dead && outgoing_.size() < waiting_max) {
            outgoing_.push_back(std::move(outgoing));
            return wake();
        }
    }
    refuse(std::move(outgoing.delivery));
}

void RoomLog::send_asks() {
    std::vector<Outgoing> all;
    {
        const std::lock_guard lock(outgoing_mutex_);
        all.swap(outgoing_);
    }
    for (Outgoing& one : all) {
        if (writes_ || mode_ == Mode::dead || waiting_.size() >= waiting_max) {
            redo(std::move(one));
            continue;
        }
        AskMessage ask{.process = context_.process_id,
                       .id = one.delivery.done ? ++last_ask_ : 0,
                       .at = context_.shared_now(),
                       .what = std::move(one.what)};
        if (one.delivery.done) {
            one.delivery.since = context_.clock.now();
            waiting_.emplace(ask.id, std::move(one.delivery));
        }
        send(ask);
    }
}

// This process became the writer before the ask was sent, or the log is dead.
void RoomLog::redo(Outgoing outgoing) {
    Delivery& delivery = outgoing.delivery;
    if (mode_ == Mode::dead || !writes_) return refuse(std::move(delivery));
    std::visit(Overload{
                   [&](AskCommand& asked) {
                       submit(asked.command, delivery.loop, std::move(delivery.done), asked.who);
                   },
                   [](AskSeen&) {},
                   [&](AskProfile& asked) {
                       set_profile(std::move(asked.profile), delivery.loop,
                                   [done = std::move(delivery.done)] {
                                       if (done) done(Done{});
                                   });
                   },
                   [&](AskRemove&) {
                       remove(delivery.loop, [done = std::move(delivery.done)] {
                           if (done) done(Done{});
                       });
                   },
               },
               outgoing.what);
}

void RoomLog::send(const AskMessage& ask) {
    context_.client.run(
        ask_script(), {keys_.asks(), keys_.writer()},
        {write_ask(ask), text(asks_max), keys_.news()},
        [room = keep_alive(), id = ask.id](const CallResult& answer) {
            RoomLog& log = of(*room);
            if (answer.trouble == Trouble::unknown || log.mode_ == Mode::dead) return;
            const bool is_asked = answer.trouble == Trouble::none && answer.reply.is_text();
            if (is_asked && answer.reply.text.empty()) log.follow(); // No writer: try to become it.
            if (is_asked || id == 0) return;
            const auto found = log.waiting_.find(id);
            if (found == log.waiting_.end()) return;
            Delivery delivery = std::move(found->second);
            log.waiting_.erase(found);
            refuse(std::move(delivery));
        },
        patience);
}

void RoomLog::tell_seen() {
    if (mode_ != Mode::live) return;
    const std::vector<Number> numbers = seen_.take(room_.view().issued());
    if (writes_) return;               // The room itself was touched.
    std::map<Millis, AskSeen> by_told; // A handful: adapters tell few different intervals.
    const auto tell = [&](AskSeen& seen) {
        if (seen.numbers.empty()) return;
        send({.process = context_.process_id,
              .at = context_.shared_now(),
              .what = std::exchange(seen, {.numbers = {}, .told = seen.told})});
    };
    for (const Number number : numbers) {
        const Millis told = room_.view().told(number);
        AskSeen& seen =
            by_told.try_emplace(told, AskSeen{.numbers = {}, .told = told}).first->second;
        seen.numbers.push_back(number);
        if (seen.numbers.size() == seen_per_ask) tell(seen);
    }
    for (auto& [told, seen] : by_told) tell(seen);
}

void RoomLog::tell_presence() {
    if (mode_ != Mode::live || !writes_) return;
    PresenceMarks marks = make_presence_marks(room_.view());
    if (marks == told_presence_) return;
    context_.client.call(keys_.news(), {"SPUBLISH", keys_.news(), 'P' + write_presence(marks)},
                         [](const CallResult&) {});
    told_presence_ = std::move(marks);
}

// --- Once in a while.

void RoomLog::look_after() {
    if (mode_ == Mode::dead) return;
    follow();
    if (mode_ == Mode::dead) return;
    const Instant before = context_.clock.now() - patience;
    std::vector<Delivery> late;
    for (auto one = waiting_.begin(); one != waiting_.end();) {
        if (one->second.since > before) break; // Asked in order.
        late.push_back(std::move(one->second));
        one = waiting_.erase(one);
    }
    const auto add_late = [&](std::vector<Delivery>& deliveries) {
        std::erase_if(deliveries, [&](Delivery& delivery) {
            if (delivery.since > before) return false;
            late.push_back(std::move(delivery));
            return true;
        });
    };
    if (flight_) add_late(flight_->settling.deliveries);
    for (Settling& one : settling_) add_late(one.deliveries);
    if (is_stuck_ || mode_ == Mode::opening) {
        const HostedRoom::Writing writing(room_);
        for (Pending& one : pending_)
            if (one.delivery.done && one.delivery.since <= before)
                late.push_back(std::exchange(one.delivery, {}));
    }
    refuse_all(std::move(late));
    if (must_confirm_) flush();
    go_on_with_snapshot();
}

bool RoomLog::is_idle() {
    const HostedRoom::Writing writing(room_);
    return pending_.empty() && !flight_ && waiting_.empty();
}

} // namespace anteroom::shared
