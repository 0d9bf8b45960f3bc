// RelaySession: the part of a Connection that exists only while its request is relayed (relay.h).
// Internal to net/.
//
// Input: the client's body, or a tunnel's bytes, go to the RelayOwner unless it has paused them.
// Output: status line, framing and pieces of the answer, as the Relay asks for them. Deadlines: of
// a slow body, of a client that reads nothing, of one that has closed its half. The session ends
// with finish(), give_up(), cut(), a refusal or the connection; its memory goes in the loop's next
// turn, because the owner may end it while the session is calling the owner.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/time.h"
#include "net/output.h"
#include "net/request.h"
#include "net/status.h"

namespace anteroom::net {

class Connection;
class RelayOwner;
struct Refusal;

class RelaySession {
  public:
    // The body begins paused.
    RelaySession(Connection& connection, RelayOwner& owner, const Request& request);
    RelaySession(const RelaySession&) = delete;
    RelaySession& operator=(const RelaySession&) = delete;

    // For the Connection.
    void on_input(std::string_view fresh);
    void on_input_end();
    void on_drained();
    void on_closed();
    void on_deadline();
    void watch(); // Arms the connection's timer with the earliest of the deadlines.

    // For the Relay, which describes them.
    void pause_body();
    void resume_body();
    bool takes_interim() const;
    Output& begin_head(unsigned status, std::optional<std::uint64_t> length);
    Output& begin_interim(unsigned status);
    Output& begin_upgrade();
    void end_head();
    bool has_begun() const { return has_begun_; }
    bool has_head() const { return framing_ != Framing::unsaid; }
    void send(std::string_view piece);
    void flush();
    void finish();
    void cut();
    // The connection answers by itself. REQUIRES: !has_head().
    void give_up();

  private:
    enum class Framing : std::uint8_t { unsaid, bodiless, sized, chunked, until_close, tunnel };

    // While the owner calls into the session the session does not call the owner, which learns from
    // the result that its client is gone.
    class OwnerCall;

    bool is_attached() const; // False: the connection has ended this session.
    void detach();
    void pass_body(std::string_view& fresh);
    void pass_tunnel(std::string_view& fresh);
    void refuse(const Refusal& refusal);
    bool awaits_body() const;
    void choose_framing(unsigned status, std::optional<std::uint64_t> length, Output& output);
    Output& output();
    void send_output();

    Connection& connection_;
    RelayOwner* owner_;             // Null: it must not be called any more.
    std::uint64_t answer_left_ = 0; // Of an answer whose length is known.
    Instant paused_at_;
    Instant half_closed_at_{};
    Instant stalled_since_{};
    Framing framing_ = Framing::unsaid;
    bool has_begun_ = false; // A head was written, maybe an interim one.
    bool is_paused_ = true;
    bool output_is_open_ = false;
    bool awaits_continue_; // The client sends the body when it is told to.
    bool owner_is_calling_ = false;
};

} // namespace anteroom::net
