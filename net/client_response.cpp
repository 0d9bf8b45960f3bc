#include "net/client_response.h"

#include <algorithm>

#include "net/text.h"

namespace anteroom::net {

const std::string* ClientResponse::header(std::string_view lower_name) const {
    const auto found = std::find_if(headers.begin(), headers.end(),
                                    [&](const Field& field) { return field.name == lower_name; });
    return found == headers.end() ? nullptr : &found->value;
}

ResponseCollector::ResponseCollector(std::size_t body_bytes_max, bool to_head)
    : body_bytes_max_(body_bytes_max), to_head_(to_head) {
    stream_.begin(to_head, false);
}

ResponseCollector::Step ResponseCollector::feed(std::string_view& bytes, ResponseHead& head,
                                                std::span<char> space) {
    constexpr std::string_view too_large = "response too large";
    while (fault_.empty()) {
        std::string_view piece;
        switch (stream_.next(bytes, head, space, piece)) {
            case ResponseStream::Step::more: return Step::more;
            case ResponseStream::Step::interim: break;
            case ResponseStream::Step::head:
                if (!take_head(head)) fault_ = too_large;
                break;
            case ResponseStream::Step::body:
                if (piece.size() > body_bytes_max_ - response_.body.size()) {
                    fault_ = too_large;
                } else {
                    response_.body.append(piece);
                }
                break;
            case ResponseStream::Step::end: return Step::done;
            case ResponseStream::Step::upgrade: // Does not come: begin() asked for none.
            case ResponseStream::Step::failed: return Step::failed;
        }
    }
    return Step::failed;
}

// False: the body that the head announces is too large.
bool ResponseCollector::take_head(const ResponseHead& head) {
    response_.status = head.status;
    for (const Header& header : head.headers()) {
        std::string name(header.name);
        std::transform(name.begin(), name.end(), name.begin(), to_lower);
        response_.headers.push_back({std::move(name), std::string(header.value)});
    }
    const bool is_bodiless = to_head_ || head.status == 204 || head.status == 304;
    return is_bodiless || head.length.value_or(0) <= body_bytes_max_;
}

ResponseCollector::Step ResponseCollector::finish(bool cleanly) {
    if (!fault_.empty()) return Step::failed;
    return stream_.finish(cleanly) == ResponseStream::Step::end ? Step::done : Step::failed;
}

} // namespace anteroom::net
