# How every folder of the house is built: one library, its tests beside it, the same flags for all.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})

set(ANTEROOM_SANITIZE "" CACHE STRING "Sanitizers for the whole tree, as -fsanitize takes them")

add_library(anteroom_flags INTERFACE)
target_include_directories(anteroom_flags INTERFACE ${PROJECT_SOURCE_DIR})
target_compile_options(anteroom_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wnon-virtual-dtor
  -Wold-style-cast -Woverloaded-virtual -Werror
  -Wno-missing-field-initializers)  # Designated initializers name what matters; the rest has defaults.
if(ANTEROOM_SANITIZE)
  target_compile_options(anteroom_flags INTERFACE
    -fsanitize=${ANTEROOM_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  # With -fsanitize=address, g++ 12 takes the inactive alternative of a Result for an uninitialised string.
  target_compile_options(anteroom_flags INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
  target_link_options(anteroom_flags INTERFACE -fsanitize=${ANTEROOM_SANITIZE})
  # clang 14 cannot place the check of function types in front of a coroutine.
  target_compile_options(anteroom_flags INTERFACE $<$<CXX_COMPILER_ID:Clang>:-fno-sanitize=function>)
endif()

option(ANTEROOM_FUZZ "Build the fuzz targets; needs clang" OFF)
if(ANTEROOM_FUZZ)
  target_compile_options(anteroom_flags INTERFACE -fsanitize=fuzzer-no-link)
  target_link_options(anteroom_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()

# anteroom_library(engine SOURCES line.cpp … USES base LINKS OpenSSL::Crypto)
function(anteroom_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;USES;LINKS" ${ARGN})
  list(TRANSFORM ARG_USES PREPEND anteroom_)
  if(ARG_SOURCES)
    add_library(anteroom_${name} STATIC ${ARG_SOURCES})
    target_link_libraries(anteroom_${name} PUBLIC anteroom_flags ${ARG_USES} ${ARG_LINKS})
  else()
    add_library(anteroom_${name} INTERFACE)
    target_link_libraries(anteroom_${name} INTERFACE anteroom_flags ${ARG_USES} ${ARG_LINKS})
  endif()
endfunction()

# The programs with the label `threads`: what `make check` builds and runs under ThreadSanitizer.
add_custom_target(threaded_tests)

# anteroom_test(engine SOURCES line_test.cpp … [USES …]): one program per folder, one ctest entry per test.
# LABELS: `threads` for programs that start threads, `long` for those that sanitizers would make too slow.
function(anteroom_test name)
  cmake_parse_arguments(ARG "" "TIMEOUT" "SOURCES;USES;LINKS;LABELS" ${ARGN})
  list(TRANSFORM ARG_USES PREPEND anteroom_)
  find_package(GTest REQUIRED)
  include(GoogleTest)
  add_executable(${name}_test ${ARG_SOURCES})
  target_link_libraries(${name}_test PRIVATE ${ARG_USES} ${ARG_LINKS} GTest::gtest_main)
  if(NOT "long" IN_LIST ARG_LABELS)
    target_compile_options(${name}_test PRIVATE -O1)  # What is tested is fast; the test need not be.
  endif()
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 300)
  endif()
  if("threads" IN_LIST ARG_LABELS)
    add_dependencies(threaded_tests ${name}_test)
  endif()
  gtest_discover_tests(${name}_test DISCOVERY_MODE PRE_TEST TEST_PREFIX "${name}/"
    PROPERTIES TIMEOUT ${ARG_TIMEOUT} LABELS "${ARG_LABELS}")
endfunction()
