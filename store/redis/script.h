// Script: Lua that the server runs, with the name under which it keeps it. Copies share the text.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace anteroom::redis {

class Script {
  public:
    explicit Script(std::string_view source);

    const std::string& source() const { return body_->source; }
    const std::string& sha() const {
        return body_->sha;
    } // SHA-1 in hexadecimal, as EVALSHA wants it.

  private:
    struct Body {
        std::string source;
        std::string sha;
    };
    std::shared_ptr<const Body> body_;
};

} // namespace anteroom::redis
