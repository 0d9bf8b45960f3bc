// What operators of several systems are told about variables that are not used.
#pragma once

#include <string_view>

namespace anteroom::advice {

inline constexpr std::string_view redis_address =
    "name Redis in store.url, such as redis://HOST:PORT; without it rooms are in a folder";
inline constexpr std::string_view redis_password = "use store.password_file or store.password";
inline constexpr std::string_view no_kafka = "this version sends no messages to Kafka";
inline constexpr std::string_view no_aws = "the server calls nothing of AWS";

} // namespace anteroom::advice
