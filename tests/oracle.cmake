# The allocator: an oracle of its published policy, Torch's own under simulation, and recorded traces, which lie beside
# the project, never in it.
find_package(Python3 REQUIRED COMPONENTS Interpreter)
set(oracle_tests_dir ${CMAKE_CURRENT_LIST_DIR}/fidelity)
set(HIGHWATER_TRACES_DIR ${PROJECT_SOURCE_DIR}/../shared/data/traces CACHE PATH
    "Folder of recorded allocator traces")
set(with_traces ${Python3_EXECUTABLE} -B ${oracle_tests_dir}/with_traces.py ${HIGHWATER_TRACES_DIR})

file(GLOB oracle_test_sources CONFIGURE_DEPENDS ${oracle_tests_dir}/*.cpp)
add_executable(highwater_oracle_tests ${oracle_test_sources})
target_link_libraries(highwater_oracle_tests
  PRIVATE highwater_oracle GTest::gtest_main highwater_warnings)
gtest_discover_tests(highwater_oracle_tests TEST_PREFIX "oracle." NO_PRETTY_VALUES
  TEST_FILTER "-RecordedTraces.*"
  PROPERTIES LABELS "kind:unit" TIMEOUT 120)

# highwater_add_oracle_test(<name> <command...>): skips with 77.
function(highwater_add_oracle_test name)
  add_test(NAME fidelity.${name} COMMAND ${ARGN})
  set_tests_properties(fidelity.${name} PROPERTIES
    LABELS "fidelity" SKIP_RETURN_CODE 77 TIMEOUT 300
    ENVIRONMENT "SIMGPU_PROFILE=${PROJECT_SOURCE_DIR}/simgpu/profiles/h200.json")
endfunction()

highwater_add_oracle_test(allocator.traces.oracle
  ${with_traces} $<TARGET_FILE:highwater_oracle_tests> --gtest_filter=RecordedTraces.*)
if(HIGHWATER_WITH_TORCH)
  highwater_add_oracle_test(allocator.traces.torch
    ${with_traces} $<TARGET_FILE:highwater_allocator_replay>
    --events {trace}.events.tsv --segments {trace}.segments.tsv)
  # A thousand programs for each order of addresses that the simulation knows.
  set(orders falling rising random:1)
  set(seeds 1 1001 2001)
  foreach(order seed IN ZIP_LISTS orders seeds)
    string(REGEX REPLACE ":.*" "" name ${order})
    highwater_add_oracle_test(allocator.programs.${name}
      $<TARGET_FILE:highwater_allocator_programs> --first ${seed} --count 1000)
    set_tests_properties(fidelity.allocator.programs.${name} PROPERTIES
      ENVIRONMENT_MODIFICATION "SIMGPU_ADDRESS_ORDER=set:${order}")
  endforeach()
endif()
