// Files that the program carries in its binary (cmake/asset.cmake).
#pragma once

#include <string_view>

namespace anteroom::gate::assets {

extern const std::string_view default_rules;
extern const std::string_view compat_rules;
extern const std::string_view edge_token;      // Of every edge file: strict tokens,
extern const std::string_view edge_gate;       // and the rules' interpreter.
extern const std::string_view edge_cloudfront; // What each platform calls.
extern const std::string_view edge_cloudflare;

} // namespace anteroom::gate::assets
