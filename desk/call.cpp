#include "desk/call.h"

#include <vector>

#include "desk/desk.h"

namespace anteroom {

const Caller& Call::caller() {
    if (!caller_) caller_ = desk_->identify(request(), unix_now(), login_);
    return *caller_;
}

void Call::defer() {
    if (is_deferred()) return;
    if (!origin_) origin_ = desk_->allowed_origin(request());
    reply_ = exchange_->defer();
    request_ = nullptr;
    exchange_ = nullptr;
    parameters_ = {}; // They lie in the request.
}

std::string_view Call::origin() const {
    return origin_ ? std::string_view(*origin_) : desk_->allowed_origin(request());
}

net::Answer Call::begin(net::Status status) {
    net::Answer answer = reply_ ? reply_->answer(status) : exchange_->answer(status);
    answer.header("X-Request-ID", request_id_.view());
    const std::string_view reader = origin();
    if (reader.empty()) return answer;
    answer.header("Access-Control-Allow-Origin", reader);
    if (reader == "*") return answer;
    answer.header("Access-Control-Allow-Credentials", "true");
    answer.header("Vary", "Origin");
    return answer;
}

std::optional<net::EventStream> Call::stream(std::span<const net::Header> headers) {
    const std::string reader(origin());
    std::vector<net::Header> all{{"X-Request-ID", request_id_.view()}};
    all.insert(all.end(), headers.begin(), headers.end());
    if (!reader.empty()) all.push_back({"Access-Control-Allow-Origin", reader});
    if (!reader.empty() && reader != "*") {
        all.push_back({"Access-Control-Allow-Credentials", "true"});
        all.push_back({"Vary", "Origin"});
    }
    return reply_ ? reply_->stream(all) : exchange_->stream(all);
}

} // namespace anteroom
