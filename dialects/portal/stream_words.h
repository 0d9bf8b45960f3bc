// PortalWords: what an event stream of system P says.
//
//   queue-status    at once, when the place changes, and every three seconds
//   queue-entered   once, after the last queue-status, when the visitor may go in
//
// Data serves both of P's contracts: type, data and timestamp, and the members of the status beside
// them. Ids go up by one; that of a last word ends in ".end": a client that comes back with it
// needs no stream.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "service/stream_words.h"

namespace anteroom::portal {

class PortalWords final : public StreamWords {
  public:
    // `last_id`: where an earlier stream of the same visitor ended; empty: there was none.
    PortalWords(std::string token, Millis life, std::string_view last_id);

    static bool is_over(std::string_view last_id) { return last_id.ends_with(end_mark); }

    Said begin(const HostedRoom& room, Number number, Instant now) override;
    Said news(const HostedRoom& room, Number number, Instant now) override;
    Said beat(const HostedRoom& room, Number number, const net::Frame&, Instant now) override {
        return look(room, number, now);
    }
    bool wants_looks() const override { return true; }
    Said look(const HostedRoom& room, Number number, Instant now) override;
    net::Frame replaced() override;

  private:
    static constexpr std::string_view end_mark = ".end";
    Said say(const HostedRoom& room, Number number, Instant now);
    std::string event(std::string_view name, std::string_view members, Instant now, bool is_last);

    const std::string token_;
    const Millis life_;
    std::uint64_t id_ = 0;
    Instant opened_{};
    Instant told_{};
    Instant beaten_{};
    std::uint64_t told_ahead_ = 0;
};

} // namespace anteroom::portal
