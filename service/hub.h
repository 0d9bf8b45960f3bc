// Hub: the event streams of one loop. Sends everybody the same pulse, serialised once, and tells
// each visitor when something happened to them.
//
// Threads: everything but broadcast and notify runs on the loop's thread; those two may be called
// from anywhere.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/unique_function.h"
#include "net/exchange.h"
#include "net/loop.h"
#include "service/clock.h"
#include "service/hosted_room.h"

namespace anteroom {

class Hub {
  public:
    // Writes the standing of a visitor as JSON; what a stream of that visitor may see. Unknown:
    // nothing was written, because what there is to say is not durable yet; more will follow.
    using WriteStanding = UniqueFunction<VisitorState(const HostedRoom&, Number, std::string&)>;

    Hub(net::Loop& loop, const Clock& clock) : loop_(loop), clock_(clock) {}
    Hub(const Hub&) = delete;
    Hub& operator=(const Hub&) = delete;
    void set_writer(WriteStanding write) { write_ = std::move(write); }

    // A visitor's stream; the first event, the standing, is sent here.
    void add(const std::shared_ptr<HostedRoom>& room, Number number, net::EventStream stream);

    // Any thread.
    void broadcast(std::shared_ptr<HostedRoom> room, net::Frame frame);
    // Something happened to these visitors; without a list, to everybody.
    void notify(std::shared_ptr<HostedRoom> room,
                std::shared_ptr<const std::vector<Number>> numbers);
    // The room is gone: its streams end, and who still wants one asks again.
    void dismiss(std::shared_ptr<HostedRoom> room);

  private:
    struct Subscriber {
        Number number;
        net::EventStream stream;
    };
    // Subscribers of one room, in slots that keep their index.
    struct Audience {
        std::shared_ptr<HostedRoom> room;
        std::vector<std::unique_ptr<Subscriber>> slots;
        std::vector<std::uint32_t> free;
        std::unordered_multimap<Number, std::uint32_t> by_number;
    };

    void send_slice(std::shared_ptr<Audience> audience, net::Frame frame, std::size_t from);
    void tell(Audience& audience, std::uint32_t slot);
    void remove(Audience& audience, std::uint32_t slot);
    // The event and the state it tells.
    std::pair<net::Frame, VisitorState> standing_event(const HostedRoom& room, Number number,
                                                       bool first);

    net::Loop& loop_;
    const Clock& clock_;
    WriteStanding write_;
    std::unordered_map<const HostedRoom*, std::shared_ptr<Audience>> audiences_;
    std::uint64_t event_id_ = 0;
};

} // namespace anteroom
