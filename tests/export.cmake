# Exports, held against readers that are not ours.
find_package(Python3 3.11 REQUIRED COMPONENTS Interpreter)
if(HIGHWATER_PYTHON)
  set(export_python ${HIGHWATER_PYTHON})
else()
  set(export_python ${Python3_EXECUTABLE})
endif()

# highwater_add_reader_test(<name> <script> <timeout> [class...]): what the program writes, read by a program that
# is not ours. Skips with 77 where there is none.
function(highwater_add_reader_test name script timeout)
  add_test(NAME ${name} COMMAND ${export_python} -B ${CMAKE_CURRENT_LIST_DIR}/${script} ${ARGN})
  set_tests_properties(${name} PROPERTIES
    LABELS "kind:report" SKIP_RETURN_CODE 77 TIMEOUT ${timeout}
    ENVIRONMENT "HIGHWATER_PROGRAM=$<TARGET_FILE:highwater>")
endfunction()

highwater_add_reader_test(export.google_benchmark export/test_json.py 60 GoogleBenchmark)
highwater_add_reader_test(export.smaller_is_better export/test_json.py 60 SmallerIsBetter)
highwater_add_reader_test(export.bencher export/test_json.py 60 Bencher)
highwater_add_reader_test(export.chrome_trace export/test_json.py 60 ChromeTrace)
highwater_add_reader_test(export.csv export/test_csv.py 60)
highwater_add_reader_test(export.junit export/test_junit.py 60)
highwater_add_reader_test(export.markdown export/test_markdown.py 60)
if(HIGHWATER_WITH_TORCH)
  highwater_add_reader_test(export.event_trace export/test_event_trace.py 60)
  highwater_add_reader_test(export.snapshot export/test_snapshot.py 180)
endif()
