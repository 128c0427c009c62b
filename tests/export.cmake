# Exports, held against readers that are not ours.
find_package(Python3 3.11 REQUIRED COMPONENTS Interpreter)
if(HIGHWATER_PYTHON)
  set(export_python ${HIGHWATER_PYTHON})
else()
  set(export_python ${Python3_EXECUTABLE})
endif()

# highwater_add_export_test(<name> <script> [class]): skips with 77 where that Python has no readers.
function(highwater_add_export_test name script)
  add_test(NAME export.${name}
           COMMAND ${export_python} -B ${CMAKE_CURRENT_LIST_DIR}/export/${script} ${ARGN})
  set_tests_properties(export.${name} PROPERTIES
    LABELS "kind:report" SKIP_RETURN_CODE 77 TIMEOUT 60
    ENVIRONMENT "HIGHWATER_PROGRAM=$<TARGET_FILE:highwater>")
endfunction()

highwater_add_export_test(google_benchmark test_json.py GoogleBenchmark)
highwater_add_export_test(smaller_is_better test_json.py SmallerIsBetter)
highwater_add_export_test(bencher test_json.py Bencher)
highwater_add_export_test(chrome_trace test_json.py ChromeTrace)
highwater_add_export_test(csv test_csv.py)
highwater_add_export_test(junit test_junit.py)
highwater_add_export_test(markdown test_markdown.py)
if(HIGHWATER_WITH_TORCH)
  highwater_add_export_test(event_trace test_event_trace.py)
  highwater_add_export_test(snapshot test_snapshot.py)
  set_tests_properties(export.snapshot PROPERTIES TIMEOUT 180)
endif()
