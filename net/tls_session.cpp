// One TLS connection: OpenSSL's engine between two spans of memory.
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>

#include "base/check.h"
#include "net/tls.h"

namespace anteroom::net {

// OpenSSL's memory BIOs keep tens of kilobytes for every idle connection. This one keeps nothing:
// it reads from the loop's shared buffer and appends to the loop's shared output.
struct TlsPipe {
    static TlsSession& session(BIO* bio) { return *static_cast<TlsSession*>(BIO_get_data(bio)); }

    static int read(BIO* bio, char* into, std::size_t space, std::size_t* taken) {
        BIO_clear_retry_flags(bio);
        std::string_view* incoming = session(bio).incoming_;
        if (!incoming || incoming->empty()) {
            BIO_set_retry_read(bio);
            return 0;
        }
        *taken = incoming->copy(into, space);
        incoming->remove_prefix(*taken);
        return 1;
    }

    static int write(BIO* bio, const char* from, std::size_t count, std::size_t* taken) {
        BIO_clear_retry_flags(bio);
        Output* outgoing = session(bio).outgoing_;
        CHECK(outgoing);
        outgoing->append(from, from + count);
        *taken = count;
        return 1;
    }

    static long control(BIO*, int command, long, void*) {
        return command == BIO_CTRL_FLUSH ? 1 : 0;
    }

    static BIO_METHOD* method() {
        static BIO_METHOD* const shared = [] {
            BIO_METHOD* made = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "pipe");
            CHECK(made);
            CHECK(BIO_meth_set_read_ex(made, &TlsPipe::read) == 1);
            CHECK(BIO_meth_set_write_ex(made, &TlsPipe::write) == 1);
            CHECK(BIO_meth_set_ctrl(made, &TlsPipe::control) == 1);
            return made;
        }();
        return shared;
    }
};

TlsSession::TlsSession(ssl_ctx_st* context) : ssl_(SSL_new(context)) {
    CHECK(ssl_);
    BIO* bio = BIO_new(TlsPipe::method());
    CHECK(bio);
    BIO_set_data(bio, this);
    BIO_set_init(bio, 1);
    SSL_set_bio(ssl_, bio, bio);
    SSL_set_app_data(ssl_, this);
}

TlsSession::~TlsSession() {
    SSL_free(ssl_);
}

std::string_view TlsSession::receive(std::string_view& wire, std::span<char> plain,
                                     Output& output) {
    if (state_ == State::failed || state_ == State::closed) {
        wire = {};
        return {};
    }
    incoming_ = &wire;
    outgoing_ = &output;
    ERR_clear_error();
    int result = 1;
    if (state_ == State::handshaking) {
        result = SSL_do_handshake(ssl_);
        if (result == 1) state_ = State::open;
    }
    if (state_ == State::open) {
        result = SSL_read(ssl_, plain.data(), static_cast<int>(plain.size()));
    }
    incoming_ = nullptr;
    outgoing_ = nullptr;
    if (state_ == State::open && result > 0) {
        return {plain.data(), static_cast<std::size_t>(result)};
    }
    note(result);
    return {};
}

bool TlsSession::send(std::string_view plain, Output& output) {
    if (state_ != State::open) return false;
    outgoing_ = &output;
    ERR_clear_error();
    const int result =
        plain.empty() ? 1 : SSL_write(ssl_, plain.data(), static_cast<int>(plain.size()));
    outgoing_ = nullptr;
    if (result > 0) return true;
    note(result);
    return state_ == State::open;
}

void TlsSession::start(Output& output) {
    std::string_view nothing;
    incoming_ = &nothing;
    outgoing_ = &output;
    ERR_clear_error();
    const int result = SSL_do_handshake(ssl_);
    incoming_ = nullptr;
    outgoing_ = nullptr;
    if (result != 1) note(result);
}

void TlsSession::close(Output& output) {
    if (state_ != State::open) return;
    outgoing_ = &output;
    ERR_clear_error();
    SSL_shutdown(ssl_); // Our half; the peer's answer is not awaited.
    outgoing_ = nullptr;
}

void TlsSession::note(int result) {
    const int error = SSL_get_error(ssl_, result);
    if (error == SSL_ERROR_WANT_READ || error == SSL_ERROR_WANT_WRITE) return;
    if (error == SSL_ERROR_ZERO_RETURN) {
        state_ = State::closed;
        return;
    }
    state_ = State::failed;
    const long verified = SSL_get_verify_result(ssl_);
    const char* reason = ERR_reason_error_string(ERR_peek_last_error());
    if (verified != X509_V_OK) reason = X509_verify_cert_error_string(verified);
    fault_ = reason ? reason : "broken TLS";
    ERR_clear_error();
}

bool TlsSession::resumed_testing() const {
    return SSL_session_reused(ssl_) == 1;
}

} // namespace anteroom::net
