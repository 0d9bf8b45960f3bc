// RoomLog in the process that writes the room: applies commands, commits entries, takes asks.
#include <openssl/rand.h>

#include "base/check.h"
#include "base/overload.h"
#include "net/loop.h"
#include "service/apply.h"
#include "service/profile_text.h"
#include "store/shared/projection.h"
#include "store/shared/room_log.h"
#include "store/shared/scripts.h"
#include "store/shared/times.h"

namespace anteroom::shared {
namespace {

constexpr std::size_t pending_max = 100'000; // Beyond it commands are refused.
constexpr std::size_t commands_per_entry = 1'000;
constexpr std::size_t asks_per_look = 500;
constexpr Millis stuck_tick{200};
// A copy that is older refuses ticks: visitors who are called while Redis does not answer could not
// be told, and their calls would be lost with the copy.
constexpr Millis tick_age_max{600};

std::uint64_t draw_stamp() {
    std::uint64_t stamp = 0;
    CHECK(RAND_bytes(reinterpret_cast<unsigned char*>(&stamp), sizeof stamp) == 1);
    return stamp == 0 ? 1 : stamp; // 0 stands before the first entry.
}

// The first place in a stream after this one.
std::string place_after(const std::string& place) {
    const std::size_t dash = place.find('-');
    return place.substr(0, dash + 1) + std::to_string(std::stoull(place.substr(dash + 1)) + 1);
}

} // namespace

// --- Any thread.

std::optional<Instant> RoomLog::apply(HostedRoom::Writing& writing, const Command& command,
                                      std::string_view who, Pending& pending) {
    Applied applied = apply_command(writing, command, context_.clock.now());
    pending.delivery.outcome = applied.outcome;
    pending.facts = std::move(applied.facts);
    project(writing.room(), pending.facts, who, pending.changes);
    return applied.due;
}

void RoomLog::enqueue(Pending pending) {
    room_.unsettled().wait();
    pending_.push_back(std::move(pending));
}

void RoomLog::submit(const Command& command, net::Loop* loop, OnOutcome done,
                     std::string_view who) {
    const bool is_tick = std::holds_alternative<Tick>(command);
    const Instant now = context_.clock.now();
    Pending pending{.delivery = {.loop = loop, .done = std::move(done), .since = now}};
    std::optional<Instant> due;
    bool asks = false;
    bool waits = false;
    {
        HostedRoom::Writing writing(room_);
        // Without a reply from Redis for so long, another process may be the writer by now.
        const bool is_unsure = room_.age(now) >= (is_tick ? tick_age_max : writer_lease);
        if (dead_ || (writes_ && (is_unsure || is_stuck_ || pending_.size() >= pending_max))) {
            pending.delivery.outcome = Refused{Reason::unavailable};
            if (is_tick && !dead_) due = now + stuck_tick;
        } else if (writes_) {
            due = apply(writing, command, who, pending);
            waits = must_wait(room_, pending.facts, pending.delivery);
            if (waits) enqueue(std::move(pending));
        } else {
            asks = true;
            // The writer is told; from now on this copy takes the visitor's signs of life itself.
            if (const auto* touch = std::get_if<Touch>(&command))
                room_.view().forgive(touch->number);
        }
    }
    if (due) context_.listener.due(room_, *due);
    if (waits) return wake();
    // NOLINTNEXTLINE(bugprone-use-after-move): `pending` was moved only if it waits.
    if (!asks) return deliver(std::move(pending.delivery));
    // Ticks and wakes are the writer's own: a follower does not ask for them.
    const bool is_clock = is_tick || std::holds_alternative<Wake>(command);
    if (is_clock && !pending.delivery.done) return;
    ask({.what = AskCommand{.command = command, .who = std::string(who)},
         .delivery = std::move(pending.delivery)});
}

void RoomLog::set_profile(Profile profile, net::Loop* loop, net::Job done) {
    Delivery delivery{.loop = loop, .since = context_.clock.now()};
    if (done) delivery.done = [done = std::move(done)](const Outcome&) { done(); };
    {
        HostedRoom::Writing writing(room_);
        if (writes_ && !dead_) {
            Pending pending{.delivery = std::move(delivery), .profile = std::move(profile)};
            pending.changes = {"P", profile_text(*pending.profile)};
            enqueue(std::move(pending));
            return wake();
        }
    }
    ask({.what = AskProfile{std::move(profile)}, .delivery = std::move(delivery)});
}

void RoomLog::remove(net::Loop* loop, net::Job done) {
    Delivery delivery{.loop = loop, .since = context_.clock.now()};
    if (done) delivery.done = [done = std::move(done)](const Outcome&) { done(); };
    {
        HostedRoom::Writing writing(room_);
        if (writes_ && !dead_) {
            enqueue({.changes = {"R"}, .delivery = std::move(delivery), .removes = true});
            return wake();
        }
    }
    ask({.what = AskRemove{}, .delivery = std::move(delivery)});
}

void RoomLog::open(const Settings& rules) {
    mode_ = Mode::opening;
    HostedRoom::Writing writing(room_);
    writes_ = true;
    Pending pending{.delivery = {.since = context_.clock.now()}};
    apply(writing, Configure{rules}, {}, pending);
    pending.changes.clear(); // The script that opens a room sets the capacity itself.
    enqueue(std::move(pending));
    wake();
}

void RoomLog::wake() {
    if (woken_.exchange(true)) return;
    context_.loop.post([room = keep_alive()] {
        RoomLog& log = of(*room);
        log.woken_ = false;
        log.send_asks();
        log.flush();
    });
}

// --- The loop's thread.

// At most so many that an entry stays small. Nothing follows the first entry of a room, or its end.
std::vector<RoomLog::Pending> RoomLog::take_batch() {
    std::size_t count = 0;
    while (count < std::min(pending_.size(), commands_per_entry)) {
        const bool ends = pending_[count].removes || mode_ == Mode::opening;
        ++count;
        if (ends) break;
    }
    std::vector<Pending> batch(std::make_move_iterator(pending_.begin()),
                               std::make_move_iterator(pending_.begin() + std::ptrdiff_t(count)));
    pending_.erase(pending_.begin(), pending_.begin() + std::ptrdiff_t(count));
    return batch;
}

void RoomLog::flush() {
    if (!writes_ || flight_ || mode_ == Mode::dead) return;
    {
        HostedRoom::Writing writing(room_);
        std::vector<Pending> batch = take_batch();
        if (batch.empty() && !must_confirm_) return;
        pack(std::move(batch));
        if (pending_.empty()) begin_snapshot_if_due(writing);
    }
    const LogEntry& entry = flight_->entry;
    const bool says_nothing = entry.facts.empty() && entry.answers.empty() && !entry.profile &&
                              !entry.removed && !flight_->opens && flight_->asks == 0 &&
                              !must_confirm_;
    if (!says_nothing) return send_flight();
    // Outcomes without facts wait for the last entry that was written.
    Settling settling = std::move(flight_->settling);
    flight_.reset();
    settling.position = position_;
    settling_.push_back(std::move(settling));
    if (confirmed_ >= position_ || context_.replicas == 0) settle_through(position_);
    flush();
}

void RoomLog::pack(std::vector<Pending> batch) {
    flight_ = Flight{};
    Flight& flight = *flight_;
    flight.since = context_.clock.now();
    flight.opens = mode_ == Mode::opening;
    LogEntry& entry = flight.entry;
    entry.after = flight.opens ? 0 : stamp_;
    entry.stamp = draw_stamp();
    std::vector<std::string> changes;
    for (Pending& pending : batch) {
        entry.facts.insert(entry.facts.end(), pending.facts.begin(), pending.facts.end());
        std::move(pending.changes.begin(), pending.changes.end(), std::back_inserter(changes));
        if (pending.profile) entry.profile = std::move(pending.profile);
        entry.removed = entry.removed || pending.removes;
        if (!pending.ask_at.empty()) {
            ++flight.asks;
            flight.asks_kept = place_after(pending.ask_at);
        }
        if (pending.process != 0)
            entry.answers.push_back({.process = pending.process,
                                     .ask = pending.ask,
                                     .outcome = pending.delivery.outcome});
        ++flight.settling.commands;
        if (!pending.facts.empty()) flight.settling.facts.push_back(std::move(pending.facts));
        if (pending.delivery.done)
            flight.settling.deliveries.push_back(std::move(pending.delivery));
    }
    if (flight.opens) {
        flight.args = {context_.process,    text(writer_lease.count),
                       text(entry.stamp),   write_entry(entry),
                       text(room_.index()), text(room_.view().settings().capacity),
                       keys_.news(),        profile_text(room_.profile())};
        return;
    }
    flight.args = {context_.process,  text(writer_lease.count), text(position_),  text(stamp_),
                   text(entry.stamp), write_entry(entry),       flight.asks_kept, keys_.news()};
    std::move(changes.begin(), changes.end(), std::back_inserter(flight.args));
}

void RoomLog::send_flight() {
    const bool opens = flight_->opens;
    flight_->is_uncertain = false;
    context_.client.run_durably(
        opens ? open_script() : commit_script(), all_keys(), flight_->args, context_.replicas,
        [room = keep_alive(), opens, stamp = flight_->entry.stamp](const CallResult& answer) {
            RoomLog& log = of(*room);
            // The log may be dead, or on_uncertain() has found the entry.
            if (!log.flight_ || log.flight_->entry.stamp != stamp) return;
            if (opens)
                log.on_opened(answer);
            else
                log.on_committed(answer);
        },
        patience);
}

void RoomLog::on_opened(const CallResult& answer) {
    const bool done = answer.trouble == Trouble::none || answer.trouble == Trouble::not_replicated;
    if (!done) return doubt(answer);
    const std::vector<Reply>& reply = answer.reply.list;
    if (reply.size() != 2 || reply[0].integer != 1) return lose("the room is there already");
    position_ = static_cast<std::uint64_t>(reply[1].integer) - 1;
    committed(answer.trouble == Trouble::none);
}

void RoomLog::on_committed(const CallResult& answer) {
    const bool done = answer.trouble == Trouble::none || answer.trouble == Trouble::not_replicated;
    if (!done) return doubt(answer);
    if (answer.reply.integer != 1) return lose("another process writes the room");
    committed(answer.trouble == Trouble::none);
}

// Perhaps the entry was written: follow() will tell. No other entry is sent before that.
void RoomLog::doubt(const CallResult& answer) {
    if (answer.trouble == Trouble::refused)
        context_.say(room_.id() + ": Redis refused what was written: " + answer.reply.text);
    flight_->is_uncertain = true;
    is_stuck_ = true;
    follow();
}

void RoomLog::committed(bool is_replicated) {
    Flight flight = *std::move(flight_);
    flight_.reset();
    ++position_;
    stamp_ = flight.entry.stamp;
    asks_taken_ -= std::min(asks_taken_, flight.asks);
    facts_since_snapshot_ += flight.entry.facts.size();
    context_.commits.add();
    context_.facts.add(static_cast<std::int64_t>(flight.entry.facts.size()));
    flight.settling.position = position_;
    settling_.push_back(std::move(flight.settling));
    if (flight.entry.profile) room_.set_profile(*std::move(flight.entry.profile));
    if (snapshot_ && snapshot_->stamp == stamp_) snapshot_->is_committed = true;
    const std::shared_ptr<HostedRoom> alive = keep_alive(); // The owner may drop the room.
    if (flight.opens) {
        mode_ = Mode::live;
        term_ = 1;
        context_.owner.on_opened(room_);
    }
    must_confirm_ = !is_replicated;
    is_stuck_ = !is_replicated;
    room_.set_fresh(flight.since); // Redis counts the lease from a later moment.
    if (flight.entry.removed) {
        settle_through(position_);
        context_.owner.on_gone(room_);
        return die();
    }
    if (is_replicated) confirm();
    flush();
}

void RoomLog::confirm() {
    settle_through(position_);
    if (context_.replicas == 0) return;
    context_.client.run(confirm_script(), {keys_.head()}, {text(position_), keys_.news()},
                        [](const CallResult&) {}); // A lost one is made up for by the next.
}

void RoomLog::become_writer() {
    ++term_;
    asks_taken_ = 0;
    last_ask_taken_.clear();
    is_stuck_ = false;
    Facts facts;
    {
        HostedRoom::Writing writing(room_);
        writes_ = true;
        // The last writer's signs of life are not in the log: Wake treats every visitor as just
        // seen.
        writing.room().apply(Wake{}, context_.clock.now(), facts);
        CHECK(facts.empty());
    }
    must_confirm_ = context_.replicas > 0 && confirmed_ < position_;
    context_.listener.due(room_, context_.clock.now());
    fetch_asks();
    send_asks();
    flush();
}

// Another process writes the room. Commands that were not committed are refused.
void RoomLog::step_down() {
    bool knows_too_much = flight_.has_value();
    std::vector<Pending> dropped;
    {
        HostedRoom::Writing writing(room_);
        writes_ = false;
        dropped.swap(pending_);
    }
    std::vector<Delivery> deliveries;
    for (Pending& pending : dropped) {
        knows_too_much = knows_too_much || !pending.facts.empty();
        room_.unsettled().end_waiting();
        if (pending.delivery.done) deliveries.push_back(std::move(pending.delivery));
    }
    refuse_all(std::move(deliveries));
    abandon_snapshot();
    if (knows_too_much) lose("another process writes the room");
}

void RoomLog::resign() {
    if (!writes_) return;
    step_down();
    context_.client.run(resign_script(), {keys_.writer()}, {context_.process, keys_.news()},
                        [](const CallResult&) {});
}

// --- Asks of other processes.

void RoomLog::fetch_asks() {
    if (fetches_asks_ || !writes_ || mode_ != Mode::live) return;
    fetches_asks_ = true;
    const std::string from = last_ask_taken_.empty() ? "-" : "(" + last_ask_taken_;
    context_.client.call(keys_.asks(),
                         {"XRANGE", keys_.asks(), from, "+", "COUNT", text(asks_per_look)},
                         [room = keep_alive(), term = term_](const CallResult& answer) {
                             RoomLog& log = of(*room);
                             log.fetches_asks_ = false;
                             if (log.term_ == term && log.writes_) log.on_asks(answer);
                         });
}

void RoomLog::on_asks(const CallResult& answer) {
    if (answer.trouble != Trouble::none || !answer.reply.is_list()) return;
    for (const Reply& one : answer.reply.list) {
        const bool fits = one.list.size() == 2 && one.list[1].list.size() == 2;
        if (!fits) continue;
        last_ask_taken_ = one.list[0].text;
        ++asks_taken_;
        take_ask(one.list[0].text, one.list[1].list[1].text);
    }
    flush();
    if (answer.reply.list.size() == asks_per_look) fetch_asks();
}

void RoomLog::take_ask(const std::string& at, std::string_view bytes) {
    const Instant now = context_.clock.now();
    Pending pending{.delivery = {.since = now}, .ask_at = at};
    std::optional<AskMessage> ask = read_ask(bytes);
    std::optional<Instant> due;
    HostedRoom::Writing writing(room_);
    if (!ask) {
        context_.say(room_.id() + ": what another process asks is not understood");
        return enqueue(std::move(pending));
    }
    if (ask->process == context_.process_id) {
        // An ask of this process, sent before it became the writer.
        if (const auto own = waiting_.extract(ask->id)) pending.delivery = std::move(own.mapped());
    } else if (ask->id != 0) {
        pending.process = ask->process;
        pending.ask = ask->id;
    }
    context_.asks.add();
    if (ask->at + patience < context_.shared_now()) {
        pending.delivery.outcome = Refused{Reason::unavailable};
    } else {
        std::visit(Overload{
                       [&](const AskCommand& asked) {
                           due = apply(writing, asked.command, asked.who, pending);
                       },
                       [&](const AskSeen& seen) {
                           for (const Number number : seen.numbers)
                               writing.room().greet(number, now, seen.told);
                           due = writing.room().next_deadline();
                       },
                       [&](AskProfile& asked) {
                           pending.changes = {"P", profile_text(asked.profile)};
                           pending.profile = std::move(asked.profile);
                       },
                       [&](const AskRemove&) {
                           pending.changes = {"R"};
                           pending.removes = true;
                       },
                   },
                   ask->what);
    }
    enqueue(std::move(pending));
    if (due) context_.listener.due(room_, *due);
}

std::vector<std::string> RoomLog::all_keys() const {
    return {keys_.head(),    keys_.log(),       keys_.writer(), keys_.queue(),   keys_.active(),
            keys_.members(), keys_.threshold(), keys_.asks(),   keys_.snapshot()};
}

} // namespace anteroom::shared
