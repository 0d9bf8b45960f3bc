// Frame: bytes that many streams send: written once, shared by all.
#pragma once

#include <memory>
#include <string>
#include <utility>

namespace anteroom::net {

using Frame = std::shared_ptr<const std::string>;

inline Frame make_frame(std::string text) {
    return std::make_shared<const std::string>(std::move(text));
}

} // namespace anteroom::net
