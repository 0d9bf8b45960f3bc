// Connection: one client's socket, from accept to close. Internal to net/.
//
// Input runs through a RequestReader; one request at a time is answered, the next ones wait in
// order, so answers cannot overtake each other. Answers to requests that arrived together leave in
// one write. Slow readers get a bounded backlog. One timer per connection guards whatever phase it
// is in. Lives until it is closed and nobody refers to it any more.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "net/exchange.h"
#include "net/job.h"
#include "net/limits.h"
#include "net/relay.h"
#include "net/request_reader.h"
#include "net/socket.h"
#include "net/timer_wheel.h"
#include "net/tls.h"

namespace anteroom::net {

class Loop;
class ServerCore;

class Connection final : private Socket::Owner, private RequestReader::Chooser {
  public:
    // Takes the descriptor. turned_away: hears a 503 and nothing else.
    static void open(ServerCore& core, int descriptor, const IpAddress& peer, bool turned_away);

    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;

    void retain() { ++references_; }
    void release();
    Loop& loop() { return loop_; }

    // The server is going down: closes now if idle, else after the answer. farewell ends a stream.
    void drain(const Frame& farewell);
    void close();
    Connection* next() const { return next_; }

  private:
    friend class Answer;
    friend class Reply;
    friend class EventStream;
    friend class Exchange;
    friend class Relay;
    friend class OwnerAside;

    enum class Phase : std::uint8_t {
        handshaking, // TLS
        reading,     // Between requests, or in the middle of one
        deferred,    // A Reply is out
        flushing,    // The client must read first
        streaming,
        relaying,  // A Relay is out
        lingering, // The last word is said; reads on, so that the client can hear it
        closed,
    };

    Connection(ServerCore& core, const IpAddress& peer);
    ~Connection() = default;

    // Input (connection.cpp)
    void link();
    void unlink();
    void on_bytes(std::string_view wire) override;
    void on_plain(std::string_view plain);
    void on_end() override;
    void on_broken() override { close(); }
    void pump(std::string_view fresh);
    bool pump_one(std::string_view& fresh);
    bool streams_body(Request& head) override;
    void introduce(Request& request) const;
    void dispatch(Request& request);
    void refuse(const Refusal& refusal);
    void turn_away();
    void resume_soon();

    // Deadlines (connection.cpp)
    void watch();
    Instant reading_due();
    void on_deadline();

    // Output (connection_output.cpp)
    void cork();
    void uncork();
    bool is_corked() const;
    Output& begin_output();
    void end_output();
    Answer begin_answer(Status status);
    void finish_answer();
    void transmit(std::string_view bytes, const Frame& frame);
    void put(std::string_view bytes, const Frame& frame);
    void send_cipher();
    void on_drained() override;
    void settle();
    void linger();
    std::size_t backlog() const { return socket_.backlog_bytes(); }

    // Relays (connection_relay.cpp)
    enum class RelayFraming : std::uint8_t {
        unsaid,
        bodiless,
        sized,
        chunked,
        until_close,
        tunnel
    };
    Relay begin_relay(RelayOwner& owner);
    void relay_input(std::string_view fresh);
    void relay_body(std::string_view& fresh);
    void relay_tunnel(std::string_view& fresh);
    void end_relay_input();
    void refuse_relay(const Refusal& refusal);
    void watch_relay();
    void check_relay();
    Output& relay_output();
    void flush_relay();
    void finish_relay();

    // Streams (connection_output.cpp)
    std::optional<EventStream> begin_stream(std::span<const Header> headers);
    void write_stream_head(Output& output, std::span<const Header> headers);
    bool send_frame(const Frame& frame);
    void end_stream();

    Loop& loop_;
    Socket socket_;
    ServerCore* core_; // Null once closed.
    Connection* prev_ = nullptr;
    Connection* next_ = nullptr;
    Timer timer_;
    RequestReader reader_;
    std::unique_ptr<TlsSession> tls_;
    Job on_stream_close_;
    RelayOwner* relay_owner_ = nullptr; // Null: nobody is to be told.
    std::uint64_t relay_left_ = 0;      // Of an answer whose length is known.
    Instant relay_paused_at_{};
    Instant half_closed_at_{};
    Instant stalled_since_{};
    IpAddress peer_;
    Instant since_{};               // When the reader's phase began.
    std::size_t stalled_bytes_ = 0; // Backlog when its timer was set: has it moved since?
    std::size_t discarded_bytes_ = 0;
    std::uint32_t references_ = 1; // One is the open socket's own.
    std::uint32_t exchange_ = 0;   // Counts requests: an old Reply does not fit a new one.
    Phase phase_ = Phase::reading;
    RequestReader::Phase reader_phase_ = RequestReader::Phase::idle;
    bool peer_is_trusted_ = false;
    bool turned_away_ = false;
    bool served_ = false;      // At least one request was answered.
    bool closing_ = false;     // After what is on its way.
    bool half_closed_ = false; // The client sends no more.
    bool resume_scheduled_ = false;
    bool answering_ = false; // The request is handled and not answered yet.
    bool keep_alive_ = true; // Of the current request, and so on.
    bool http10_ = false;
    bool is_head_ = false;
    bool is_stream_ = false;
    RelayFraming relay_framing_ = RelayFraming::unsaid;
    bool relay_has_begun_ = false; // An interim head counts.
    bool relay_paused_ = false;
    bool relay_output_open_ = false;
    bool relay_awaits_continue_ = false; // The client sends the body when it is told to.
};

} // namespace anteroom::net
