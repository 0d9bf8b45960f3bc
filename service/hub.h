// Hub: the event streams of one loop. Tells each visitor at once when something happened to them,
// and everybody when the room has news, serialised once. Other systems' streams have their own
// words.
//
// Threads: everything but broadcast, notify, supersede and dismiss runs on the loop's thread; those
// may be called from anywhere.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/unique_function.h"
#include "net/alarm.h"
#include "net/exchange.h"
#include "service/audience.h"
#include "service/clock.h"
#include "service/hosted_room.h"
#include "service/stream_words.h"

namespace anteroom::net {
class Loop;
}

namespace anteroom {

class Hub {
  public:
    // Writes the standing of a visitor as JSON. Returns unknown if may_tell() is false, or if the
    // room has forgotten the visitor.
    using WriteStanding = UniqueFunction<VisitorState(const HostedRoom&, Number, std::string&)>;

    Hub(net::Loop& loop, const Clock& clock);
    Hub(const Hub&) = delete;
    Hub& operator=(const Hub&) = delete;
    void set_writer(WriteStanding write) { write_ = std::move(write); }
    void set_greet(Audience::Greet greet) { greet_ = std::move(greet); }

    // A visitor's stream; the first event, the standing, is sent here.
    void add(const std::shared_ptr<HostedRoom>& room, Number number, net::EventStream stream) {
        add(room, number, std::move(stream), own_words_);
    }
    // The same with the words of an adapter. Returns the number of the stream; later ones are
    // higher.
    std::uint64_t add(const std::shared_ptr<HostedRoom>& room, Number number,
                      net::EventStream stream, std::shared_ptr<StreamWords> words);

    // Any thread.
    void broadcast(std::shared_ptr<HostedRoom> room, RoomPulse::Event pulse);
    // Something happened to these visitors; without a list, to everybody.
    void notify(std::shared_ptr<HostedRoom> room,
                std::shared_ptr<const std::vector<Number>> numbers);
    // This visitor has a newer stream: older ones end whose words say so.
    void supersede(std::shared_ptr<HostedRoom> room, Number number, std::uint64_t newer);
    // The room is gone: its streams end, and clients connect again.
    void dismiss(std::shared_ptr<HostedRoom> room);

  private:
    class OwnWords;
    using AudienceRef = std::shared_ptr<Audience>;

    AudienceRef audience_of(
        const HostedRoom& room) const; // Null: the room has no stream on this loop.
    AudienceRef open(const std::shared_ptr<HostedRoom>& room);
    void send_slice(AudienceRef audience, std::size_t from);
    void turn();
    void look_slice(AudienceRef audience, Tenth tenth, std::size_t from);
    void retell();
    std::vector<AudienceRef> everybody() const; // audiences_ may change while they are visited.
    void settle(const Audience& audience);

    net::Loop& loop_;
    const Clock& clock_;
    WriteStanding write_;
    Audience::Greet greet_;
    std::shared_ptr<StreamWords> own_words_;
    std::unordered_map<const HostedRoom*, AudienceRef> audiences_; // None of them is empty.
    std::optional<net::Alarm> turn_alarm_;                         // While there are streams.
    std::optional<net::Alarm> retell_alarm_;                       // While something is owed.
    Tenth turned_ = 0; // The last tenth that was looked at.
};

} // namespace anteroom
