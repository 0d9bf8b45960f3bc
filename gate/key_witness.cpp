#include "gate/key_witness.h"

#include <algorithm>
#include <utility>

namespace anteroom::gate {

void KeyWitness::say_user(std::string id, std::string role) {
    is_somebody_ = true;
    id_ = std::move(id);
    role_ = std::move(role);
}

void KeyWitness::read_user(const Question& question, token::AccessVerifier& logins) {
    is_somebody_ = false;
    const std::string_view shown = access_token(question);
    if (shown.empty()) return;
    const token::AccessVerdict verdict = logins.verify(shown, now_);
    if (const auto* user = std::get_if<token::AccessUser>(&verdict))
        say_user(std::string(user->user_id), std::string(user->role));
}

bool KeyWitness::outer_line_active(std::string_view event) {
    return std::ranges::find(active_, event) != active_.end();
}

std::optional<User> KeyWitness::user() {
    if (!is_somebody_) return std::nullopt;
    return User{.id = id_, .role = role_};
}

ShownPass KeyWitness::outer_pass(std::string_view token, std::string_view event) {
    return pass(token, {.room = event, .tier = token::Tier::outer});
}

ShownPass KeyWitness::entry_pass(std::string_view token, std::optional<std::string_view> event) {
    return pass(token, {.room = event, .tier = token::Tier::entry});
}

ShownPass KeyWitness::pass(std::string_view token, const token::Expect& expected) {
    const token::PassVerdict verdict = passes_.verify(token, now_, expected);
    if (const auto* refusal = std::get_if<token::Refusal>(&verdict))
        return {.why = token::reason(*refusal)};
    const auto& verified = std::get<token::VerifiedPass>(verdict);
    return {.valid = true, .event = verified.room, .visitor = verified.visitor};
}

} // namespace anteroom::gate
