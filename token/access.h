// AccessVerifier: who is this user, by the access JWT that the site's own login issued?
//
// Thread rule: one per thread. Verifying allocates nothing with HS256 keys. A token that is refused
// makes the caller anonymous.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/result.h"
#include "token/jwks.h"
#include "token/jwt.h"
#include "token/refusal.h"

namespace anteroom::token {

struct AccessRules {
    bool type_required = true; // `type` must be there. When it is there, it must be "access".
    std::string issuer = {};   // Empty: `iss` is not looked at.
    // Must be `aud`, or one of a list of at most 16. Empty: a token with an `aud` is refused.
    std::string audience = {};
    bool checks_audience = true; // False: `aud` is not looked at.
    bool roles_required = false; // `roles` must be there, as a text or a list.
    bool secret_is_text = false; // The secret is never Base64: its bytes are those of the text.
};

// Views live until the verifier's next call.
struct AccessUser {
    std::string_view user_id; // `userId`, else `sub`.
    std::string_view email;   // Empty when the token names none.
    std::string_view role;    // Empty when the token names none.
    std::string_view roles;   // `roles` as it stands there: a text, or a list with its brackets.
    UnixSeconds expires_at;
};

using AccessVerdict = std::variant<AccessUser, Refusal>;

class AccessVerifier {
  public:
    // The secret as operators give it: standard Base64, or the text itself (or always that, by the
    // rules); at least 32 bytes.
    static Result<AccessVerifier> from_secret(std::string_view secret, AccessRules rules = {});

    // The login's own keys; the secret, unless it is empty, is one more HS256 key without a name.
    static Result<AccessVerifier> from_jwks(const JwkSet& set, std::string_view secret = {},
                                            AccessRules rules = {});

    AccessVerdict verify(std::string_view token, UnixSeconds now);

  private:
    AccessVerifier(std::vector<VerifyKey> keys, KeyChoice choice, AccessRules rules)
        : reader_(std::move(keys), choice), rules_(std::move(rules)) {}

    bool is_meant_for_us(const JsonValue* audience);

    JwtReader reader_;
    AccessRules rules_;
    std::string list_text_; // Of audiences.
    std::vector<JsonValue> list_;
};

} // namespace anteroom::token
