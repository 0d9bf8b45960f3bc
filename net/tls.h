// TLS by OpenSSL without its I/O: ciphertext in, plaintext out, and the other way round.
//
// TlsServer and TlsClient hold what connections share (certificates, resumption); a TlsSession is
// one connection's state. TLS 1.2 and later, ALPN http/1.1, no renegotiation.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "net/loop_buffers.h"

struct ssl_ctx_st;
struct ssl_session_st;
struct ssl_st;

namespace anteroom::net {

class TlsClient;

class TlsSession {
  public:
    enum class State : std::uint8_t { handshaking, open, closed, failed };

    ~TlsSession();
    TlsSession(const TlsSession&) = delete;
    TlsSession& operator=(const TlsSession&) = delete;

    // Decrypts what it can of wire, which loses what was taken, into plain. Returns the plaintext;
    // call again until it is empty. What must be sent to the peer is appended to output.
    std::string_view receive(std::string_view& wire, std::span<char> plain, Output& output);

    // Encrypts plain, appending to output. False: the session is broken.
    bool send(std::string_view plain, Output& output);

    // A client speaks first.
    void start(Output& output);

    // Sends close_notify, so that the peer knows that nothing was cut off.
    void close(Output& output);

    State state() const { return state_; }
    bool resumed_testing() const;
    std::string fault() const { return fault_; }

  private:
    friend class TlsServer;
    friend class TlsClient;
    friend struct TlsPipe;
    explicit TlsSession(ssl_ctx_st* context);
    void note(int result);

    ssl_st* ssl_ = nullptr;
    std::string_view* incoming_ = nullptr; // Set while OpenSSL may read or write.
    Output* outgoing_ = nullptr;
    TlsClient* resumption_ = nullptr; // Of a client: remembers the session,
    std::string host_;                // for this host.
    State state_ = State::handshaking;
    std::string fault_;
};

struct TlsFiles {
    std::string certificate; // PEM, the chain, leaf first.
    std::string key;         // PEM.
};

// Shared by all loops. reload() may be called on any thread: connections that exist keep the old
// certificate, new ones get the new one; files that do not fit change nothing.
class TlsServer {
  public:
    static Result<std::shared_ptr<TlsServer>> load(TlsFiles files);
    Result<void> reload();
    std::unique_ptr<TlsSession> accept();

  private:
    explicit TlsServer(TlsFiles files) : files_(std::move(files)) {}
    TlsFiles files_;
    std::mutex mutex_;
    std::shared_ptr<ssl_ctx_st> context_; // Guarded by mutex_.
};

class TlsClient {
  public:
    // authorities: a PEM file of the authorities to trust; empty: those of the system.
    static Result<std::shared_ptr<TlsClient>> load(const std::string& authorities);

    // Verifies the peer's certificate against host (a name or an address). Resumes the last session
    // with that host if it can. REQUIRES: the TlsClient outlives its sessions.
    std::unique_ptr<TlsSession> connect(const std::string& host);

    // For OpenSSL's callback: takes a session that can be resumed later.
    void remember(const std::string& host, std::shared_ptr<ssl_session_st> session);

  private:
    TlsClient() = default;
    std::shared_ptr<ssl_ctx_st> context_;
    std::mutex mutex_;
    std::map<std::string, std::shared_ptr<ssl_session_st>> sessions_; // Guarded by mutex_.
};

} // namespace anteroom::net
