# The core: everything that links Torch, in one shared object that the cell launcher maps after the
# stand-ins. An OBJECT library, because a static one would drop files that only register themselves.
file(GLOB core_sources CONFIGURE_DEPENDS
     harness/workload/*.cpp harness/run/*.cpp models/*.cpp techniques/*.cpp)
list(REMOVE_ITEM core_sources ${CMAKE_SOURCE_DIR}/harness/run/outcome.cpp)
list(APPEND core_sources
     harness/measure/allocation_recorder.cpp harness/measure/allocator_state.cpp
     harness/measure/event_recorder.cpp
     harness/measure/memory_meter.cpp harness/measure/operation_trace.cpp
     harness/measure/step_probe.cpp)

add_library(highwater_core_objects OBJECT ${core_sources})
target_include_directories(highwater_core_objects PUBLIC ${CMAKE_SOURCE_DIR})
target_link_libraries(highwater_core_objects
                      PUBLIC torch_gpu nlohmann_json::nlohmann_json highwater_shared
                      PRIVATE highwater_warnings)
# torch/torch.h in its place costs 10 s more once and 2 s more in every file.
target_precompile_headers(highwater_core_objects PRIVATE
                          <ATen/ATen.h> <torch/nn/module.h> <nlohmann/json.hpp>)

# add_highwater_core(<target> <catalogue> [sources...]): a core library and what is registered in it.
function(add_highwater_core target catalog)
  add_library(${target} SHARED ${ARGN} $<TARGET_OBJECTS:highwater_core_objects>)
  target_link_libraries(${target} PRIVATE torch_gpu highwater_shared highwater_warnings)
  if(ARGN)
    target_precompile_headers(${target} REUSE_FROM highwater_core_objects)
  endif()
  set_target_properties(${target} PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${HIGHWATER_LIBRARY_DIR})
  add_custom_command(TARGET ${target} POST_BUILD
      COMMAND ${CMAKE_COMMAND} -DCELL_PROGRAM=$<TARGET_FILE:highwater-cell>
              -DCORE=$<TARGET_FILE:${target}> -DSTANDINS=${HIGHWATER_LIBRARY_DIR}/simgpu
              -DCATALOG=${catalog} -P ${CMAKE_SOURCE_DIR}/cmake/WriteCatalog.cmake
      VERBATIM)
  add_dependencies(${target} highwater-cell simgpu)
endfunction()

add_highwater_core(highwater_core ${HIGHWATER_SHARE_DIR}/catalog.json)
