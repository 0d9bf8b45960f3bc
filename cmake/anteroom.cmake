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

# Headers that are parsed once: cmake/precompiled.h for libraries and programs, cmake/precompiled_test.h for tests,
# and what a folder adds for itself. A folder's own must be worth it: it is loaded by each of its files.
option(ANTEROOM_PRECOMPILE "Precompile the headers that nearly every file includes" ON)
find_package(fmt REQUIRED GLOBAL)
target_link_libraries(anteroom_flags INTERFACE fmt::fmt)
set(test_optimisation -O1)  # What is tested is fast; the test need not be.
if(ANTEROOM_PRECOMPILE)
  # g++ 12 reports these about libstdc++'s own strings (GCC bugs 105329, 105651), and forgets that a header is the
  # system's when it is precompiled. clang and the sanitizers look for the same faults.
  target_compile_options(anteroom_flags INTERFACE
    $<$<CXX_COMPILER_ID:GNU>:-Wno-array-bounds;-Wno-restrict;-Wno-stringop-overflow;-Wno-stringop-overread>)
endif()

# The release compiles the files of a library four at a time: most of a file's time goes into headers, and four files share
# them. The preset `clang` compiles each file alone.
option(ANTEROOM_UNITY "Compile the files of a library in batches" OFF)

# anteroom_alone(FILE…): not in a batch, because the file wants macros of its own, or because g++ warns of types without
# linkage in the frames of its coroutines.
function(anteroom_alone)
  set_source_files_properties(${ARGN} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

# anteroom_precompiled(api_test HEADER precompiled_api_test.h [USES service net] [LINKS GTest::gtest] [OPTIONS -O1])
function(anteroom_precompiled name)
  cmake_parse_arguments(ARG "" "HEADER" "USES;LINKS;OPTIONS" ${ARGN})
  list(TRANSFORM ARG_USES PREPEND anteroom_)
  if(ANTEROOM_PRECOMPILE)
    set(carrier ${CMAKE_BINARY_DIR}/precompiled/${name}.cpp)
    file(GENERATE OUTPUT ${carrier} CONTENT "// Carries the precompiled header.\n")
    add_library(precompiled_${name} OBJECT ${carrier})
    target_link_libraries(precompiled_${name} PRIVATE anteroom_flags ${ARG_USES} ${ARG_LINKS})
    target_compile_options(precompiled_${name} PRIVATE ${ARG_OPTIONS})
    target_precompile_headers(precompiled_${name} PRIVATE ${PROJECT_SOURCE_DIR}/cmake/${ARG_HEADER})
  endif()
endfunction()
function(anteroom_use_precompiled target name)
  if(ANTEROOM_PRECOMPILE)
    target_precompile_headers(${target} REUSE_FROM precompiled_${name})
  endif()
endfunction()
anteroom_precompiled(common HEADER precompiled.h)

# anteroom_library(engine SOURCES line.cpp … USES base LINKS OpenSSL::Crypto [PRECOMPILED api])
function(anteroom_library name)
  cmake_parse_arguments(ARG "" "PRECOMPILED" "SOURCES;USES;LINKS" ${ARGN})
  list(TRANSFORM ARG_USES PREPEND anteroom_)
  if(NOT ARG_PRECOMPILED)
    set(ARG_PRECOMPILED common)
  endif()
  if(ARG_SOURCES)
    add_library(anteroom_${name} STATIC ${ARG_SOURCES})
    target_link_libraries(anteroom_${name} PUBLIC anteroom_flags ${ARG_USES} ${ARG_LINKS})
    anteroom_use_precompiled(anteroom_${name} ${ARG_PRECOMPILED})
    set_target_properties(anteroom_${name} PROPERTIES UNITY_BUILD ${ANTEROOM_UNITY} UNITY_BUILD_BATCH_SIZE 4)
  else()
    add_library(anteroom_${name} INTERFACE)
    target_link_libraries(anteroom_${name} INTERFACE anteroom_flags ${ARG_USES} ${ARG_LINKS})
  endif()
endfunction()

# `make run` installs no GoogleTest: without it the tests are described all the same, and cannot be built. scripts/build
# configures again when a build with tests follows.
include(GoogleTest)
find_package(GTest QUIET)
if(NOT GTest_FOUND)
  message(STATUS "GoogleTest is missing: only the programs can be built; `make test` installs it")
  add_library(GTest::gtest INTERFACE IMPORTED)
  add_library(GTest::gtest_main INTERFACE IMPORTED)
endif()

anteroom_precompiled(test HEADER precompiled_test.h LINKS GTest::gtest OPTIONS ${test_optimisation})

# What `make test-long` builds and runs under AddressSanitizer, and `make check` under ThreadSanitizer.
add_custom_target(sanitized_tests)
add_custom_target(threaded_tests)

# anteroom_test(engine SOURCES line_test.cpp … [USES …]): one program per folder, one ctest entry per test.
# LABELS: `threads` for programs that start threads, `optimised` for those that are too slow otherwise, and with sanitizers.
# All have the label `unit`. `long`, of tests that are not made here, keeps one out of `make test`.
function(anteroom_test name)
  cmake_parse_arguments(ARG "" "TIMEOUT;PRECOMPILED" "SOURCES;USES;LINKS;LABELS" ${ARGN})
  list(TRANSFORM ARG_USES PREPEND anteroom_)
  add_executable(${name}_test ${ARG_SOURCES})
  target_link_libraries(${name}_test PRIVATE ${ARG_USES} ${ARG_LINKS} GTest::gtest_main)
  if("optimised" IN_LIST ARG_LABELS)
    anteroom_use_precompiled(${name}_test common)
  else()
    target_compile_options(${name}_test PRIVATE ${test_optimisation})
    if(NOT ARG_PRECOMPILED)
      set(ARG_PRECOMPILED test)
    endif()
    anteroom_use_precompiled(${name}_test ${ARG_PRECOMPILED})
    add_dependencies(sanitized_tests ${name}_test)
  endif()
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 300)
  endif()
  if("threads" IN_LIST ARG_LABELS)
    add_dependencies(threaded_tests ${name}_test)
  endif()
  gtest_discover_tests(${name}_test DISCOVERY_MODE PRE_TEST TEST_PREFIX "${name}/"
    PROPERTIES TIMEOUT ${ARG_TIMEOUT} LABELS "unit;${ARG_LABELS}")
endfunction()
