#include "net/response_reader.h"

#include <algorithm>

#include "net/http_parser.h"
#include "net/limits.h"
#include "net/scan.h"
#include "net/text.h"

namespace anteroom::net {

namespace {

constexpr std::size_t head_bytes_max = 16 * 1024;
constexpr unsigned interim_max = 8;

} // namespace

const std::string* ClientResponse::header(std::string_view lower_name) const {
    const auto found = std::find_if(headers.begin(), headers.end(),
                                    [&](const Field& field) { return field.name == lower_name; });
    return found == headers.end() ? nullptr : &found->value;
}

ResponseReader::Step ResponseReader::fail(std::string_view reason) {
    if (fault_.empty()) fault_ = reason;
    return Step::failed;
}

ResponseReader::Step ResponseReader::feed(std::string_view bytes) {
    if (!fault_.empty()) return Step::failed;
    if (!bytes.empty()) begun_ = true;
    rest_.append(bytes);
    if (done_) return Step::done;
    while (!head_done_) {
        const Step step = read_head();
        if (step != Step::done) return step;
    }
    return read_body();
}

ResponseReader::Step ResponseReader::end(bool cleanly) {
    if (!fault_.empty()) return Step::failed;
    if (done_) return Step::done;
    keep_alive_ = false;
    const bool by_end = head_done_ && framing_ == Framing::until_end;
    if (!by_end)
        return fail(begun_ ? "response was cut off" : "connection closed before a response");
    if (!cleanly) return fail("response was cut off");
    done_ = true;
    return Step::done;
}

// done: one head was read, which may have been an interim one.
ResponseReader::Step ResponseReader::read_head() {
    const HeadEnd end = find_head_end(rest_, scanned_, head_bytes_max);
    if (end.refusal) return fail("malformed or oversized response head");
    if (end.head_bytes == 0) {
        scanned_ = rest_.size();
        return Step::more;
    }
    scanned_ = 0;
    if (!parse_head(std::string_view(rest_).substr(0, end.head_bytes))) {
        return fail("malformed response head");
    }
    rest_.erase(0, end.head_bytes);
    const bool interim = response_.status < 200;
    if (!interim) return begin_body();
    if (response_.status == 101 || ++interim_ > interim_max) return fail("unexpected 1xx response");
    response_ = ClientResponse();
    return Step::done;
}

bool ResponseReader::parse_head(std::string_view head) {
    keep_alive_ = true;
    has_length_ = has_encoding_ = false;
    const std::size_t end = head.find("\r\n");
    if (!parse_status_line(head.substr(0, end))) return false;
    head.remove_prefix(end + 2);
    while (!head.starts_with("\r\n")) {
        if (response_.headers.size() == limits::headers_max) return false;
        Header header;
        if (!take_header(head, header)) return false;
        std::string name(header.name);
        std::transform(name.begin(), name.end(), name.begin(), to_lower);
        if (!note_header(name, header.value)) return false;
        response_.headers.push_back({std::move(name), std::string(header.value)});
    }
    return !(has_length_ && has_encoding_);
}

// "HTTP/1.1 200 OK"; the phrase may be missing.
bool ResponseReader::parse_status_line(std::string_view line) {
    constexpr std::string_view pattern = "HTTP/1.1 200";
    if (line.size() < pattern.size() || !line.starts_with("HTTP/1.") || line[8] != ' ')
        return false;
    if (line[7] != '0' && line[7] != '1') return false;
    is_http10_ = line[7] == '0';
    if (is_http10_) keep_alive_ = false;
    if (line[9] < '1' || line[9] > '5' || !is_digit(line[10]) || !is_digit(line[11])) return false;
    response_.status =
        static_cast<unsigned>((line[9] - '0') * 100 + (line[10] - '0') * 10 + (line[11] - '0'));
    const std::string_view rest = line.substr(pattern.size());
    return rest.empty() || (rest.front() == ' ' && all(rest, in_value));
}

bool ResponseReader::note_header(std::string_view name, std::string_view value) {
    if (name == "content-length") {
        if (has_length_) return false;
        has_length_ = true;
        return parse_content_length(value, content_length_);
    }
    if (name == "transfer-encoding") {
        if (has_encoding_ || is_http10_) return false; // RFC 9112, 6.1.
        has_encoding_ = true;
        return equals_lower(value, "chunked");
    }
    if (name == "connection") {
        for_each_element(value, [&](std::string_view option) {
            if (equals_lower(option, "close")) keep_alive_ = false;
        });
    }
    return true;
}

// RFC 9112, 6.3, in its order.
ResponseReader::Step ResponseReader::begin_body() {
    head_done_ = true;
    if (no_body_ || response_.status == 204 || response_.status == 304) {
        framing_ = Framing::none;
    } else if (has_encoding_) {
        framing_ = Framing::chunked;
        chunks_ = std::make_unique<ChunkDecoder>(body_bytes_max_, ChunkDecoder::Trailers::drop);
    } else if (has_length_) {
        framing_ = Framing::sized;
        if (content_length_ > body_bytes_max_) return fail("response too large");
    } else {
        framing_ = Framing::until_end;
        keep_alive_ = false;
    }
    return Step::done;
}

ResponseReader::Step ResponseReader::read_body() {
    std::string& body = response_.body;
    switch (framing_) {
        case Framing::none: done_ = true; return Step::done;
        case Framing::until_end:
            if (rest_.size() > body_bytes_max_ - body.size()) return fail("response too large");
            body.append(rest_);
            rest_.clear();
            return Step::more;
        case Framing::sized: {
            const std::size_t take =
                std::min<std::size_t>(rest_.size(), content_length_ - body.size());
            body.append(rest_, 0, take);
            rest_.erase(0, take);
            done_ = body.size() == content_length_;
            return done_ ? Step::done : Step::more;
        }
        case Framing::chunked: break;
    }
    const std::size_t before = body.size();
    body.resize(before + rest_.size());
    const auto progress = chunks_->decode(rest_, body.data() + before);
    body.resize(before + progress.produced);
    rest_.erase(0, progress.consumed);
    switch (chunks_->verdict()) {
        case ChunkDecoder::Verdict::more: return Step::more;
        case ChunkDecoder::Verdict::done: done_ = true; return Step::done;
        case ChunkDecoder::Verdict::too_large: return fail("response too large");
        case ChunkDecoder::Verdict::malformed: break;
    }
    return fail("malformed chunk in the response");
}

} // namespace anteroom::net
