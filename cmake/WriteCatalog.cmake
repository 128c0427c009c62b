# Asks a core library what is registered in it, so that the front needs no Torch to list cells.
set(ENV{SIMGPU_DEVICES} 0)
file(WRITE ${CATALOG}.request "{\"command\":\"catalog\"}")
execute_process(COMMAND ${CELL_PROGRAM} --core ${CORE} --standins ${STANDINS} --result-fd 1
                INPUT_FILE ${CATALOG}.request OUTPUT_FILE ${CATALOG}.new RESULT_VARIABLE result)
file(REMOVE ${CATALOG}.request)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "no catalogue: ${CORE} exited with ${result}")
endif()
file(RENAME ${CATALOG}.new ${CATALOG})
