// Connection: one client's socket, from accept to close. Internal to net/.
//
// Input runs through a RequestReader; one request at a time is answered, the next ones wait in
// order, so answers cannot overtake each other. Answers to requests that arrived together leave in
// one write. Slow readers get a bounded backlog. One timer per connection guards whatever phase it
// is in. Lives until it is closed and the last ConnectionRef is gone.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "net/exchange.h"
#include "net/job.h"
#include "net/limits.h"
#include "net/request_reader.h"
#include "net/socket.h"
#include "net/timer_wheel.h"
#include "net/tls.h"

namespace anteroom::net {

class Loop;
class RelaySession;
class ServerCore;

class Connection final : private Socket::Owner, private RequestReader::Chooser {
  public:
    // Takes the descriptor. turned_away: gets a 503 and nothing else.
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

    // The rest is for the handles in exchange.h and relay.h. A handle of an earlier request has
    // another exchange number.
    std::uint32_t exchange() const { return exchange_; }
    bool is_answering() const { return answering_; }
    std::size_t backlog_bytes() const { return socket_.backlog_bytes(); }

    // Answers (connection_output.cpp).
    Answer begin_answer(Status status);
    Output& begin_output();
    void finish_answer();
    bool keeps_alive() const { return keep_alive_; } // After the current request.
    void close_after_answer() { keep_alive_ = false; }
    bool is_http10() const { return http10_; }
    bool is_head() const { return is_head_; }

    // A Reply.
    void defer() { phase_ = Phase::deferred; }
    bool is_deferred(std::uint32_t exchange) const {
        return phase_ == Phase::deferred && exchange_ == exchange;
    }

    // An EventStream (connection_output.cpp).
    std::optional<EventStream> begin_stream(std::span<const Header> headers);
    bool is_streaming() const { return phase_ == Phase::streaming && !closing_; }
    bool send_frame(const Frame& frame);
    void end_stream();
    void on_stream_close(Job job) { on_stream_close_ = std::move(job); }

    // A Relay. Null: the client has gone, or the relay of that exchange has ended.
    void begin_relay(RelayOwner& owner);
    RelaySession* relay(std::uint32_t exchange) const {
        return exchange_ == exchange ? relay_.get() : nullptr;
    }

  private:
    friend class RelaySession;

    enum class Phase : std::uint8_t {
        handshaking, // TLS
        reading,     // Between requests, or in the middle of one
        deferred,    // The handler has a Reply
        flushing,    // The client must read first
        streaming,
        relaying,  // relay_ is not null
        lingering, // The last answer is written; reads on, so that the client can receive it
        closed,
    };

    Connection(ServerCore& core, const IpAddress& peer);
    ~Connection();

    // Input (connection.cpp)
    void link();
    void unlink();
    void on_bytes(std::string_view wire) override;
    void on_plain(std::string_view plain);
    void on_end() override;
    void on_broken(int) override { close(); }
    void pump(std::string_view fresh);
    bool pump_one(std::string_view& fresh);
    bool streams_body(Request& head) override;
    void introduce(Request& request) const;
    void dispatch(Request& request);
    void refuse(const Refusal& refusal);
    void turn_away();
    void resume_soon();
    void finish_relay();

    // Deadlines (connection.cpp)
    void watch();
    Instant reading_due();
    void on_deadline();

    // Output (connection_output.cpp)
    void cork();
    void uncork();
    bool is_corked() const;
    void end_output();
    void transmit(std::string_view bytes, const Frame& frame);
    void put(std::string_view bytes, const Frame& frame);
    void send_cipher();
    void on_drained() override;
    void settle();
    void linger();
    void write_stream_head(Output& output, std::span<const Header> headers);

    Loop& loop_;
    Socket socket_;
    ServerCore* core_; // Null once closed.
    Connection* prev_ = nullptr;
    Connection* next_ = nullptr;
    Timer timer_;
    RequestReader reader_;
    std::unique_ptr<TlsSession> tls_;
    std::unique_ptr<RelaySession> relay_;
    Job on_stream_close_;
    IpAddress peer_;
    Instant since_{};               // When the reader's phase began.
    std::size_t stalled_bytes_ = 0; // Backlog when timer_ was set; unchanged at the end: stalled.
    std::size_t discarded_bytes_ = 0;
    std::uint32_t references_ = 1; // One is the open socket's own.
    std::uint32_t exchange_ = 0;   // Counts requests, so that an old Reply is recognised.
    Phase phase_ = Phase::reading;
    RequestReader::Phase reader_phase_ = RequestReader::Phase::idle;
    bool peer_is_trusted_ = false;
    bool turned_away_ = false;
    bool served_ = false;      // At least one request was answered.
    bool closing_ = false;     // Closes when the output has left.
    bool half_closed_ = false; // The client sends no more.
    bool resume_scheduled_ = false;
    bool answering_ = false; // The request is handled and not answered yet.
    bool keep_alive_ = true; // Of the current request, like the next two.
    bool http10_ = false;
    bool is_head_ = false;
    bool is_stream_ = false;
};

} // namespace anteroom::net
