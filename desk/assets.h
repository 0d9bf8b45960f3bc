// Files that the server carries in its binary (cmake/asset.cmake).
#pragma once

#include <string_view>

namespace anteroom::assets {

struct Asset {
    std::string_view plain;
    std::string_view gzip;
    std::string_view etag; // With its quotes; of the plain bytes.
};

extern const Asset wait_page;   // The waiting page, the same bytes for every room.
extern const Asset vwr_page;    // The same page before an event: tier 1.
extern const Asset queue_page;  // And for those who are logged in: tier 2.
extern const Asset timer;       // The worker that keeps time for a hidden one of them.
extern const Asset plain_page;  // The first one's template for browsers without scripts.
extern const Asset texts;       // What both say, by language.
extern const Asset front_page;  // The template of "/" where there is no origin.
extern const Asset front_room;  // One room on it.
extern const Asset down_page;   // The origin does not answer.
extern const Asset openapi;     // The document without its paths, and
extern const Asset operations;  // what can be done with them, by name.
extern const Asset demo_target; // Where the demo's visitors arrive.

} // namespace anteroom::assets
