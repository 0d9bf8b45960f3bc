#include "token/refusal.h"

#include "base/check.h"

namespace anteroom::token {

std::string_view reason(Refusal refusal) {
    switch (refusal) {
        case Refusal::oversized: return "oversized";
        case Refusal::malformed: return "malformed";
        case Refusal::bad_encoding: return "bad_encoding";
        case Refusal::bad_header: return "bad_header";
        case Refusal::unexpected_header: return "unexpected_header";
        case Refusal::critical_header: return "critical_header";
        case Refusal::wrong_algorithm: return "wrong_algorithm";
        case Refusal::unknown_key: return "unknown_key";
        case Refusal::retired_key: return "retired_key";
        case Refusal::bad_signature: return "bad_signature";
        case Refusal::bad_claims: return "bad_claims";
        case Refusal::duplicate_member: return "duplicate_member";
        case Refusal::bad_time: return "bad_time";
        case Refusal::expired: return "expired";
        case Refusal::not_yet_valid: return "not_yet_valid";
        case Refusal::wrong_tier: return "wrong_tier";
        case Refusal::wrong_room: return "wrong_room";
        case Refusal::wrong_visitor: return "wrong_visitor";
        case Refusal::wrong_audience: return "wrong_audience";
        case Refusal::wrong_issuer: return "wrong_issuer";
        case Refusal::wrong_token_type: return "wrong_token_type";
        case Refusal::wrong_kind: return "wrong_kind";
        case Refusal::wrong_generation: return "wrong_generation";
    }
    CHECK(false);
}

} // namespace anteroom::token
