# `cmake --install`: a tree that finds its parts from the program's own place, so it may be moved. LibTorch is
# no part of it and stays where it was found. Folders are named outright, and not by GNUInstallDirs: programs
# look for them (harness/core/install_paths.hpp).
include(CMakePackageConfigHelpers)

install(TARGETS highwater DESTINATION bin)
install(DIRECTORY benchmarks/suites simgpu/profiles DESTINATION share/highwater)
install(DIRECTORY results/baselines results/schema DESTINATION share/highwater)
install(PROGRAMS scripts/make_resource_spec.py DESTINATION share/highwater/scripts)
# `highwater plot`.
install(FILES scripts/plot.py scripts/records.py scripts/baseline_history.py scripts/step_events.py scripts/slim_svg.py
        DESTINATION share/highwater/scripts)
install(DIRECTORY scripts/figures DESTINATION share/highwater/scripts FILES_MATCHING PATTERN "*.py")

if(HIGHWATER_WITH_TORCH)
  install(TARGETS highwater-cell highwater_benchmarks DESTINATION bin)
  install(TARGETS highwater_core DESTINATION lib/highwater)
  install(FILES ${HIGHWATER_SHARE_DIR}/catalog.json DESTINATION share/highwater)
  get_property(standins GLOBAL PROPERTY SIMGPU_TARGETS)
  get_property(standin_folder GLOBAL PROPERTY SIMGPU_LIBRARY_DIR)
  install(TARGETS ${standins} simgpu_probe DESTINATION lib/highwater/simgpu)
  install(FILES ${standin_folder}/sonames.txt DESTINATION lib/highwater/simgpu)

  # `highwater exec` builds stand-ins for the torch of any program: sources, and the scripts they call.
  install(DIRECTORY simgpu DESTINATION share/highwater PATTERN __pycache__ EXCLUDE)
  install(PROGRAMS scripts/environment.sh scripts/install_cudnn.sh scripts/install_wheels.py
          DESTINATION share/highwater/scripts)
  install(FILES cmake/versions.env DESTINATION share/highwater/cmake)

  # What a plug-in includes.
  install(DIRECTORY harness/core harness/measure harness/workload DESTINATION include/highwater/harness
          FILES_MATCHING PATTERN "*.hpp")
  install(FILES harness/matrix/cell.hpp DESTINATION include/highwater/harness/matrix)

  set(package lib/cmake/Highwater)
  configure_package_config_file(cmake/HighwaterConfig.cmake.in ${CMAKE_BINARY_DIR}/HighwaterConfig.cmake
                                INSTALL_DESTINATION ${package})
  # A plug-in must be built for the very version that maps it.
  write_basic_package_version_file(${CMAKE_BINARY_DIR}/HighwaterConfigVersion.cmake COMPATIBILITY ExactVersion)
  install(FILES ${CMAKE_BINARY_DIR}/HighwaterConfig.cmake ${CMAKE_BINARY_DIR}/HighwaterConfigVersion.cmake
                cmake/HighwaterPlugin.cmake cmake/HighwaterTests.cmake cmake/discover_suite.cmake.in cmake/Torch.cmake
          DESTINATION ${package})
endif()
