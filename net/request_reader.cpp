#include "net/request_reader.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/check.h"

namespace anteroom::net {

RequestReader::Step RequestReader::next(std::string_view& fresh, const Limits& limits,
                                        Request& request, Chooser* chooser) {
    CHECK(handed_bytes_ == 0 && !streams_);
    if (refusal_) return Step::refused;
    const bool in_place = !has_kept();
    if (!in_place && !fresh.empty()) keep(std::exchange(fresh, {}));
    const std::string_view bytes = in_place ? fresh : kept();
    if (bytes.empty()) return Step::more;

    Step step = Step::ready;
    const bool head_was_complete = head_bytes_ != 0;
    if (!head_was_complete) step = read_head(bytes, limits, request, chooser);
    if (step == Step::ready && !chunks_ && !streams_) {
        // The views of an earlier parse pointed into bytes that have moved since.
        if (head_was_complete && bytes.size() >= total_bytes_) {
            const Refusal again = parse_request_head(bytes.substr(0, head_bytes_), limits, request);
            CHECK(!again);
        }
        step = read_sized_body(bytes, request);
    }
    if (in_place && step == Step::ready && (streams_ || !chunks_)) {
        handed_from_kept_ = false;
        fresh.remove_prefix(handed_bytes_);
        return step;
    }
    if (step == Step::refused) {
        fresh = {};
        return step;
    }
    if (in_place) keep(std::exchange(fresh, {}));
    if (step == Step::ready && chunks_ && !streams_) {
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
                                             Request& request, Chooser* chooser) {
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
    const bool has_body = request.chunked || request.content_length > 0;
    if (has_body && begin_stream(bytes, request, chooser)) return Step::ready;
    if (request.content_length > limits.body_bytes_max) {
        return refuse({Status::content_too_large, "body too large"});
    }
    if (request.chunked) {
        chunks_ =
            std::make_unique<ChunkDecoder>(limits.body_bytes_max, ChunkDecoder::Trailers::refuse);
        decoded_end_ = head_bytes_;
    }
    const bool body_has_begun = bytes.size() > head_bytes_;
    wants_continue_ = request.expects_continue && has_body && !body_has_begun;
    return Step::ready;
}

// A body that has arrived with its head is handed over whole: streaming it would gain nothing.
bool RequestReader::begin_stream(std::string_view bytes, Request& request, Chooser* chooser) {
    const bool is_here = !request.chunked && bytes.size() >= total_bytes_;
    if (is_here || !chooser || !chooser->streams_body(request)) return false;
    streams_ = true;
    streamed_bytes_ = 0;
    body_left_ = request.content_length;
    request.body_streams = true;
    handed_bytes_ = head_bytes_;
    if (request.chunked) {
        // No bound on the whole, only on what is kept of it. Trailers end here.
        chunks_ = std::make_unique<ChunkDecoder>(std::numeric_limits<std::size_t>::max() / 32,
                                                 ChunkDecoder::Trailers::drop);
    }
    return true;
}

RequestReader::Step RequestReader::read_sized_body(std::string_view bytes, Request& request) {
    if (bytes.size() < total_bytes_) return Step::more;
    request.body = bytes.substr(head_bytes_, total_bytes_ - head_bytes_);
    handed_bytes_ = total_bytes_;
    return Step::ready;
}

RequestReader::Step RequestReader::read_chunked_body() {
    // Decoded in place: the body never needs more space than its chunks did.
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
    if (handed_from_kept_ || !kept_.empty()) drop_kept(handed_from_kept_ ? handed_bytes_ : 0);
    handed_bytes_ = scanned_ = head_bytes_ = total_bytes_ = decoded_end_ = 0;
    if (!streams_) chunks_.reset();
    wants_continue_ = false;
}

void RequestReader::drop_kept(std::size_t count) {
    kept_begin_ += count;
    if (has_kept()) return;
    if (kept_.capacity() > std::string().capacity()) std::string().swap(kept_);
    kept_begin_ = 0;
}

RequestReader::Piece RequestReader::take_body(std::string_view& fresh, std::span<char> space) {
    CHECK(streams_ && handed_bytes_ == 0);
    const bool from_kept = has_kept();
    const std::string_view input = (from_kept ? kept() : fresh).substr(0, space.size());
    Piece piece;
    std::size_t used = 0;
    if (chunks_) {
        const auto progress = chunks_->decode(input, space.data());
        used = progress.consumed;
        piece.bytes = {space.data(), progress.produced};
        using Verdict = ChunkDecoder::Verdict;
        if (chunks_->verdict() == Verdict::done) piece.state = Piece::State::last;
        if (chunks_->verdict() > Verdict::done) piece.state = Piece::State::malformed;
    } else {
        used = static_cast<std::size_t>(std::min<std::uint64_t>(input.size(), body_left_));
        piece.bytes = input.substr(0, used);
        body_left_ -= used;
        if (body_left_ == 0) piece.state = Piece::State::last;
    }
    streamed_bytes_ += piece.bytes.size();
    if (from_kept) {
        kept_begin_ += used; // The memory stays until shed(): the piece lies in it.
    } else {
        fresh.remove_prefix(used);
    }
    if (piece.state == Piece::State::last) {
        streams_ = false;
        chunks_.reset();
    }
    return piece;
}

std::string RequestReader::take_kept() {
    std::string kept(this->kept());
    drop_kept(kept.size());
    return kept;
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
    if (head_bytes_ != 0 || streams_) return Phase::body;
    return has_kept() ? Phase::head : Phase::idle;
}

std::uint64_t RequestReader::body_bytes() const {
    if (streams_) return streamed_bytes_;
    if (chunks_) return chunks_->body_bytes();
    return kept_bytes() > head_bytes_ ? kept_bytes() - head_bytes_ : 0;
}

bool RequestReader::take_wants_continue() {
    return std::exchange(wants_continue_, false);
}

} // namespace anteroom::net
