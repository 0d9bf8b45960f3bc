// Hub: the event streams of one loop. Sends everybody the same pulse, serialised once, and tells
// each visitor when something happened to them. Other systems' streams have their own words.
//
// Threads: everything but broadcast, notify, supersede and dismiss runs on the loop's thread; those
// may be called from anywhere.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/unique_function.h"
#include "net/exchange.h"
#include "service/clock.h"
#include "service/hosted_room.h"
#include "service/stream_words.h"

namespace anteroom::net {
class Loop;
}

namespace anteroom {

class Hub {
  public:
    // Writes the standing of a visitor as JSON; what a stream of that visitor may see. Unknown:
    // nothing was written, because what there is to say is not durable yet; more will follow.
    using WriteStanding = UniqueFunction<VisitorState(const HostedRoom&, Number, std::string&)>;

    Hub(net::Loop& loop, const Clock& clock);
    Hub(const Hub&) = delete;
    Hub& operator=(const Hub&) = delete;
    void set_writer(WriteStanding write) { write_ = std::move(write); }

    // A visitor's stream; the first event, the standing, is sent here.
    void add(const std::shared_ptr<HostedRoom>& room, Number number, net::EventStream stream) {
        add(room, number, std::move(stream), own_words_);
    }
    // The same in other words. The number of the stream: those that begin later have a higher one.
    std::uint64_t add(const std::shared_ptr<HostedRoom>& room, Number number,
                      net::EventStream stream, std::shared_ptr<StreamWords> words);

    // Any thread.
    void broadcast(std::shared_ptr<HostedRoom> room, net::Frame frame);
    // Something happened to these visitors; without a list, to everybody.
    void notify(std::shared_ptr<HostedRoom> room,
                std::shared_ptr<const std::vector<Number>> numbers);
    // This visitor has a newer stream: older ones end whose words say so.
    void supersede(std::shared_ptr<HostedRoom> room, Number number, std::uint64_t newer);
    // The room is gone: its streams end, and who still wants one asks again.
    void dismiss(std::shared_ptr<HostedRoom> room);

  private:
    class OwnWords;
    struct Subscriber {
        Number number;
        net::EventStream stream;
        std::shared_ptr<StreamWords> words;
        std::uint64_t begun;
    };
    // Subscribers of one room, in slots that keep their index.
    struct Audience {
        std::shared_ptr<HostedRoom> room;
        std::vector<std::unique_ptr<Subscriber>> slots;
        std::vector<std::uint32_t> free;
        std::unordered_multimap<Number, std::uint32_t> by_number;
    };

    void send_slice(std::shared_ptr<Audience> audience, net::Frame frame, std::size_t from);
    std::vector<std::uint32_t> slots_of(const Audience& audience, Number number) const;
    void tell(Audience& audience, std::uint32_t slot);
    void say(Audience& audience, std::uint32_t slot, const StreamWords::Said& said);
    void remove(Audience& audience, std::uint32_t slot);
    net::Loop& loop_;
    const Clock& clock_;
    WriteStanding write_;
    std::shared_ptr<StreamWords> own_words_;
    std::unordered_map<const HostedRoom*, std::shared_ptr<Audience>> audiences_;
};

} // namespace anteroom
