# The simulated GPU against memory histories recorded on real ones. Skips (77) where those are not at hand; else it
# installs the traces' torch in the cache, once. Not part of what a change of a model or technique can break.
add_test(NAME fidelity.recorded_traces
         COMMAND ${Python3_EXECUTABLE} -B ${PROJECT_SOURCE_DIR}/scripts/fidelity.py --check
                 --build ${CMAKE_BINARY_DIR})
set_tests_properties(fidelity.recorded_traces PROPERTIES
  LABELS "fidelity" SKIP_RETURN_CODE 77 TIMEOUT 1200 PROCESSORS 2)

# Event streams of suite cells, held against golden files: the simulated card always, the real one where it is.
foreach(device sim:h200 cuda)
  string(REGEX REPLACE ":.*" "" name ${device})
  add_test(NAME golden.${name}
           COMMAND ${Python3_EXECUTABLE} -B ${PROJECT_SOURCE_DIR}/scripts/golden_streams.py $<TARGET_FILE:highwater>
                   --device ${device})
  set_tests_properties(golden.${name} PROPERTIES LABELS "fidelity" SKIP_RETURN_CODE 77 TIMEOUT 300)
endforeach()
set_tests_properties(golden.cuda PROPERTIES RUN_SERIAL ON)
