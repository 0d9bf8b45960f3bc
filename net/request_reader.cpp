#include "net/request_reader.h"

#include <utility>

#include "base/check.h"

namespace anteroom::net {

RequestReader::Step RequestReader::next(std::string_view& fresh, const Limits& limits,
                                        Request& request) {
    CHECK(handed_bytes_ == 0);
    if (refusal_) return Step::refused;
    const bool in_place = !has_kept();
    if (!in_place && !fresh.empty()) keep(std::exchange(fresh, {}));
    const std::string_view bytes = in_place ? fresh : kept();
    if (bytes.empty()) return Step::more;

    Step step = Step::ready;
    const bool head_was_complete = head_bytes_ != 0;
    if (!head_was_complete) step = read_head(bytes, limits, request);
    if (step == Step::ready && !chunks_) {
        // The views of an earlier parse pointed into bytes that have moved since.
        if (head_was_complete && bytes.size() >= total_bytes_) {
            const Refusal again = parse_request_head(bytes.substr(0, head_bytes_), limits, request);
            CHECK(!again);
        }
        step = read_sized_body(bytes, request);
    }
    if (in_place && step == Step::ready && !chunks_) {
        handed_from_kept_ = false;
        fresh.remove_prefix(handed_bytes_);
        return step;
    }
    if (step == Step::refused) {
        fresh = {};
        return step;
    }
    if (in_place) keep(std::exchange(fresh, {}));
    if (step == Step::ready && chunks_) {
        step = read_chunked_body();
        if (step == Step::ready) {
            const Refusal again =
                parse_request_head(kept().substr(0, head_bytes_), limits, request);
            CHECK(!again);
            request.body = kept().substr(head_bytes_, decoded_end_ - head_bytes_);
        }
    }
    handed_from_kept_ = true;
    return step;
}

RequestReader::Step RequestReader::read_head(std::string_view bytes, const Limits& limits,
                                             Request& request) {
    const HeadEnd end = find_head_end(bytes, scanned_, limits.head_bytes_max);
    if (end.refusal) return refuse(end.refusal);
    if (end.head_bytes == 0) {
        scanned_ = bytes.size();
        return Step::more;
    }
    const Refusal no = parse_request_head(bytes.substr(0, end.head_bytes), limits, request);
    if (no) return refuse(no);
    head_bytes_ = end.head_bytes;
    total_bytes_ = head_bytes_ + request.content_length;
    if (request.chunked) {
        chunks_ =
            std::make_unique<ChunkDecoder>(limits.body_bytes_max, ChunkDecoder::Trailers::refuse);
        decoded_end_ = head_bytes_;
    }
    const bool body_has_begun = bytes.size() > head_bytes_;
    const bool has_body = request.chunked || request.content_length > 0;
    wants_continue_ = request.expects_continue && has_body && !body_has_begun;
    return Step::ready;
}

RequestReader::Step RequestReader::read_sized_body(std::string_view bytes, Request& request) {
    if (bytes.size() < total_bytes_) return Step::more;
    request.body = bytes.substr(head_bytes_, total_bytes_ - head_bytes_);
    handed_bytes_ = total_bytes_;
    return Step::ready;
}

RequestReader::Step RequestReader::read_chunked_body() {
    // Decoded in place: the body never needs more room than its chunks did.
    const std::string_view raw = kept().substr(decoded_end_);
    const std::size_t raw_begin = decoded_end_;
    const auto progress = chunks_->decode(raw, kept_.data() + kept_begin_ + decoded_end_);
    decoded_end_ += progress.produced;
    switch (chunks_->verdict()) {
        case ChunkDecoder::Verdict::done:
            handed_bytes_ = raw_begin + progress.consumed;
            return Step::ready;
        case ChunkDecoder::Verdict::more:
            kept_.resize(kept_begin_ + decoded_end_);
            return Step::more;
        case ChunkDecoder::Verdict::too_large:
            return refuse({Status::content_too_large, "body too large"});
        case ChunkDecoder::Verdict::malformed: break;
    }
    return refuse({Status::bad_request, "malformed chunk"});
}

RequestReader::Step RequestReader::refuse(const Refusal& refusal) {
    refusal_ = refusal;
    return Step::refused;
}

void RequestReader::release() {
    CHECK(handed_bytes_ != 0);
    if (handed_from_kept_) kept_begin_ += handed_bytes_;
    if (!has_kept()) {
        if (kept_.capacity() > std::string().capacity()) std::string().swap(kept_);
        kept_begin_ = 0;
    }
    handed_bytes_ = scanned_ = head_bytes_ = total_bytes_ = decoded_end_ = 0;
    chunks_.reset();
    wants_continue_ = false;
}

void RequestReader::keep(std::string_view fresh) {
    CHECK(handed_bytes_ == 0); // Its views would move.
    if (kept_begin_ > 0) {
        kept_.erase(0, kept_begin_);
        kept_begin_ = 0;
    }
    kept_.append(fresh);
}

RequestReader::Phase RequestReader::phase() const {
    if (head_bytes_ != 0) return Phase::body;
    return has_kept() ? Phase::head : Phase::idle;
}

std::uint64_t RequestReader::body_bytes() const {
    if (chunks_) return chunks_->body_bytes();
    return kept_bytes() > head_bytes_ ? kept_bytes() - head_bytes_ : 0;
}

bool RequestReader::take_wants_continue() {
    return std::exchange(wants_continue_, false);
}

} // namespace anteroom::net
