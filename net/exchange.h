// What a handler of requests sees: it gets a Request and an Exchange, and then does one of four
// things before it returns:
//   exchange.answer(…)  answers at once, formatting straight into the connection's output;
//   exchange.defer()    takes a Reply, to answer later on the same loop;
//   exchange.stream()   turns the connection into an EventStream;
//   exchange.relay(…)   passes body and answer on piece by piece (relay.h).
//
// Reply and EventStream outlive the client and the server without harm: what they send then goes
// nowhere. They may be moved through other threads, but are used and destroyed on their loop's.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "net/frame.h"
#include "net/header_check.h"
#include "net/http_parser.h"
#include "net/job.h"
#include "net/loop_buffers.h"
#include "net/request.h"
#include "net/status.h"

namespace anteroom::net {

class Connection;
class EventStream;
class Relay;
class RelayOwner;

// Keeps the connection's memory, not the connection, alive.
class ConnectionRef {
  public:
    explicit ConnectionRef(Connection* connection); // Null: empty handle.
    ConnectionRef(ConnectionRef&& other) noexcept;
    ConnectionRef& operator=(ConnectionRef&& other) noexcept;
    ~ConnectionRef();
    Connection* operator->() const { return connection_; }
    Connection& operator*() const { return *connection_; }
    explicit operator bool() const { return connection_ != nullptr; }

  private:
    Connection* connection_;
};

// One answer being written: headers first, then the body, then send() (or the end of its life).
//
//   Answer answer = exchange.answer(Status::ok);
//   answer.headers("Content-Type: application/json\r\n");
//   answer.header("X-Request-ID", id);
//   fmt::format_to(fmt::appender(answer.body()), R"({{"ahead":{}}})", ahead);
//
// Content-Length, Date and Connection are written here; for HEAD, 204 and 304 the body is left out.
// A value that would break out of its line turns the whole answer into a 500. Of the answers to
// one request only one may be open at a time.
class Answer {
  public:
    // Movable so that a handler's own helper can begin an answer; the one moved from sends nothing.
    Answer(Answer&& other) noexcept
        : connection_(std::move(other.connection_)),
          output_(other.output_),
          begin_(other.begin_),
          length_at_(other.length_at_),
          status_(other.status_),
          wanted_(other.wanted_),
          poisoned_(other.poisoned_),
          sent_(std::exchange(other.sent_, true)) {}
    Answer& operator=(Answer&&) = delete;
    ~Answer() { send(); }

    // REQUIRES: before body().
    Answer& headers(HeaderLines lines);
    Answer& header(HeaderName name, std::string_view value);
    Answer& header(HeaderName name, std::uint64_t value);

    // The connection is closed after this answer. REQUIRES: before body().
    Answer& close();

    Output& body();
    void send();

  private:
    friend class Connection;
    friend class Relay;
    friend class Reply;
    Answer(Connection& connection, Output& output, Status status, bool wanted);
    void begin(Status status);
    void finish();
    bool may_have_body() const;

    ConnectionRef connection_;
    Output& output_;
    std::size_t begin_;         // Of this answer in the output: others may stand before it.
    std::size_t length_at_ = 0; // Where Content-Length is filled in; 0: no body() yet.
    Status status_;
    bool wanted_; // False: the client has gone, so send() discards the answer.
    bool poisoned_ = false;
    bool sent_ = false;
};

class Reply {
  public:
    Reply(Reply&&) noexcept = default;
    Reply& operator=(Reply&& other) noexcept;
    ~Reply(); // Without an answer: 500, so that the client does not wait for ever.

    // False: the client has gone, or waited for too long. Answering is still allowed.
    bool wanted() const;

    // REQUIRES: one of the two, once.
    Answer answer(Status status);
    std::optional<EventStream> stream(std::span<const Header> headers = {});

  private:
    friend class Exchange;
    Reply(Connection* connection, std::uint32_t exchange)
        : connection_(connection), exchange_(exchange) {}
    void drop();

    ConnectionRef connection_;
    std::uint32_t exchange_;
};

class EventStream {
  public:
    EventStream(EventStream&&) noexcept = default;
    EventStream& operator=(EventStream&& other) noexcept;
    ~EventStream(); // Closes the stream.

    // False: the client has gone, or was cut because it reads too slowly.
    bool send(const Frame& frame);
    bool alive() const;
    std::size_t backlog_bytes() const;

    // Called once, from the loop and never inside send(), when the client is gone. Not called after
    // the EventStream itself was destroyed.
    void on_close(Job job);

    // Ends the stream when everything sent so far is on its way.
    void close();

  private:
    friend class Connection;
    explicit EventStream(Connection* connection) : connection_(connection) {}
    ConnectionRef connection_;
};

class Exchange {
  public:
    Answer answer(Status status);
    void answer(Status status, std::string_view content_type, std::string_view body);
    Reply defer();

    // Empty: there are too many streams (503), a header that would break out of its line (500), or
    // HEAD, which wants no body. The answer has been sent then.
    std::optional<EventStream> stream(std::span<const Header> headers = {});

    Relay relay(RelayOwner& owner);

  private:
    friend class Connection;
    explicit Exchange(Connection& connection) : connection_(connection) {}
    Connection& connection_;
};

class Handler {
  public:
    Handler() = default;
    Handler(const Handler&) = delete;
    Handler& operator=(const Handler&) = delete;
    virtual ~Handler() = default;

    // Returning without having used the exchange answers 500.
    virtual void handle(const Request& request, Exchange& exchange) = 0;

    // Asked at the end of a head whose body is still coming: true calls handle() at once, with
    // request.body_streams, and the body comes through a Relay. If handle() then does something
    // else, the connection ends with its answer. False: handle() gets the body whole, or 413.
    virtual bool streams_body(const Request&) { return false; }

    // A request that broke a rule or a limit: writes the body of the refusal. Plain text by
    // default.
    virtual void refused(const Refusal& refusal, Answer& answer);
};

} // namespace anteroom::net
