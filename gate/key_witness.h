// KeyWitness: a Witness that has keys and no rooms, for the command line and tests. The caller says
// which outer lines are active; a pass that was revoked is still accepted.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gate/question.h"
#include "gate/witness.h"
#include "token/access.h"
#include "token/pass.h"

namespace anteroom::gate {

class KeyWitness : public Witness {
  public:
    KeyWitness(token::PassVerifier& passes, token::UnixSeconds now, std::vector<std::string> active)
        : passes_(passes), now_(now), active_(std::move(active)) {}

    void say_user(std::string id, std::string role);
    // The user is the one that the request's access token names; a refused token means no user.
    void read_user(const Question& question, token::AccessVerifier& logins);

    bool outer_line_active(std::string_view event) override;
    std::optional<User> user() override;
    ShownPass outer_pass(std::string_view token, std::string_view event) override;
    ShownPass entry_pass(std::string_view token, std::optional<std::string_view> event) override;

  private:
    ShownPass pass(std::string_view token, const token::Expect& expected);

    token::PassVerifier& passes_;
    token::UnixSeconds now_;
    std::vector<std::string> active_;
    bool is_somebody_ = false;
    std::string id_;
    std::string role_;
};

} // namespace anteroom::gate
