# Each header must compile on its own: one generated source per header, compiled and thrown away.
function(add_header_tests target)
  set(sources)
  foreach(header IN LISTS ARGN)
    file(RELATIVE_PATH name ${CMAKE_SOURCE_DIR} ${header})
    string(REPLACE "/" "_" file ${name})
    set(source ${CMAKE_BINARY_DIR}/header_tests/${file}.cpp)
    file(CONFIGURE OUTPUT ${source} CONTENT "#include \"${name}\"\n#include \"${name}\"\n")
    list(APPEND sources ${source})
  endforeach()
  add_library(${target} OBJECT ${sources})
  target_include_directories(${target} PRIVATE ${CMAKE_SOURCE_DIR})
  target_link_libraries(${target} PRIVATE highwater_warnings)
endfunction()

file(GLOB_RECURSE front_headers CONFIGURE_DEPENDS
     harness/core/*.hpp harness/config/*.hpp harness/matrix/*.hpp harness/launch/*.hpp
     harness/doctor/*.hpp
     harness/record/*.hpp harness/compare/*.hpp harness/report/*.hpp harness/export/*.hpp harness/page/*.hpp
     fidelity/allocator/*.hpp)
list(APPEND front_headers
     ${CMAKE_SOURCE_DIR}/harness/measure/metric.hpp ${CMAKE_SOURCE_DIR}/harness/measure/measurement.hpp
     ${CMAKE_SOURCE_DIR}/harness/measure/statistics.hpp
     ${CMAKE_SOURCE_DIR}/harness/measure/allocation_log.hpp
     ${CMAKE_SOURCE_DIR}/harness/measure/inspection.hpp
     ${CMAKE_SOURCE_DIR}/harness/run/outcome.hpp ${CMAKE_SOURCE_DIR}/harness/run/request.hpp)
add_header_tests(front_header_tests ${front_headers})
target_link_libraries(front_header_tests PRIVATE highwater_shared)

# Torch's own headers come precompiled here (15 s a header without), so what these find is a missing
# header of ours.
if(HIGHWATER_WITH_TORCH)
  file(GLOB torch_headers CONFIGURE_DEPENDS harness/workload/*.hpp harness/run/*.hpp
       harness/measure/*.hpp)
  list(REMOVE_ITEM torch_headers ${front_headers})
  add_header_tests(torch_header_tests ${torch_headers})
  target_link_libraries(torch_header_tests PRIVATE highwater_core_objects)
  target_precompile_headers(torch_header_tests REUSE_FROM highwater_core_objects)
endif()
