// cmake/precompiled_test.h for the tests of api/: each of them starts a server.
#pragma once

#include "api/test_server.h"
#include "cmake/precompiled_test.h"
