# The front: all of the harness that links neither Torch nor CUDA. Two libraries, because the core
# needs a part of it too.

# Words that the front and the core have in common: cells, catalogue, metrics, outcomes.
file(GLOB shared_sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/core/*.cpp)
add_library(highwater_shared STATIC
  ${shared_sources}
  ${CMAKE_CURRENT_LIST_DIR}/matrix/catalog.cpp
  ${CMAKE_CURRENT_LIST_DIR}/matrix/cell.cpp
  ${CMAKE_CURRENT_LIST_DIR}/measure/allocation_log.cpp
  ${CMAKE_CURRENT_LIST_DIR}/measure/event_stream.cpp
  ${CMAKE_CURRENT_LIST_DIR}/measure/inspection.cpp
  ${CMAKE_CURRENT_LIST_DIR}/measure/metric.cpp
  ${CMAKE_CURRENT_LIST_DIR}/measure/peak_profile.cpp
  ${CMAKE_CURRENT_LIST_DIR}/measure/statistics.cpp
  ${CMAKE_CURRENT_LIST_DIR}/run/outcome.cpp)
# scripts/environment.sh names it where scripts/install_cudnn.sh has run.
if(NOT HIGHWATER_CUDNN_DIR)
  set(HIGHWATER_CUDNN_DIR "$ENV{HIGHWATER_CUDNN_DIR}" CACHE PATH "folder with NVIDIA's libcudnn.so.9" FORCE)
endif()
set_source_files_properties(${CMAKE_CURRENT_LIST_DIR}/core/cudnn_folder.cpp TARGET_DIRECTORY highwater_shared
  PROPERTIES COMPILE_DEFINITIONS "HIGHWATER_CUDNN_DIR=\"${HIGHWATER_CUDNN_DIR}\"")
target_include_directories(highwater_shared PUBLIC ${CMAKE_CURRENT_LIST_DIR}/..)
# fmt header-only: the core is mapped beside Torch and must not depend on one more shared library.
target_link_libraries(highwater_shared
  PUBLIC nlohmann_json::nlohmann_json
  PRIVATE fmt::fmt-header-only highwater_warnings)
set_target_properties(highwater_shared PROPERTIES POSITION_INDEPENDENT_CODE ON)

file(GLOB front_sources CONFIGURE_DEPENDS
  ${CMAKE_CURRENT_LIST_DIR}/config/*.cpp
  ${CMAKE_CURRENT_LIST_DIR}/exec/*.cpp
  ${CMAKE_CURRENT_LIST_DIR}/export/*.cpp
  ${CMAKE_CURRENT_LIST_DIR}/launch/*.cpp
  ${CMAKE_CURRENT_LIST_DIR}/doctor/*.cpp
  ${CMAKE_CURRENT_LIST_DIR}/record/*.cpp
  ${CMAKE_CURRENT_LIST_DIR}/compare/*.cpp
  ${CMAKE_CURRENT_LIST_DIR}/report/*.cpp
  ${CMAKE_CURRENT_LIST_DIR}/page/*.cpp)

# The page of `highwater report --html`: ordinary files of the tree, compiled in.
set(page_web ${CMAKE_CURRENT_LIST_DIR}/page/web)
set(page_scripts text.js facts.js parts.js element.js pictures.js table.js matrix.js advice.js summary.js cell.js compare.js main.js)
set(page_files page.html page.css ${page_scripts})
list(TRANSFORM page_files PREPEND ${page_web}/)
list(JOIN page_scripts "," page_script_names)
add_custom_command(OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/web_files.cpp
  COMMAND ${CMAKE_COMMAND} -DFOLDER=${page_web} -DSCRIPTS=${page_script_names}
          -DOUTPUT=${CMAKE_CURRENT_BINARY_DIR}/web_files.cpp -P ${PROJECT_SOURCE_DIR}/cmake/EmbedText.cmake
  DEPENDS ${page_files} ${PROJECT_SOURCE_DIR}/cmake/EmbedText.cmake
  VERBATIM)

add_library(highwater_front STATIC
  ${front_sources}
  ${CMAKE_CURRENT_BINARY_DIR}/web_files.cpp
  ${CMAKE_CURRENT_LIST_DIR}/matrix/device.cpp
  ${CMAKE_CURRENT_LIST_DIR}/matrix/expand.cpp)
target_link_libraries(highwater_front
  PUBLIC highwater_shared Threads::Threads
  PRIVATE fmt::fmt-header-only highwater_warnings)
