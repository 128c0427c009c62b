# Torch by hand. find_package(Torch) needs nvcc, a whole toolkit and fails with C++20 set; these targets
# need the unpacked wheel and, for c10/cuda headers, CUDA's runtime headers.
foreach(name HIGHWATER_TORCH_DIR HIGHWATER_CUDA_INCLUDE_DIR)
  if(NOT ${name})
    set(${name} "$ENV{${name}}" CACHE PATH "set by scripts/environment.sh" FORCE)
  endif()
  if(NOT IS_DIRECTORY "${${name}}")
    message(FATAL_ERROR "${name} is \"${${name}}\", which is no folder. In the repository of Highwater run "
            "scripts/setup.sh, then `source scripts/environment.sh`; scripts/test.sh does both.")
  endif()
endforeach()

file(STRINGS ${HIGHWATER_TORCH_DIR}/version.py torch_version REGEX "^__version__")
string(REGEX REPLACE ".*'([0-9.]+).*" "\\1" torch_version "${torch_version}")
if(NOT torch_version VERSION_EQUAL VERSIONS_TORCH_VERSION)
  message(FATAL_ERROR "${HIGHWATER_TORCH_DIR} holds torch ${torch_version}; "
          "Highwater is built for ${VERSIONS_TORCH_VERSION} (cmake/versions.env).")
endif()

add_library(highwater_torch INTERFACE)
target_include_directories(highwater_torch SYSTEM INTERFACE
    ${HIGHWATER_TORCH_DIR}/include ${HIGHWATER_TORCH_DIR}/include/torch/csrc/api/include
    ${HIGHWATER_CUDA_INCLUDE_DIR})
target_link_libraries(highwater_torch INTERFACE
    ${HIGHWATER_TORCH_DIR}/lib/libtorch_cpu.so ${HIGHWATER_TORCH_DIR}/lib/libc10.so)
# The wheel's libraries need NVIDIA's, which are chosen at start.
target_link_options(highwater_torch INTERFACE LINKER:--allow-shlib-undefined)

# Nothing refers to a symbol of libtorch_cuda: it registers itself when it is mapped.
add_library(highwater_torch_cuda INTERFACE)
target_link_libraries(highwater_torch_cuda INTERFACE highwater_torch
    -Wl,--push-state,--no-as-needed
    ${HIGHWATER_TORCH_DIR}/lib/libtorch_cuda.so ${HIGHWATER_TORCH_DIR}/lib/libc10_cuda.so
    -Wl,--pop-state)
