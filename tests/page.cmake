# Pages of `highwater report --html`, in a real browser. Skips with 77 where there is none.

# highwater_add_page_test(<name> <script> [class...])
function(highwater_add_page_test name script)
  add_test(NAME page.${name}
           COMMAND ${export_python} -B ${CMAKE_CURRENT_LIST_DIR}/page/${script} ${ARGN})
  set_tests_properties(page.${name} PROPERTIES
    LABELS "kind:report" SKIP_RETURN_CODE 77 TIMEOUT 300
    ENVIRONMENT "HIGHWATER_PROGRAM=$<TARGET_FILE:highwater>")
endfunction()

highwater_add_page_test(published test_page.py)
highwater_add_page_test(made_up test_runs.py HostileNames TwoRuns)
# It holds the page to seconds, so nothing else runs meanwhile.
highwater_add_page_test(many_cells test_runs.py ManyCells)
set_tests_properties(page.many_cells PROPERTIES RUN_SERIAL ON)
