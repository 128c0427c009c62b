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
                      PUBLIC highwater_torch_cuda nlohmann_json::nlohmann_json highwater_shared
                      PRIVATE highwater_warnings)
# torch/torch.h in its place costs 10 s more once and 2 s more in every file.
target_precompile_headers(highwater_core_objects PRIVATE
                          <ATen/ATen.h> <torch/nn/module.h> <nlohmann/json.hpp>)

# A plug-in asks for the symbol of the version that it was built for (HighwaterPlugin.cmake), so that a
# foreign one fails to load by a name that says why, before it registers anything.
set_source_files_properties(harness/run/core_main.cpp PROPERTIES
    COMPILE_DEFINITIONS "HIGHWATER_PLUGIN_ABI=${HIGHWATER_PLUGIN_ABI}")

add_library(highwater_core SHARED $<TARGET_OBJECTS:highwater_core_objects>)
target_link_libraries(highwater_core PRIVATE highwater_torch_cuda highwater_shared highwater_warnings)
set_target_properties(highwater_core PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${HIGHWATER_LIBRARY_DIR}
    # Torch is no part of an installation: it stays where it was found.
    INSTALL_RPATH ${HIGHWATER_TORCH_DIR}/lib)
add_custom_command(TARGET highwater_core POST_BUILD
    COMMAND ${CMAKE_COMMAND} -DCELL_PROGRAM=$<TARGET_FILE:highwater-cell>
            -DCORE=$<TARGET_FILE:highwater_core> -DSTANDINS=${HIGHWATER_LIBRARY_DIR}/simgpu
            -DCATALOG=${HIGHWATER_SHARE_DIR}/catalog.json -P ${CMAKE_SOURCE_DIR}/cmake/WriteCatalog.cmake
    VERBATIM)
add_dependencies(highwater_core highwater-cell simgpu)

# What a plug-in is built with, by the name that it has in an installation too.
add_library(highwater_plugin_api INTERFACE)
add_library(Highwater::plugin_api ALIAS highwater_plugin_api)
target_include_directories(highwater_plugin_api INTERFACE ${CMAKE_SOURCE_DIR})
target_link_libraries(highwater_plugin_api INTERFACE
    highwater_core highwater_torch nlohmann_json::nlohmann_json)
target_compile_features(highwater_plugin_api INTERFACE cxx_std_20)
