# Tests of what links Torch. The stand-ins are linked before Torch, so one program tests both devices:
# names that start with "Sim" run on a simulated H200, all others on the CPU with no device there.
get_property(simgpu_targets GLOBAL PROPERTY SIMGPU_TARGETS)

file(GLOB core_test_sources CONFIGURE_DEPENDS
     ${CMAKE_CURRENT_LIST_DIR}/workload/*_test.cpp ${CMAKE_CURRENT_LIST_DIR}/measure/step_probe_test.cpp
     ${CMAKE_CURRENT_LIST_DIR}/measure/operation_trace_test.cpp
     ${CMAKE_CURRENT_LIST_DIR}/run/*_test.cpp ${CMAKE_CURRENT_LIST_DIR}/models/*_test.cpp ${CMAKE_CURRENT_LIST_DIR}/conformance/*_test.cpp)
# An OBJECT library, compiled with the core's own flags, can use the core's precompiled header.
add_library(highwater_core_test_objects OBJECT ${core_test_sources})
target_link_libraries(highwater_core_test_objects
                      PUBLIC highwater_core_objects GTest::gtest PRIVATE highwater_warnings)
target_compile_definitions(highwater_core_test_objects PRIVATE
                           HIGHWATER_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
target_precompile_headers(highwater_core_test_objects REUSE_FROM highwater_core_objects)

add_executable(highwater_core_tests
    support/core_test_main.cpp
    $<TARGET_OBJECTS:highwater_core_test_objects> $<TARGET_OBJECTS:highwater_core_objects>)
target_link_libraries(highwater_core_tests PRIVATE
    -Wl,--push-state,--no-as-needed ${simgpu_targets} -Wl,--pop-state
    highwater_torch_cuda highwater_front GTest::gtest highwater_warnings)

# One label each: gtest_discover_tests splits lists in its properties and shifts what follows.
gtest_discover_tests(highwater_core_tests TEST_LIST cpu_tests TEST_PREFIX "core." DISCOVERY_MODE PRE_TEST
    NO_PRETTY_VALUES
    TEST_FILTER "-*Sim*"
    PROPERTIES LABELS "kind:unit" ENVIRONMENT "HIGHWATER_TEST_DEVICE=cpu" TIMEOUT 600)
gtest_discover_tests(highwater_core_tests TEST_LIST sim_tests TEST_PREFIX "core.sim." DISCOVERY_MODE PRE_TEST
    NO_PRETTY_VALUES
    TEST_FILTER "*Sim*"
    PROPERTIES LABELS "kind:unit" ENVIRONMENT "HIGHWATER_TEST_DEVICE=sim:h200" TIMEOUT 600)
