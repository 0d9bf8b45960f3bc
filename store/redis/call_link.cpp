#include "store/redis/call_link.h"

#include <algorithm>

#include "net/loop.h"
#include "store/redis/core.h"
#include "store/redis/node.h"

namespace anteroom::redis {
namespace {

// Beyond this, what the kernel does not take waits as calls, which can still be taken back.
constexpr std::size_t backlog_bytes_max = 1 << 20;

} // namespace

CallLink::CallLink(Core& core, Node& node, Mode mode)
    : Link(core, node),
      mode_(mode),
      silence_(this, [](void* self) { static_cast<CallLink*>(self)->on_silence(); }) {}

void CallLink::add(Call& call) {
    if (pauses() && refusal())
        return core().finish(call, Trouble::refused, Reply::fault(*refusal()));
    // A question about the others is for a node that is there.
    if (pauses() && call.pinned) return core().finish(call, Trouble::unreachable);
    if (!core().charge(call, node().load)) return;
    core().move(call, waiting_, Stage::waiting);
    core().schedule(*this);
}

void CallLink::take_waiting(Calls& to) {
    for (auto at = waiting_.begin(); at != waiting_.end();) {
        Call& call = *at++;
        if (!call.pinned) core().move(call, to, Stage::waiting);
    }
}

void CallLink::leave() {
    leaves_ = is_ready();
    settle_if_left();
}

void CallLink::renew() {
    if (!is_ready() || is_under_way()) return;
    lose_what_is_under_way();
    hang_up();
    core().schedule(*this);
}

void CallLink::settle_if_left() {
    if (!leaves_ || is_under_way()) return;
    leaves_ = false;
    connection().fail("it is no primary any more");
}

bool CallLink::is_idle() const {
    return waiting_.empty() && sent_.empty() && answered_.empty();
}

bool CallLink::is_wanted() const {
    return !waiting_.empty() || (mode_ == Mode::pipelined && node().is_primary);
}

void CallLink::flush() {
    const bool must_wait = leaves_ || batch_is_open_ || waiting_.empty();
    if (must_wait || connection().backlog_bytes() > backlog_bytes_max) return;
    send_waiting();
}

void CallLink::send_waiting() {
    const Instant now = core().loop().now();
    if (!is_under_way()) {
        quiet_since_ = now;
        longest_ = core().options().call_timeout;
    }
    int replicas = 0;
    Millis longest{};
    wire_.clear();
    while (!waiting_.empty() && wire_.size() <= backlog_bytes_max) {
        Call& call = waiting_.front();
        if (is_batched() && call.script) bring_script(call);
        if (call.asks) append_command(wire_, {"ASKING"});
        append_command(wire_, call.words);
        call.skips = call.asks ? 1 : 0;
        call.asks = false;
        replicas = std::max(replicas, call.replicas);
        longest = std::max(longest, call.patience);
        core().move(call, sent_, Stage::sent);
    }
    longest_ = std::max(longest_, longest);
    if (is_batched()) {
        const Millis patience = std::min(longest, core().options().replication_timeout);
        append_command(wire_, {"WAIT", std::to_string(replicas), std::to_string(patience.count)});
        batch_is_open_ = true;
        core().counters().batches.add();
    }
    connection().send(wire_);
    if (!silence_.armed()) core().loop().arm(silence_, longest_);
    if (!waiting_.empty()) core().schedule(*this);
}

// A script that the server misses costs a batch its WAIT, and that may take its whole time. So the
// first of a connection brings it; the server keeps what it has seen.
void CallLink::bring_script(Call& call) {
    if (!brought_.insert(call.script->sha()).second) return;
    call.words[0] = "EVAL";
    call.words[1] = call.script->source();
}

void CallLink::on_reply(Reply reply) {
    if (sent_.empty()) {
        if (!batch_is_open_) return connection().fail("it sent a reply that nobody asked for");
        on_replicated(reply);
    } else if (Call& call = sent_.front(); call.skips > 0) {
        --call.skips; // Of ASKING.
    } else {
        core().settle(*this, call, std::move(reply));
    }
    settle_if_left();
}

void CallLink::on_replicated(const Reply& reply) {
    batch_is_open_ = false;
    core().schedule(*this);
    // A primary that became a replica meanwhile: what it had done may be undone.
    const bool is_lost = reply.is_error() && (reply.error_code() == "UNBLOCKED" ||
                                              reply.text.find("replica") != reply.text.npos);
    if (reply.is_error()) core().say_once(node().name, "WAIT failed: " + reply.text);
    const std::int64_t confirmed = reply.is_integer() ? reply.integer : 0;
    while (!answered_.empty()) {
        Call& call = answered_.front();
        const Trouble trouble = is_lost                      ? Trouble::unknown
                                : confirmed >= call.replicas ? Trouble::none
                                                             : Trouble::not_replicated;
        core().finish(call, trouble, std::move(call.reply));
    }
}

void CallLink::on_drained() {
    core().schedule(*this);
}

void CallLink::lose_what_is_under_way() {
    for (Calls* calls : {&answered_, &sent_}) {
        while (!calls->empty()) core().finish(calls->front(), Trouble::unknown);
    }
    batch_is_open_ = false;
    leaves_ = false;
    loading_.clear();
    brought_.clear();
    silence_.cancel();
}

void CallLink::on_down(const Ending& ending) {
    lose_what_is_under_way();
    for (auto at = waiting_.begin(); at != waiting_.end();) {
        Call& call = *at++;
        if (ending.how == Ended::refused) {
            core().finish(call, Trouble::refused, Reply::fault(ending.why));
        } else if (call.pinned) {
            core().finish(call, Trouble::unreachable);
        }
    }
}

void CallLink::on_shut() {
    lose_what_is_under_way();
    while (!waiting_.empty()) core().finish(waiting_.front(), Trouble::unreachable);
}

void CallLink::on_check() {
    if (mode_ == Mode::pipelined) core().check(node());
}

void CallLink::on_silence() {
    if (!is_ready() || !is_under_way()) return; // The next call will arm it.
    const Instant due = std::max(connection().heard_at(), quiet_since_) + longest_;
    if (due > core().loop().now()) return core().loop().arm_at(silence_, due);
    connection().fail("it says nothing");
}

} // namespace anteroom::redis
