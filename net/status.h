// Status codes with their phrases (RFC 9110, 15): those we send, and those of origins.
#pragma once

#include <cstdint>
#include <string_view>

namespace anteroom::net {

enum class Status : std::uint16_t {
    ok = 200,
    created = 201,
    accepted = 202,
    no_content = 204,
    moved_permanently = 301,
    found = 302,
    see_other = 303,
    not_modified = 304,
    temporary_redirect = 307,
    permanent_redirect = 308,
    bad_request = 400,
    unauthorized = 401,
    payment_required = 402,
    forbidden = 403,
    not_found = 404,
    method_not_allowed = 405,
    not_acceptable = 406,
    request_timeout = 408,
    conflict = 409,
    gone = 410,
    precondition_failed = 412,
    content_too_large = 413,
    uri_too_long = 414,
    unsupported_media_type = 415,
    expectation_failed = 417,
    unprocessable_content = 422,
    too_early = 425,
    too_many_requests = 429,
    header_fields_too_large = 431,
    internal_error = 500,
    not_implemented = 501,
    bad_gateway = 502,
    unavailable = 503,
    gateway_timeout = 504,
    version_not_supported = 505,
};

constexpr unsigned code(Status status) {
    return static_cast<unsigned>(status);
}

// "HTTP/1.1 200 OK\r\n"; a code that is not in Status has an empty phrase.
std::string_view status_line(Status status);
std::string_view phrase(Status status);

} // namespace anteroom::net
