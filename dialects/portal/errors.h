// What system P says when it says no: codes, texts and status codes as its clients know them.
#pragma once

#include <string_view>

#include "net/status.h"

namespace anteroom::portal {

struct Error {
    net::Status status;
    std::string_view code;
    std::string_view message;
    bool of_gateway = false; // In the gateway's envelope, with "data":null.
};

// What some refusals say besides.
struct ErrorExtras {
    std::string_view data{};    // JSON beside the error.
    std::string_view members{}; // More members of the error, each after a comma.
};

namespace errors {
using net::Status;

inline constexpr Error queue_not_found{Status::not_found, "S801", "Waiting queue not found"};
inline constexpr Error already_entered{Status::conflict, "S802", "Already entered in the queue"};
inline constexpr Error entry_not_found{Status::not_found, "S803", "Queue entry not found"};
inline constexpr Error token_expired{Status::unauthorized, "S804", "Queue token has expired"};
inline constexpr Error not_allowed{Status::forbidden, "S805", "Not allowed to enter yet"};
inline constexpr Error entry_required{Status::forbidden, "S806",
                                      "Queue entry is required for this event"};
inline constexpr Error user_mismatch{Status::forbidden, "S807",
                                     "Queue token does not belong to current user"};

inline constexpr Error seller_not_found{Status::not_found, "SL501", "Waiting queue not found"};
inline constexpr Error seller_is_active{Status::conflict, "SL502", "Queue is already active"};
inline constexpr Error seller_not_active{Status::bad_request, "SL503", "Queue is not active"};

inline constexpr Error invalid_input{Status::bad_request, "C002", "Invalid Input Value"};
inline constexpr Error invalid_event_id{Status::bad_request, "C002",
                                        "Parameter 'eventId' should be of type 'Long'"};
inline constexpr Error wrong_method{Status::method_not_allowed, "C002",
                                    "Request method is not supported"};
inline constexpr Error not_found{Status::not_found, "C003", "Not Found"};
inline constexpr Error forbidden{Status::forbidden, "C004", "Forbidden"};

inline constexpr Error unauthenticated{Status::unauthorized, "GW-A001", "Authentication required",
                                       true};
inline constexpr Error login_expired{Status::unauthorized, "GW-A004", "Token expired", true};
inline constexpr Error login_invalid{Status::unauthorized, "GW-A005", "Invalid token", true};
inline constexpr Error too_many{Status::too_many_requests, "GW-R001", "Too many requests", true};
inline constexpr Error unavailable{Status::unavailable, "GW-F003",
                                   "Service temporarily unavailable", true};
} // namespace errors

} // namespace anteroom::portal
