// cmake/precompiled.h for tests: GoogleTest is in all of them.
#pragma once

#include <gtest/gtest.h>

#include "cmake/precompiled.h"
