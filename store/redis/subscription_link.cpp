#include "store/redis/subscription_link.h"

#include "net/loop.h"
#include "store/redis/command.h"
#include "store/redis/core.h"
#include "store/redis/node.h"

namespace anteroom::redis {

void SubscriptionLink::add(const std::string& channel) {
    channels_.insert(channel);
    if (is_ready()) ask(channel, true);
    core().schedule(*this);
}

void SubscriptionLink::remove(const std::string& channel) {
    channels_.erase(channel);
    if (is_ready()) ask(channel, false);
    core().schedule(*this);
}

// One command per channel: in a Cluster those of one command must be in one slot.
void SubscriptionLink::ask(const std::string& channel, bool subscribes) {
    append_command(wire_, {subscribes ? "SSUBSCRIBE" : "SUNSUBSCRIBE", channel});
    asked_.push_back({.channel = channel, .subscribes = subscribes});
}

void SubscriptionLink::flush() {
    if (channels_.empty()) {
        on_down({});
        return hang_up();
    }
    if (wire_.empty()) return;
    connection().send(wire_);
    wire_.clear();
}

void SubscriptionLink::on_up() {
    for (const std::string& channel : channels_) ask(channel, true);
}

void SubscriptionLink::on_down(const Ending&) {
    asked_.clear();
    wire_.clear();
}

// A subscriber may hear nothing for hours, and would not notice that the server has gone.
void SubscriptionLink::on_check() {
    const ClientOptions& options = core().options();
    const Instant now = core().loop().now();
    if (now - connection().heard_at() > options.check_interval + options.call_timeout)
        return connection().fail("it says nothing");
    append_command(wire_, {"PING"});
    core().schedule(*this);
}

void SubscriptionLink::on_reply(Reply reply) {
    if (reply.is_error()) return on_error(reply);
    if (reply.is_text()) return; // PONG, when nothing is subscribed.
    if (!reply.is_list() || reply.list.size() < 2 || !reply.list[1].is_text())
        return connection().fail("it sent no message");
    const std::string& kind = reply.list[0].text;
    const std::string& channel = reply.list[1].text;
    if (kind == "smessage" && reply.list.size() == 3) {
        if (channels_.contains(channel)) core().on_message(channel, std::move(reply.list[2].text));
    } else if (kind == "ssubscribe") {
        if (!take_asked(channel, true)) return connection().fail("it sent what nobody asked for");
        if (channels_.contains(channel)) core().on_message(channel, std::nullopt);
    } else if (kind == "sunsubscribe") {
        // Ours, or the server's own: the slot has moved away.
        const bool ours = take_asked(channel, false);
        if (!ours && channels_.erase(channel) > 0) core().on_unsubscribed(node(), channel, {});
    } else if (kind != "pong") {
        connection().fail("it sent no message");
    }
}

bool SubscriptionLink::take_asked(const std::string& channel, bool subscribes) {
    if (asked_.empty()) return false;
    const Asked& first = asked_.front();
    if (first.channel != channel || first.subscribes != subscribes) return false;
    asked_.pop_front();
    return true;
}

void SubscriptionLink::on_error(const Reply& error) {
    if (asked_.empty()) return connection().fail("it sent what nobody asked for");
    const Asked asked = std::move(asked_.front());
    asked_.pop_front();
    if (asked.subscribes && channels_.erase(asked.channel) > 0)
        core().on_unsubscribed(node(), asked.channel, error);
}

} // namespace anteroom::redis
