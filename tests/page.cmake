# Pages of `highwater report --html`, in a real browser.

highwater_add_reader_test(page.published page/test_page.py 300)
highwater_add_reader_test(page.made_up page/test_runs.py 300 HostileNames TwoRuns)
# It holds the page to seconds, so nothing else runs meanwhile.
highwater_add_reader_test(page.many_cells page/test_runs.py 300 ManyCells)
set_tests_properties(page.many_cells PROPERTIES RUN_SERIAL ON)
