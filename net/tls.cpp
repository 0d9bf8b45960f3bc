// What TLS connections share: the certificate of a server, the authorities and sessions of a
// client.
#include "net/tls.h"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <array>

#include "base/check.h"
#include "net/ip_address.h"

namespace anteroom::net {

namespace {

using Context = std::shared_ptr<ssl_ctx_st>;

constexpr std::array<unsigned char, 9> http11 = {8, 'h', 't', 't', 'p', '/', '1', '.', '1'};

std::string reason_of_openssl() {
    const char* reason = ERR_reason_error_string(ERR_peek_last_error());
    std::string text = reason ? reason : "unknown error";
    ERR_clear_error();
    return text;
}

Context new_context(const SSL_METHOD* method) {
    ERR_clear_error();
    Context context(SSL_CTX_new(method), &SSL_CTX_free);
    CHECK(context);
    CHECK(SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION) == 1);
    CHECK(SSL_CTX_set_cipher_list(context.get(), "ECDHE+AESGCM:ECDHE+CHACHA20") == 1);
    SSL_CTX_set_options(context.get(), SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
    // An idle session gives its record buffers back.
    SSL_CTX_set_mode(context.get(), SSL_MODE_RELEASE_BUFFERS);
    return context;
}

int select_protocol(SSL*, const unsigned char** chosen, unsigned char* chosen_bytes,
                    const unsigned char* offered, unsigned offered_bytes, void*) {
    unsigned char* selected = nullptr;
    const int result = SSL_select_next_proto(&selected, chosen_bytes, http11.data(), http11.size(),
                                             offered, offered_bytes);
    *chosen = selected;
    return result == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_ALERT_FATAL;
}

Result<Context> server_context(const TlsFiles& files) {
    Context context = new_context(TLS_server_method());
    SSL_CTX* raw = context.get();
    if (SSL_CTX_use_certificate_chain_file(raw, files.certificate.c_str()) != 1) {
        return Fault{"cannot load certificate " + files.certificate + ": " + reason_of_openssl()};
    }
    if (SSL_CTX_use_PrivateKey_file(raw, files.key.c_str(), SSL_FILETYPE_PEM) != 1) {
        return Fault{"cannot load key " + files.key + ": " + reason_of_openssl()};
    }
    if (SSL_CTX_check_private_key(raw) != 1) {
        return Fault{"key " + files.key + " does not fit certificate " + files.certificate};
    }
    // Sessions live in the clients' tickets: no table here, and every loop can resume them.
    SSL_CTX_set_session_cache_mode(raw, SSL_SESS_CACHE_OFF);
    const unsigned char purpose[] = "anteroom";
    CHECK(SSL_CTX_set_session_id_context(raw, purpose, sizeof purpose - 1) == 1);
    SSL_CTX_set_alpn_select_cb(raw, &select_protocol, nullptr);
    return context;
}

} // namespace

Result<std::shared_ptr<TlsServer>> TlsServer::load(TlsFiles files) {
    std::shared_ptr<TlsServer> server(new TlsServer(std::move(files)));
    if (auto loaded = server->reload(); !loaded) return loaded.fault();
    return server;
}

Result<void> TlsServer::reload() {
    Result<Context> fresh = server_context(files_);
    if (!fresh) return fresh.fault();
    const std::lock_guard lock(mutex_);
    context_ = *fresh;
    return {};
}

std::unique_ptr<TlsSession> TlsServer::accept() {
    Context context;
    {
        const std::lock_guard lock(mutex_);
        context = context_;
    }
    std::unique_ptr<TlsSession> session(new TlsSession(context.get()));
    SSL_set_accept_state(session->ssl_);
    return session;
}

Result<std::shared_ptr<TlsClient>> TlsClient::load(const std::string& authorities) {
    std::shared_ptr<TlsClient> client(new TlsClient);
    client->context_ = new_context(TLS_client_method());
    SSL_CTX* raw = client->context_.get();
    const bool loaded = authorities.empty()
                            ? SSL_CTX_set_default_verify_paths(raw) == 1
                            : SSL_CTX_load_verify_file(raw, authorities.c_str()) == 1;
    if (!loaded)
        return Fault{"cannot load authorities " + authorities + ": " + reason_of_openssl()};
    SSL_CTX_set_verify(raw, SSL_VERIFY_PEER, nullptr);
    CHECK(SSL_CTX_set_alpn_protos(raw, http11.data(), http11.size()) == 0);
    SSL_CTX_set_session_cache_mode(raw, SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
    SSL_CTX_sess_set_new_cb(raw, [](SSL* ssl, SSL_SESSION* session) {
        const auto& connection = *static_cast<TlsSession*>(SSL_get_app_data(ssl));
        connection.resumption_->remember(
            connection.host_, std::shared_ptr<ssl_session_st>(session, &SSL_SESSION_free));
        return 1; // The session is ours now.
    });
    return client;
}

std::unique_ptr<TlsSession> TlsClient::connect(const std::string& host) {
    std::unique_ptr<TlsSession> session(new TlsSession(context_.get()));
    session->resumption_ = this;
    session->host_ = host;
    SSL* ssl = session->ssl_;
    SSL_set_connect_state(ssl);
    if (parse_ip(host)) {
        CHECK(X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), host.c_str()) == 1);
    } else {
        SSL_set_hostflags(ssl, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
        CHECK(SSL_set1_host(ssl, host.c_str()) == 1);
        // SSL_set_tlsext_host_name without its old-style cast.
        CHECK(SSL_ctrl(ssl, SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name,
                       const_cast<char*>(host.c_str())) == 1);
    }
    const std::lock_guard lock(mutex_);
    const auto known = sessions_.find(host);
    if (known != sessions_.end()) SSL_set_session(ssl, known->second.get());
    return session;
}

void TlsClient::remember(const std::string& host, std::shared_ptr<ssl_session_st> session) {
    constexpr std::size_t sessions_max = 64;
    const std::lock_guard lock(mutex_);
    if (sessions_.size() >= sessions_max && !sessions_.contains(host)) return;
    sessions_[host] = std::move(session);
}

} // namespace anteroom::net
