# What `cmake --install` gives, used as other people use it.
add_test(NAME installed.elsewhere
         COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_LIST_DIR}/installed/test_installed.py
                 ${PROJECT_BINARY_DIR} ${HIGHWATER_TORCH_DIR} ${HIGHWATER_CUDA_INCLUDE_DIR})
set_tests_properties(installed.elsewhere PROPERTIES LABELS "kind:install;device:sim" TIMEOUT 1800)
