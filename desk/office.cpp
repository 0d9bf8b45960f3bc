#include "desk/office.h"

#include "token/base64.h"
#include "token/bytes.h"

namespace anteroom {

Result<std::unique_ptr<Office>> Office::open(const token::KeyRing& ring,
                                             const OfficeOptions& options) {
    std::unique_ptr<Office> office(new Office(ring));
    if (options.jwks == nullptr && options.jwt_secret.empty()) return office;
    const auto open_access = [&](const token::AccessRules& rules) {
        return options.jwks != nullptr
                   ? token::AccessVerifier::from_jwks(*options.jwks, options.jwt_secret, rules)
                   : token::AccessVerifier::from_secret(options.jwt_secret, rules);
    };
    Result<token::AccessVerifier> own = open_access(options.access_rules);
    if (!own) return own.fault();
    office->access.emplace(*std::move(own));
    for (const auto& [dialect, rules] : options.logins) {
        Result<token::AccessVerifier> login = open_access(rules);
        if (!login) return login.fault();
        office->logins_.push_back({.dialect = dialect, .verifier = *std::move(login)});
    }
    return office;
}

token::AccessVerifier* Office::login_of(std::string_view dialect) {
    for (Login& login : logins_)
        if (login.dialect == dialect) return &login.verifier;
    return nullptr;
}

VisitorKey Office::key_of(std::string_view visitor_id) const {
    const token::VisitorKey bytes = visitors.key_of(visitor_id);
    return {.high = token::load_number<8>(bytes.data()),
            .low = token::load_number<8>(bytes.data() + 8)};
}

std::string key_text(const VisitorKey& key) {
    std::array<std::uint8_t, 16> bytes{};
    token::store_number<8>(bytes.data(), key.high);
    token::store_number<8>(bytes.data() + 8, key.low);
    return "~" + token::base64url(bytes);
}

std::optional<VisitorKey> key_from_text(std::string_view text) {
    std::array<std::uint8_t, 16> bytes{};
    if (!text.starts_with('~') || !token::read_base64url(text.substr(1), bytes))
        return std::nullopt;
    return VisitorKey{.high = token::load_number<8>(bytes.data()),
                      .low = token::load_number<8>(bytes.data() + 8)};
}

} // namespace anteroom
