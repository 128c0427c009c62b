# The simulated GPU against memory histories recorded on real ones. Skips (77) where those are not at hand; else it
# installs the traces' torch in the cache, once. Not part of what a change of a model or technique can break.
add_test(NAME fidelity.recorded_traces
         COMMAND ${Python3_EXECUTABLE} -B ${PROJECT_SOURCE_DIR}/scripts/fidelity.py --check)
set_tests_properties(fidelity.recorded_traces PROPERTIES
  LABELS "fidelity" SKIP_RETURN_CODE 77 TIMEOUT 1200 PROCESSORS 2)
