# Planted regressions: a plug-in with faults to switch on, the real program and the real gate over it.
highwater_add_plugin(highwater_planted planted/planted_model.cpp planted/added_technique.cpp)
target_precompile_headers(highwater_planted REUSE_FROM highwater_core_objects)
target_link_libraries(highwater_planted PRIVATE highwater_warnings)

find_package(Python3 REQUIRED COMPONENTS Interpreter)
add_test(NAME planted.regressions
         COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/planted/test_planted.py -v)
add_test(NAME planted.technique
         COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/planted/test_added.py -v)
set_tests_properties(planted.regressions planted.technique PROPERTIES LABELS "kind:gate;device:sim" TIMEOUT 300
    ENVIRONMENT "HIGHWATER_PROGRAM=$<TARGET_FILE:highwater>;HIGHWATER_PLUGINS=$<TARGET_FILE:highwater_planted>")

# The real models, and 5 repeats; HIGHWATER_SOAK=1 makes it 200, which took 22 minutes on two busy cores.
add_test(NAME planted.none
         COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_LIST_DIR}/planted/test_clean.py -v)
set_tests_properties(planted.none PROPERTIES LABELS "kind:gate;device:sim;device:cpu" TIMEOUT 3600
    ENVIRONMENT "HIGHWATER_PROGRAM=$<TARGET_FILE:highwater>")
