// decisions.json: the one table of what the gate decides, and the keys and tokens it speaks of.
#pragma once

#include <boost/json/value.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "gate/rules.h"
#include "token/access.h"
#include "token/key_ring.h"

namespace anteroom::gate {

enum class TableKeys : std::uint8_t { hs256, ed25519 };

class Table {
  public:
    static Table load(const std::string& path);

    token::UnixSeconds now() const;
    std::string secret(std::string_view name) const;
    token::KeyRing ring(TableKeys keys) const;
    token::AccessRules access_rules() const; // Of rows whose logins are "ruled".
    const boost::json::array& rows() const { return root_.at("rows").as_array(); }

    // "default", "compat", or a file beside the table.
    const Rules& rules(std::string_view name) const;

    // A text as it stands, or the token that is described.
    std::string token(const boost::json::value& described, TableKeys keys) const;

  private:
    Table(boost::json::object root, Rules every_key)
        : root_(std::move(root)), every_key_(std::move(every_key)) {}

    std::string claims(const boost::json::object& described) const;
    std::string signature(std::string_view text, std::string_view key, TableKeys keys) const;

    boost::json::object root_;
    Rules every_key_;
};

} // namespace anteroom::gate
