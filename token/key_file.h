// The key file on disk: mode 0600, replaced as a whole or not at all.
//
// For start-up and the `keys` command; blocks on the disk. A file that others may read is refused,
// because other users may have read its secrets.
#pragma once

#include <string>

#include "base/result.h"
#include "token/key_ring.h"

namespace anteroom::token {

Result<KeyRing> load_keys(const std::string& path);

// Generates and stores the keys when there is no file. When two processes start at once, both end
// with the keys of the one that was first.
Result<KeyRing> load_or_create_keys(const std::string& path, UnixSeconds now);

Result<void> save_keys(const KeyRing& ring, const std::string& path);

} // namespace anteroom::token
