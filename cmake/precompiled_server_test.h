// cmake/precompiled_test.h for tests that need a server: each of them starts a server.
#pragma once

#include "cmake/precompiled_test.h"
#include "tests/server/test_server.h"
