option(HIGHWATER_WITH_TORCH "Build the core library, which links Torch, and the simulated GPU" ON)
option(HIGHWATER_SANITIZE "Address and undefined-behaviour sanitizers (only without Torch)" OFF)
option(HIGHWATER_FUZZ "Fuzzers of everything that reads files, instead of the tests (clang, without Torch)" OFF)

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()
# -O1: Torch's headers compile in half the time of -O3, and no time is spent in our own code.
set(CMAKE_CXX_FLAGS_RELEASE "-O1")

# The build tree has the shape of an installation, so that programs find their parts the same way.
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
set(HIGHWATER_LIBRARY_DIR ${CMAKE_BINARY_DIR}/lib/highwater)
set(HIGHWATER_SHARE_DIR ${CMAKE_BINARY_DIR}/share/highwater)

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # pch_defines and time_macros let ccache serve files that use the precompiled header.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env
      CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime ${CCACHE_PROGRAM})
endif()

if(HIGHWATER_SANITIZE)
  if(HIGHWATER_WITH_TORCH)
    message(FATAL_ERROR "HIGHWATER_SANITIZE covers what does not load Torch: set HIGHWATER_WITH_TORCH=OFF")
  endif()
  # -O0 -g1: a test file compiles in 7 s; with -O1 -g it took 25 s, and a whole run of CI 78 minutes.
  set(CMAKE_CXX_FLAGS_RELEASE "-O0")
  add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer -g1)
  add_link_options(-fsanitize=address,undefined)
endif()

if(HIGHWATER_FUZZ)
  if(HIGHWATER_WITH_TORCH OR NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    message(FATAL_ERROR "HIGHWATER_FUZZ needs clang and HIGHWATER_WITH_TORCH=OFF: use the preset fuzz")
  endif()
  # Undefined behaviour is looked for by the preset asan, which replays the corpus: both at once compile twice as long.
  add_compile_options(-fsanitize=fuzzer-no-link,address -fno-omit-frame-pointer -g)
  add_link_options(-fsanitize=address)
endif()
