// Edge stamps: the edge's signature on a request that it let pass, with the time.
//
//   X-CloudFront-Verified: v1.<Unix seconds>.<base64url of the HMAC-SHA256 of
//                          "v1\n" seconds "\n" method "\n" host "\n" path and query>
//
// The host is in small letters, path and query are as they travel. A stamp proves that the
// request came through the edge, not which visitor sent it. Values; thread-safe to read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "gate/question.h"
#include "token/hmac.h"
#include "token/unix_seconds.h"

namespace anteroom::gate {

inline constexpr std::string_view stamp_header = "x-cloudfront-verified"; // System U's name for it.
inline constexpr std::int64_t stamp_seconds_max = 60; // How far its clock may be from ours.
inline constexpr std::size_t edge_keys_max = 4;

enum class StampFault : std::uint8_t { none, missing, twice, malformed, untimely, wrong };
std::string_view name(StampFault fault);

class EdgeKeys {
  public:
    // As operators write them; refuses weak ones, and the same one twice.
    static Result<EdgeKeys> from_texts(std::span<const std::string> secrets);

    // Stamps with the first key, as the edge files do.
    std::string stamp_testing(const Question& question, token::UnixSeconds now) const;

    // Whether one of the keys has stamped this request.
    StampFault check(const Question& question, token::UnixSeconds now) const;

  private:
    explicit EdgeKeys(std::vector<token::Hmac> keys) : keys_(std::move(keys)) {}
    std::vector<token::Hmac> keys_; // At least one.
};

} // namespace anteroom::gate
