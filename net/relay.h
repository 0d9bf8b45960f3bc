// Relay: a request and its answer as two streams, for a handler that passes them on.
//
//   relay_ = exchange.relay(*this);           // in Handler::handle; *this is the RelayOwner
//   on_body(piece) … on_body_end()            // when the request says body_streams
//   Output& lines = relay_.begin_head(200, length);   append(lines, "ETag: …\r\n");
//   relay_.end_head();  relay_.send(piece) …  relay_.flush();  relay_.finish();
//
// The Relay frames the answer: with its length, in chunks, or by the end of the connection for
// HTTP/1.0; for HEAD, 204 and 304 it leaves the body out. Both ways are bounded: the owner pauses
// the body while its origin is slow, and looks at backlog_bytes() while the client is.
//
// Calls into a Relay never call the owner; the owner is called from the loop's events only. It may
// destroy its Relay in any of these calls. Used on the connection's loop.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "net/exchange.h"
#include "net/output.h"

namespace anteroom::net {

class RelaySession;

class RelayOwner {
  public:
    virtual void on_body(std::string_view piece) = 0; // Of the request; valid during the call.
    virtual void on_body_end() = 0;                   // Complete; of a tunnel: no more comes.
    virtual void on_writable() = 0;                   // The backlog has gone.
    virtual void on_gone() = 0; // The client left or broke a rule. Nothing comes after it.

    RelayOwner(const RelayOwner&) = delete;
    RelayOwner& operator=(const RelayOwner&) = delete;

  protected:
    RelayOwner() = default;
    ~RelayOwner() = default;
};

class Relay {
  public:
    Relay() = default; // Empty handle.
    Relay(Relay&& other) noexcept = default;
    Relay& operator=(Relay&& other) noexcept;
    ~Relay(); // Unfinished: 500 if no head was written, else the connection is cut.

    // False: the client has gone. What is sent then goes nowhere.
    bool wanted() const;

    // The request's body waits in the client's socket. A relay begins paused.
    void pause_body();
    void resume_body();

    // Status line and framing are written; the caller appends its lines to the output, then calls
    // end_head(). begin_interim (1xx) may come several times before; false: HTTP/1.0 has none.
    // length: empty if it is not known.
    Output& begin_head(unsigned status, std::optional<std::uint64_t> length);
    bool takes_interim() const;
    Output& begin_interim(unsigned status);
    // 101: from now on bytes go both ways without HTTP framing.
    Output& begin_upgrade();
    void end_head();
    bool has_begun() const; // A head was written, maybe an interim one.
    bool has_head() const;  // The answer's own.

    // Collects; flush() sends. False: the client has gone.
    void send(std::string_view piece);
    bool flush();
    std::size_t backlog_bytes() const;

    // The answer is complete. If the request's body is not, the connection ends with the answer.
    void finish();

    // The answer cannot be completed: the client must not take what it has for the whole.
    void cut();

    // An answer from here instead. REQUIRES: no head was written but interim ones.
    Answer answer(Status status);

  private:
    friend class Exchange;
    Relay(Connection* connection, std::uint32_t exchange)
        : connection_(connection), exchange_(exchange) {}
    void drop();
    RelaySession* session() const;
    RelaySession& wanted_session() const;

    ConnectionRef connection_{nullptr};
    std::uint32_t exchange_ = 0;
};

} // namespace anteroom::net
