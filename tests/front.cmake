# Tests of all that links neither Torch nor CUDA, in one program. Cells are played by fakes/fake_cell.cpp.
set(front_tests_dir ${CMAKE_CURRENT_LIST_DIR})

add_executable(highwater_fake_cell ${front_tests_dir}/fakes/fake_cell.cpp)
target_link_libraries(highwater_fake_cell PRIVATE highwater_shared highwater_warnings)

set(front_test_sources)
foreach(folder core config matrix launch exec doctor record compare report export page cli)
  file(GLOB folder_sources CONFIGURE_DEPENDS ${front_tests_dir}/${folder}/*_test.cpp)
  list(APPEND front_test_sources ${folder_sources})
endforeach()
list(APPEND front_test_sources
  ${front_tests_dir}/measure/allocation_log_test.cpp ${front_tests_dir}/measure/event_stream_test.cpp
  ${front_tests_dir}/measure/peak_profile_test.cpp ${front_tests_dir}/measure/statistics_test.cpp)

add_executable(highwater_front_tests
  ${front_test_sources}
  ${front_tests_dir}/fakes/fake_installation.cpp
  ${front_tests_dir}/fakes/program.cpp
  ${front_tests_dir}/fakes/sample_run.cpp)
target_link_libraries(highwater_front_tests
  PRIVATE highwater_front GTest::gtest_main highwater_warnings)
target_compile_definitions(highwater_front_tests PRIVATE
  HIGHWATER_PROGRAM="$<TARGET_FILE:highwater>"
  HIGHWATER_BENCHMARKS_PROGRAM="$<TARGET_FILE:highwater_benchmarks>"
  HIGHWATER_FAKE_CELL="$<TARGET_FILE:highwater_fake_cell>"
  HIGHWATER_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
add_dependencies(highwater_front_tests highwater highwater_benchmarks highwater_fake_cell)
gtest_discover_tests(highwater_front_tests TEST_PREFIX "front."
  PROPERTIES LABELS "kind:unit" TIMEOUT 60)
