// The page at "/" of a server without an origin: web/front/index.html, filled in. It says what this
// is and where to go on; rooms are named only where it is given some.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace anteroom::api {

struct FrontRoom {
    std::string id;
    std::string state;
    std::uint64_t waiting = 0;
    std::uint64_t inside = 0;
    bool has_page = true;        // Our own visitors may wait here: /wait/ID.
    std::string outer_page = {}; // Where they wait before that, in the outer line; empty: nowhere.
};

struct FrontPage {
    std::vector<FrontRoom> rooms;
    std::size_t rooms_total = 0;  // There may be more than are shown.
    bool shows_metrics = false;   // To those who may read them.
    bool shows_admin = false;     // How to call the admin routes.
    std::string admin_token_path; // Where the token is kept; empty: in the configuration.
    std::string address;          // Of this server, as the visitor reached it.
};

inline constexpr std::size_t front_rooms_max = 20;

std::string render_front_page(const FrontPage& page);

} // namespace anteroom::api
