// Office: everything one loop needs to read and write tickets, passes and visitor ids.
//
// Thread rule: one per loop (ciphers are not shared). Built anew when the keys change.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "engine/visitor.h"
#include "token/access.h"
#include "token/jwks.h"
#include "token/key_ring.h"
#include "token/pass.h"
#include "token/ticket.h"
#include "token/visitor_id.h"

namespace anteroom {

struct OfficeOptions {
    // What verifies users' access tokens. Without both, nobody is known by one.
    std::string jwt_secret;
    const token::JwkSet* jwks = nullptr; // Copied.
    token::AccessRules access_rules;
    // Of the logins of dialects, by their names, under the same keys.
    std::vector<std::pair<std::string, token::AccessRules>> logins = {};
};

class Office {
  public:
    static Result<std::unique_ptr<Office>> open(const token::KeyRing& ring,
                                                const OfficeOptions& options);

    VisitorKey key_of(std::string_view visitor_id) const;

    token::TicketBook tickets;
    token::PassIssuer passes;
    token::PassVerifier verifier;
    token::VisitorBook visitors;
    std::optional<token::AccessVerifier> access;
    // The login of a dialect; null: it has none.
    token::AccessVerifier* login_of(std::string_view dialect);

  private:
    struct Login {
        std::string dialect;
        token::AccessVerifier verifier;
    };
    explicit Office(const token::KeyRing& ring)
        : tickets(ring), passes(ring), verifier(ring), visitors(ring) {}

    std::vector<Login> logins_;
};

// How passes name a visitor of whom only the key is known: "~" and 22 characters.
std::string key_text(const VisitorKey& key);
std::optional<VisitorKey> key_from_text(std::string_view text);

} // namespace anteroom
