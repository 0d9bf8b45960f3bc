#include "net/chunk_decoder.h"

#include <algorithm>
#include <cstring>

#include "base/text.h"
#include "net/text.h"

namespace anteroom::net {

ChunkDecoder::Progress ChunkDecoder::decode(std::string_view input, char* output) {
    Progress progress;
    while (verdict_ == Verdict::more && progress.consumed < input.size()) {
        if (state_ != State::data) {
            step(input[progress.consumed++]);
            continue;
        }
        const std::size_t take = std::min(chunk_bytes_, input.size() - progress.consumed);
        std::memmove(output + progress.produced, input.data() + progress.consumed, take);
        progress.consumed += take;
        progress.produced += take;
        body_bytes_ += take;
        chunk_bytes_ -= take;
        if (chunk_bytes_ == 0) state_ = State::data_return;
    }
    return progress;
}

void ChunkDecoder::step(char c) {
    switch (state_) {
        case State::size_first:
        case State::size: step_size(c); break;
        case State::name_first:
        case State::name:
        case State::value_first:
        case State::value: step_extension(c); break;
        case State::size_feed:
            expect(c, '\n', chunk_bytes_ == 0 ? State::trailer_start : State::data);
            line_bytes_ = 0;
            break;
        case State::data_return: expect(c, '\r', State::data_feed); break;
        case State::data_feed: expect(c, '\n', State::size_first); break;
        case State::trailer_start:
        case State::trailer_name:
        case State::trailer_value:
        case State::trailer_feed: step_trailer(c); break;
        case State::last_feed:
            expect(c, '\n', State::last_feed);
            if (verdict_ == Verdict::more) verdict_ = Verdict::done;
            break;
        case State::data: break; // decode() copies data in bulk.
    }
}

void ChunkDecoder::expect(char c, char wanted, State next) {
    if (c != wanted) return fail();
    state_ = next;
}

void ChunkDecoder::step_size(char c) {
    if (++line_bytes_ > limits::chunk_line_bytes_max) return fail();
    if (state_ == State::size && c == '\r') {
        state_ = State::size_feed;
    } else if (state_ == State::size && c == ';') {
        state_ = State::name_first;
    } else {
        add_digit(c);
    }
}

// *( ";" token [ "=" token ] )
void ChunkDecoder::step_extension(char c) {
    if (++line_bytes_ > limits::chunk_line_bytes_max) return fail();
    if (is(c, in_token)) {
        if (state_ == State::name_first) state_ = State::name;
        if (state_ == State::value_first) state_ = State::value;
        return;
    }
    const bool token_missing = state_ == State::name_first || state_ == State::value_first;
    if (token_missing) return fail();
    if (c == '\r') {
        state_ = State::size_feed;
    } else if (c == ';') {
        state_ = State::name_first;
    } else if (c == '=' && state_ == State::name) {
        state_ = State::value_first;
    } else {
        fail();
    }
}

void ChunkDecoder::add_digit(char c) {
    const std::uint8_t digit = hex_value(c);
    if (digit > 15) return fail();
    if (state_ == State::size_first) chunk_bytes_ = 0;
    state_ = State::size;
    // Checked at every digit, so the number cannot overflow.
    chunk_bytes_ = chunk_bytes_ * 16 + digit;
    if (chunk_bytes_ > body_bytes_max_ - body_bytes_) verdict_ = Verdict::too_large;
}

void ChunkDecoder::step_trailer(char c) {
    if (++line_bytes_ > limits::trailer_bytes_max) return fail();
    switch (state_) {
        case State::trailer_start:
            if (c == '\r') {
                state_ = State::last_feed;
            } else if (is(c, in_token) && trailers_ == Trailers::drop) {
                state_ = State::trailer_name;
            } else {
                fail();
            }
            break;
        case State::trailer_name:
            if (c == ':') {
                state_ = State::trailer_value;
            } else if (!is(c, in_token)) {
                fail();
            }
            break;
        case State::trailer_value:
            if (c == '\r') {
                state_ = State::trailer_feed;
            } else if (!is(c, in_value)) {
                fail();
            }
            break;
        default: expect(c, '\n', State::trailer_start); break;
    }
}

} // namespace anteroom::net
