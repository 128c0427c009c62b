# Planted regressions: a core with faults to switch on, the real program and the real gate over it.
add_highwater_core(highwater_planted_core
    ${HIGHWATER_LIBRARY_DIR}/libhighwater_planted_core.so.catalog.json
    ${CMAKE_CURRENT_LIST_DIR}/planted/planted_model.cpp
    ${CMAKE_CURRENT_LIST_DIR}/planted/added_technique.cpp)

find_package(Python3 REQUIRED COMPONENTS Interpreter)
add_test(NAME planted.regressions
         COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/planted/test_planted.py -v)
add_test(NAME planted.technique
         COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/planted/test_added.py -v)
set_tests_properties(planted.regressions planted.technique PROPERTIES LABELS "kind:gate;device:sim" TIMEOUT 300
    ENVIRONMENT "HIGHWATER_PROGRAM=$<TARGET_FILE:highwater>;HIGHWATER_CORE=$<TARGET_FILE:highwater_planted_core>")

# The real core, and 5 repeats; HIGHWATER_SOAK=1 makes it 200, a quarter of an hour.
add_test(NAME planted.none
         COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_LIST_DIR}/planted/test_clean.py -v)
set_tests_properties(planted.none PROPERTIES LABELS "kind:gate;device:sim;device:cpu" TIMEOUT 3600
    ENVIRONMENT "HIGHWATER_PROGRAM=$<TARGET_FILE:highwater>")
