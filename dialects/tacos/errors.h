// The errors of system T: its codes, its words, its status codes. Where the original says 500 for a
// store that is away we say 503, with Retry-After, so that clients and proxies know to come back.
#pragma once

#include <cstdint>
#include <string_view>

#include "net/status.h"

namespace anteroom::tacos {

struct Error {
    net::Status status;
    std::string_view code;
    std::string_view message;
};

namespace errors {

using enum net::Status;

inline constexpr Error invalid_request{bad_request, "INVALID_REQUEST", "Invalid request body"};
inline constexpr Error missing_event_id{bad_request, "MISSING_EVENT_ID", "event_id is required"};
inline constexpr Error missing_query_token{bad_request, "MISSING_TOKEN",
                                           "waiting token is required"};
inline constexpr Error missing_body_token{bad_request, "MISSING_TOKEN",
                                          "waiting_token is required"};
inline constexpr Error missing_grant{bad_request, "MISSING_TOKEN", "reservation_token is required"};
inline constexpr Error missing_user_id{bad_request, "MISSING_USER_ID", "user_id is required"};

inline constexpr Error idempotency_required{bad_request, "IDEMPOTENCY_REQUIRED",
                                            "Idempotency-Key header is required for POST requests"};
inline constexpr Error invalid_idempotency_key{bad_request, "INVALID_IDEMPOTENCY_KEY",
                                               "Idempotency-Key must be a valid UUID v4"};
inline constexpr Error idempotency_conflict{
    conflict, "IDEMPOTENCY_CONFLICT",
    "Request body differs from original request with same Idempotency-Key"};
inline constexpr Error duplicate_request{conflict, "DUPLICATE_REQUEST",
                                         "This request has already been processed"};
inline constexpr Error rate_limited{too_many_requests, "RATE_LIMITED",
                                    "Rate limit exceeded. Please try again later."};

inline constexpr Error not_ready{forbidden, "NOT_READY", "Your turn has not arrived yet"};
inline constexpr Error token_expired{not_found, "TOKEN_EXPIRED",
                                     "Waiting token expired due to inactivity"};
inline constexpr Error token_not_found{not_found, "TOKEN_NOT_FOUND",
                                       "Waiting token not found or expired"};
inline constexpr Error event_not_found{not_found, "EVENT_NOT_FOUND", "Event not found"};
inline constexpr Error outer_line_first{forbidden, "WAITING_ROOM_REQUIRED",
                                        "Take a number in the waiting room first"};
inline constexpr Error join_failed{unavailable, "QUEUE_ERROR", "Failed to join queue"};
inline constexpr Error status_failed{unavailable, "QUEUE_ERROR", "Failed to get queue status"};
inline constexpr Error validation_failed{unavailable, "QUEUE_ERROR",
                                         "Failed to validate waiting token"};
inline constexpr Error grant_failed{unavailable, "QUEUE_ERROR", "Failed to grant admission"};
inline constexpr Error leave_failed{unavailable, "QUEUE_ERROR", "Failed to leave queue"};
inline constexpr Error verify_failed{unavailable, "QUEUE_ERROR",
                                     "Failed to verify reservation token"};
inline constexpr Error flush_failed{unavailable, "QUEUE_ERROR", "Failed to flush test data"};

inline constexpr Error invalid_grant{forbidden, "INVALID_RESERVATION_TOKEN",
                                     "Reservation token is invalid or expired"};
inline constexpr Error used_grant{conflict, "RESERVATION_TOKEN_USED",
                                  "Reservation token has already been used"};

inline constexpr Error missing_authorization{unauthorized, "MISSING_AUTHORIZATION",
                                             "Authorization header is required"};
inline constexpr Error invalid_token_format{unauthorized, "INVALID_TOKEN_FORMAT",
                                            "Authorization header must be Bearer token"};
inline constexpr Error missing_token{unauthorized, "MISSING_TOKEN", "Token is required"};
inline constexpr Error invalid_token{unauthorized, "INVALID_TOKEN", "Token validation failed"};
inline constexpr Error access_denied{forbidden, "ACCESS_DENIED", "Admin role required"};
inline constexpr Error not_a_backend{forbidden, "ACCESS_DENIED",
                                     "Only a trusted backend may verify reservation tokens"};
inline constexpr Error flush_disabled{forbidden, "FLUSH_DISABLED", "Flushing test data is off"};

inline constexpr Error no_such_path{not_found, "NOT_FOUND", "The requested resource was not found"};
inline constexpr Error wrong_method{method_not_allowed, "METHOD_NOT_ALLOWED", "Method not allowed"};

} // namespace errors

} // namespace anteroom::tacos
