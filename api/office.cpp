#include "api/office.h"

#include "token/base64.h"
#include "token/bytes.h"

namespace anteroom::api {

Result<std::unique_ptr<Office>> Office::open(const token::KeyRing& ring,
                                             const OfficeOptions& options) {
    std::unique_ptr<Office> office(new Office(ring));
    if (options.jwks == nullptr && options.jwt_secret.empty()) return office;
    const auto open_access = [&](const token::AccessRules& rules) {
        return options.jwks != nullptr
                   ? token::AccessVerifier::from_jwks(*options.jwks, options.jwt_secret, rules)
                   : token::AccessVerifier::from_secret(options.jwt_secret, rules);
    };
    const std::pair<std::optional<token::AccessRules>, std::optional<token::AccessVerifier>*>
        logins[] = {{options.access_rules, &office->access},
                    {options.tacos_rules, &office->tacos_access},
                    {options.portal_rules, &office->portal_access}};
    for (const auto& [rules, verifier] : logins) {
        if (!rules) continue;
        Result<token::AccessVerifier> opened = open_access(*rules);
        if (!opened) return opened.fault();
        verifier->emplace(*std::move(opened));
    }
    return office;
}

token::AccessRules tacos_rules(std::string issuer, std::string audience) {
    token::AccessRules rules{.type_required = false, .issuer = std::move(issuer)};
    rules.checks_audience = !audience.empty();
    rules.audience = std::move(audience);
    rules.secret_is_text = true;
    return rules;
}

token::AccessRules portal_rules(std::string issuer) {
    return {.type_required = false,
            .issuer = std::move(issuer),
            .roles_required = true,
            .secret_is_text = true};
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

} // namespace anteroom::api
