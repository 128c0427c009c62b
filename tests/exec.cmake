# `highwater exec` from one end to the other: real programs on each supported torch. The Python torches
# are downloaded into the cache once (scripts/install_python_torch.py), the stand-ins built once.
foreach(version IN ITEMS 2.6.0 2.11.0 2.15.0)
  add_test(NAME exec.python-torch-${version}
    COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_LIST_DIR}/exec/python_programs.py
            $<TARGET_FILE:highwater> ${version})
  set_tests_properties(exec.python-torch-${version} PROPERTIES LABELS "kind:exec" TIMEOUT 1800)
endforeach()

add_test(NAME exec.cpp-program
  COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_LIST_DIR}/exec/cpp_program.py
          $<TARGET_FILE:highwater> ${HIGHWATER_TORCH_DIR} ${HIGHWATER_CUDA_INCLUDE_DIR})
set_tests_properties(exec.cpp-program PROPERTIES LABELS "kind:exec" TIMEOUT 1800)
