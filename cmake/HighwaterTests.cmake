# CTest over memory: the tests of a suite, and a byte budget for any program. The same file serves this tree
# and whoever finds an installation with find_package(Highwater).

set(HIGHWATER_SUITE_TEMPLATE ${CMAKE_CURRENT_LIST_DIR}/discover_suite.cmake.in)

# highwater_add_suite(<name>
#                     SUITE <name or file.toml> DEVICES <device>...
#                     [BASELINES <folder>] [PLUGINS <target or file>...] [EACH_CELL] [RECORD_ONLY])
#
# Test cells.<name>.run measures the suite once, as a fixture; gate.<name> holds the run against the baselines
# (default: results/baselines of the project), whether or not they know its cells. EACH_CELL adds a test
# cell.<id> for each cell, with the labels device:<device> and technique:<technique>, so that a red cell is one
# red line; RECORD_ONLY leaves the gate out. Runs go to <build>/cell_tests/<name>.
#
# Cells are listed when ctest starts, which needs no device: a new model or technique gets its tests without
# a configure. On cuda the tests skip where there is no driver, unless HIGHWATER_REQUIRE_GPU=1 promises one:
# then canary.accelerator fails. Environment variables that ctest reads:
#
#   HIGHWATER_RESOURCE_SPEC  the file given to ctest --resource-spec-file (share/highwater/scripts/make_resource_spec.py):
#                            runs on cuda spread over its GPUs; without it they follow one another
#   HIGHWATER_DASHBOARD      1: tests of cells print their metrics as CTestMeasurement for a dashboard
function(highwater_add_suite name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "EACH_CELL;RECORD_ONLY" "SUITE;BASELINES" "DEVICES;PLUGINS")
  highwater_check_arguments("highwater_add_suite(${name})" "SUITE;DEVICES")
  if(NOT arg_BASELINES)
    set(arg_BASELINES ${PROJECT_SOURCE_DIR}/results/baselines)
  endif()
  cmake_path(ABSOLUTE_PATH arg_BASELINES)
  if(arg_SUITE MATCHES "\\.toml$")
    cmake_path(ABSOLUTE_PATH arg_SUITE)
  endif()
  set(plugins)
  foreach(plugin IN LISTS arg_PLUGINS)
    if(TARGET ${plugin})
      list(APPEND plugins $<TARGET_FILE:${plugin}>)
    else()
      cmake_path(ABSOLUTE_PATH plugin)
      list(APPEND plugins ${plugin})
    endif()
  endforeach()
  list(JOIN plugins ":" plugins)
  set(program $<TARGET_FILE:Highwater::highwater>)
  set(results ${PROJECT_BINARY_DIR}/cell_tests/${name})
  set(script ${CMAKE_CURRENT_BINARY_DIR}/highwater_suite_${name}.cmake)
  configure_file(${HIGHWATER_SUITE_TEMPLATE} ${script}.in @ONLY)
  file(GENERATE OUTPUT ${script} INPUT ${script}.in)
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${script})
endfunction()

# highwater_add_budget(<name>
#                      COMMAND <program> <arguments>... DEVICE sim:<profile> PEAK <size>
#                      [WORKING_DIRECTORY <folder>] [TIMEOUT <seconds>] [EXEC_FLAGS <flag>...])
#
# Test <name> runs a program that trains with torch, Python or C++, unchanged on a simulated GPU and fails
# where a process of it allocates more than PEAK (such as 10GiB) on a device, or fails itself (highwater exec
# --budget). The program may be a target. The first run for a version of torch builds its stand-ins.
function(highwater_add_budget name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "DEVICE;PEAK;WORKING_DIRECTORY;TIMEOUT" "COMMAND;EXEC_FLAGS")
  highwater_check_arguments("highwater_add_budget(${name})" "COMMAND;DEVICE;PEAK")
  list(POP_FRONT arg_COMMAND program)
  if(TARGET ${program})
    set(program $<TARGET_FILE:${program}>)
  endif()
  if(NOT arg_WORKING_DIRECTORY)
    set(arg_WORKING_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR})
  endif()
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 1800)
  endif()
  add_test(NAME ${name} WORKING_DIRECTORY ${arg_WORKING_DIRECTORY}
           COMMAND Highwater::highwater exec --device ${arg_DEVICE} --budget ${arg_PEAK} ${arg_EXEC_FLAGS}
                   -- ${program} ${arg_COMMAND})
  set_tests_properties(${name} PROPERTIES LABELS "kind:budget;tier:full;device:${arg_DEVICE}"
                       TIMEOUT ${arg_TIMEOUT})
endfunction()

# In the scope of a function above: stops at arguments that it does not know or lacks.
macro(highwater_check_arguments call required)
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "${call}: unknown arguments: ${arg_UNPARSED_ARGUMENTS}")
  endif()
  foreach(argument ${required})
    if(NOT DEFINED arg_${argument})
      message(FATAL_ERROR "${call}: ${argument} is missing")
    endif()
  endforeach()
endmacro()
