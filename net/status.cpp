#include "net/status.h"

#include <array>
#include <string>
#include <utility>

namespace anteroom::net {

std::string_view phrase(Status status) {
    switch (status) {
        case Status::ok: return "OK";
        case Status::created: return "Created";
        case Status::accepted: return "Accepted";
        case Status::no_content: return "No Content";
        case Status::moved_permanently: return "Moved Permanently";
        case Status::found: return "Found";
        case Status::see_other: return "See Other";
        case Status::not_modified: return "Not Modified";
        case Status::temporary_redirect: return "Temporary Redirect";
        case Status::permanent_redirect: return "Permanent Redirect";
        case Status::bad_request: return "Bad Request";
        case Status::unauthorized: return "Unauthorized";
        case Status::payment_required: return "Payment Required";
        case Status::forbidden: return "Forbidden";
        case Status::not_found: return "Not Found";
        case Status::method_not_allowed: return "Method Not Allowed";
        case Status::not_acceptable: return "Not Acceptable";
        case Status::request_timeout: return "Request Timeout";
        case Status::conflict: return "Conflict";
        case Status::gone: return "Gone";
        case Status::precondition_failed: return "Precondition Failed";
        case Status::content_too_large: return "Content Too Large";
        case Status::uri_too_long: return "URI Too Long";
        case Status::unsupported_media_type: return "Unsupported Media Type";
        case Status::expectation_failed: return "Expectation Failed";
        case Status::unprocessable_content: return "Unprocessable Content";
        case Status::too_early: return "Too Early";
        case Status::too_many_requests: return "Too Many Requests";
        case Status::header_fields_too_large: return "Request Header Fields Too Large";
        case Status::internal_error: return "Internal Server Error";
        case Status::not_implemented: return "Not Implemented";
        case Status::bad_gateway: return "Bad Gateway";
        case Status::unavailable: return "Service Unavailable";
        case Status::gateway_timeout: return "Gateway Timeout";
        case Status::version_not_supported: return "HTTP Version Not Supported";
    }
    return ""; // A code that an upstream chose; the phrase is optional (RFC 9112, 4).
}

std::string_view status_line(Status status) {
    // Built once, so that the hot path copies one string.
    static const std::array<std::string, 600> lines = [] {
        std::array<std::string, 600> built;
        for (unsigned i = 100; i < built.size(); ++i) {
            const auto phrase_text = phrase(static_cast<Status>(i));
            built[i] = "HTTP/1.1 " + std::to_string(i) + " " + std::string(phrase_text) + "\r\n";
        }
        return built;
    }();
    const unsigned number = code(status);
    return lines[number >= 100 && number < lines.size() ? number : 500];
}

} // namespace anteroom::net
