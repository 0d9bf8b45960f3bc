// edge_file: the same rules as one JavaScript file for a CDN, with an interpreter of its own.
//
// The file is complete: rules and public keys are data in it, secrets are asked of the platform by
// name (environment variables, bindings) unless they are to be in the file. tests/gate runs it
// against the same table as decide().
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gate/rules.h"
#include "token/access.h"
#include "token/key_ring.h"

namespace anteroom::gate {

enum class EdgePlatform : std::uint8_t { cloudfront, cloudflare };

struct EdgeOptions {
    EdgePlatform platform = EdgePlatform::cloudfront;
    std::string active_url = {};      // GET {"active":["event",…]}; empty: asked for by name.
    std::uint32_t active_seconds = 5; // How long that answer is kept.
    bool fail_open = false;           // No answer: no outer line is active, instead of every one.
    bool inline_secrets = false;
    std::string access_secret = {};       // Of the users' access tokens; only to be inlined.
    token::AccessRules access_rules = {}; // What those must say; their type is always asked for.
    bool stamps = false;                  // Signs what it lets through (gate/edge_stamp.h).
    std::string edge_secret = {};         // The key for that; only to be inlined.
};

struct EdgeFile {
    std::string text;
    std::vector<std::string> variables; // Environment variables or bindings that it asks for.
};

EdgeFile edge_file(const Rules& rules, const token::KeyRing& keys, const EdgeOptions& options);

} // namespace anteroom::gate
