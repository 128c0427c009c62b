# The suites under CTest, listed when ctest starts: a new model or technique gets its tests without a
# build being configured again. See discover_cells.cmake.in.
set(cell_tests_program $<TARGET_FILE:highwater>)
set(cell_tests_results ${PROJECT_BINARY_DIR}/cell_tests)
set(cell_tests_baselines ${PROJECT_SOURCE_DIR}/results/baselines)
configure_file(${CMAKE_CURRENT_LIST_DIR}/discover_cells.cmake.in
               ${CMAKE_CURRENT_BINARY_DIR}/discover_cells.cmake.in @ONLY)
file(GENERATE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/discover_cells.cmake
     INPUT ${CMAKE_CURRENT_BINARY_DIR}/discover_cells.cmake.in)
set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES
             ${CMAKE_CURRENT_BINARY_DIR}/discover_cells.cmake)
