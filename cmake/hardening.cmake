# What makes a bug in the shipped program hard to use, and its bytes independent of where it was built.
# Only for release builds: FORTIFY needs an optimiser, and its wrappers hide calls from the sanitizers.

if(NOT CMAKE_BUILD_TYPE STREQUAL "Release" OR ANTEROOM_SANITIZE OR ANTEROOM_FUZZ)
  return()
endif()

target_compile_options(anteroom_flags INTERFACE
  -fstack-protector-strong -fstack-clash-protection
  -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3
  -fPIE)
target_link_options(anteroom_flags INTERFACE
  -pie
  -Wl,-z,relro -Wl,-z,now   # Together: the table of imported functions is read-only before main starts.
  -Wl,-z,noexecstack
  -Wl,--build-id=sha1)      # By which debuggers find the symbols that `make dist` packs separately.

# CET. Debian's crt1.o does not announce it, so the linker cannot mark the program; our code is ready for it.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
  target_compile_options(anteroom_flags INTERFACE -fcf-protection=full)
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64)$")
  target_compile_options(anteroom_flags INTERFACE -mbranch-protection=standard)
endif()

# CHECK prints a path within the tree. Debuggers need a prefix that they can replace (`set substitute-path`).
target_compile_options(anteroom_flags INTERFACE
  -fmacro-prefix-map=${PROJECT_SOURCE_DIR}/=
  -fdebug-prefix-map=${PROJECT_SOURCE_DIR}=/usr/src/anteroom)
