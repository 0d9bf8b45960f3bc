#include "net/response_stream.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "net/http_parser.h"
#include "net/limits.h"

namespace anteroom::net {

void ResponseStream::begin(bool to_head, bool upgrades) {
    state_ = State::head;
    to_head_ = to_head;
    upgrades_ = upgrades;
    begun_ = false;
    keep_alive_ = true;
    interim_ = 0;
    left_ = 0;
    scanned_ = 0;
    chunks_.reset();
    kept_.clear();
    kept_is_used_ = false;
    fault_ = {};
}

ResponseStream::Step ResponseStream::fail(std::string_view reason) {
    if (fault_.empty()) fault_ = reason;
    state_ = State::failed;
    return Step::failed;
}

ResponseStream::Step ResponseStream::next(std::string_view& bytes, ResponseHead& head,
                                          std::span<char> space, std::string_view& piece) {
    if (std::exchange(kept_is_used_, false)) kept_.clear();
    if (!bytes.empty()) begun_ = true;
    switch (state_) {
        case State::failed: return Step::failed;
        case State::done: return Step::end;
        case State::head: return bytes.empty() ? Step::more : read_head(bytes, head);
        case State::sized: {
            if (left_ == 0) {
                state_ = State::done;
                return Step::end;
            }
            if (bytes.empty()) return Step::more;
            const auto take =
                static_cast<std::size_t>(std::min<std::uint64_t>(bytes.size(), left_));
            piece = bytes.substr(0, take);
            bytes.remove_prefix(take);
            left_ -= take;
            return Step::body;
        }
        case State::until_end:
        case State::raw:
            if (bytes.empty()) return Step::more;
            piece = std::exchange(bytes, {});
            return Step::body;
        case State::chunked: break;
    }
    return read_chunks(bytes, space, piece);
}

ResponseStream::Step ResponseStream::read_head(std::string_view& bytes, ResponseHead& head) {
    const bool in_place = kept_.empty();
    const std::size_t before = kept_.size();
    if (!in_place) kept_.append(bytes.substr(0, limits::response_head_bytes_max - before));
    const std::string_view text = in_place ? bytes : std::string_view(kept_);
    const HeadEnd end = find_head_end(text, scanned_, limits::response_head_bytes_max);
    if (end.refusal) return fail("malformed or oversized response head");
    if (end.head_bytes == 0) {
        if (in_place) kept_.assign(bytes);
        scanned_ = kept_.size();
        bytes = {};
        return Step::more;
    }
    bytes.remove_prefix(end.head_bytes - before);
    kept_is_used_ = !in_place;
    scanned_ = 0;
    if (!parse_response_head(text.substr(0, end.head_bytes), head)) {
        return fail("malformed response head");
    }
    return note_head(head);
}

// RFC 9112, 6.3, in its order.
ResponseStream::Step ResponseStream::note_head(const ResponseHead& head) {
    if (head.status == 101) {
        if (!upgrades_) return fail("upgrade without a request for it");
        state_ = State::raw;
        return Step::upgrade;
    }
    if (head.status < 200) {
        return ++interim_ > limits::interim_max ? fail("too many 1xx responses") : Step::interim;
    }
    keep_alive_ = head.keep_alive;
    if (to_head_ || head.status == 204 || head.status == 304) {
        state_ = State::sized; // left_ is 0.
    } else if (head.chunked) {
        state_ = State::chunked;
        // No bound on the whole: nothing of it is kept.
        chunks_ = std::make_unique<ChunkDecoder>(std::numeric_limits<std::size_t>::max() / 32,
                                                 ChunkDecoder::Trailers::drop);
    } else if (head.length) {
        state_ = State::sized;
        left_ = *head.length;
    } else {
        state_ = State::until_end;
        keep_alive_ = false;
    }
    return Step::head;
}

ResponseStream::Step ResponseStream::read_chunks(std::string_view& bytes, std::span<char> space,
                                                 std::string_view& piece) {
    if (chunks_->verdict() == ChunkDecoder::Verdict::done) {
        state_ = State::done;
        return Step::end;
    }
    if (bytes.empty()) return Step::more;
    const auto progress = chunks_->decode(bytes.substr(0, space.size()), space.data());
    bytes.remove_prefix(progress.consumed);
    if (chunks_->verdict() > ChunkDecoder::Verdict::done) {
        return fail("malformed chunk in the response");
    }
    piece = {space.data(), progress.produced};
    return Step::body;
}

ResponseStream::Step ResponseStream::finish(bool cleanly) {
    switch (state_) {
        case State::done: return Step::end;
        case State::failed: return Step::failed;
        case State::raw: state_ = State::done; return Step::end;
        case State::until_end:
            if (!cleanly) break;
            state_ = State::done;
            return Step::end;
        case State::head:
        case State::sized:
        case State::chunked: break;
    }
    return fail(begun_ ? "response was cut off" : "connection closed before a response");
}

} // namespace anteroom::net
