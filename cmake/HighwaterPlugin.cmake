# highwater_add_plugin(<target> <sources>...): a library of models and techniques of your own, for
# `highwater ... --plugin` and for the PLUGINS of highwater_add_suite.

set(HIGHWATER_PLUGIN_ABI highwater_plugin_abi_${HIGHWATER_VERSION})
string(REPLACE "." "_" HIGHWATER_PLUGIN_ABI ${HIGHWATER_PLUGIN_ABI})

function(highwater_add_plugin target)
  if(COMMAND highwater_need_plugin_api)  # an installation makes it only for whoever needs it
    highwater_need_plugin_api()
  endif()
  set(version_check ${CMAKE_CURRENT_BINARY_DIR}/${target}_version_check.cpp)
  file(CONFIGURE OUTPUT ${version_check} CONTENT [=[
extern "C" void @HIGHWATER_PLUGIN_ABI@();
namespace { [[gnu::used]] void (*const built_for)() = &@HIGHWATER_PLUGIN_ABI@; }
]=] @ONLY)
  add_library(${target} MODULE ${ARGN} ${version_check})
  target_link_libraries(${target} PRIVATE Highwater::plugin_api)
endfunction()
