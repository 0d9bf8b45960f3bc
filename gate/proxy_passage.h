// Passage: one request on its way through the Proxy. Internal to gate/.
//
// Stands between a client (net::Relay) and an origin (net::Upstream), each of which calls it from
// the loop. Reused for the next request when it is over, so that a request does not allocate.
#pragma once

#include <memory>
#include <string>

#include "gate/proxy.h"
#include "net/relay.h"
#include "net/response_stream.h"
#include "net/upstream.h"

namespace anteroom::gate {

class Passage final : private net::RelayOwner, private net::Upstream::Owner {
  public:
    explicit Passage(Proxy& proxy) : proxy_(proxy) {}
    Passage(const Passage&) = delete;
    Passage& operator=(const Passage&) = delete;
    ~Passage() = default;

    void start(const net::Request& request, net::Exchange& exchange, const ForwardPlan& plan);

  private:
    // The request.
    void write_head(const net::Request& request, const ForwardPlan& plan);
    void attempt();
    void send_head();
    void on_body(std::string_view piece) override;
    void on_body_end() override;
    void note_body_sent();
    Millis patience() const;
    void on_gone() override;

    // The answer.
    void on_upstream_open(net::Upstream& upstream) override;
    void on_upstream_bytes(net::Upstream& upstream, std::string_view bytes) override;
    void on_upstream_drained(net::Upstream& upstream) override;
    void on_upstream_end(net::Upstream& upstream, bool cleanly) override;
    void on_upstream_failed(net::Upstream& upstream, net::UpstreamFault fault) override;
    void on_writable() override;
    void pass_interim(const net::ResponseHead& head);
    void pass_head(const net::ResponseHead& head);
    void pass_upgrade(const net::ResponseHead& head);
    void pass_on();
    void complete(bool nothing_left);

    // The end.
    struct Verdict {
        net::Status status;
        std::string_view reason;
        bool nothing_was_sent = false;
        bool may_repeat = true;
        bool blames_origin = true;
    };
    void on_late(net::Upstream& upstream);
    void fail(const Verdict& verdict);
    void try_again(Origin& origin);
    void give_up(const Verdict& verdict);
    void leave_origin();
    void over();

    Proxy& proxy_;
    net::Relay relay_;
    Origin* origin_ = nullptr;
    std::unique_ptr<net::Upstream> upstream_;
    net::ResponseStream stream_;
    net::Output head_; // For the origin, and the body if it came whole.
    std::string request_id_;
    std::size_t line_bytes_ = 0; // Of the first line in head_.
    std::uint32_t note_ = 0;
    unsigned origins_left_ = 0;   // How many other origins may be tried.
    unsigned addresses_left_ = 0; // How many other addresses of origin_.
    bool stale_left_ = false;     // A dead kept connection may still be replaced.
    bool origin_host_ = false;
    bool is_idempotent_ = false;
    bool is_head_ = false;
    bool upgrades_ = false;
    bool is_tunnel_ = false;
    bool answer_waits_ = false; // For the client.
    bool waits_long_ = false;   // A tunnel, or an event stream.
    bool body_streams_ = false;
    bool body_is_chunked_ = false;
    bool body_consumed_ = false;
    bool body_done_ = false;
};

} // namespace anteroom::gate
