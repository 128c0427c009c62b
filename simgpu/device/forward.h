/* C as well as C++: the generated sources include it. x86-64, System V calling convention. */
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

/** A function that is somewhere else, found at its first call. */
struct simgpu_forward {
  void* target; /* null until then */
  const char* name;
  void* (*find)(const char* name); /* ends the process when there is none */
};

/** Goes on in the function that the simgpu_forward at register r11 stands for, with the caller's
 * arguments as they are. No C function: only the stubs below may jump to it. */
__attribute__((visibility("default"))) void simgpu_forward_call(void);

#ifdef __cplusplus
}
#endif

/** Defines a function that goes on in the one of the same name that `find` returns. Its arguments
 * need not be known. The jump goes past the linkage table, whose lazy binding overwrites r11. */
#define SIMGPU_FORWARD(name, find)                                                                \
  extern void* find(const char*);                                                                 \
  __attribute__((used)) static struct simgpu_forward forward_##name __asm__("forward_" #name) = { \
      0, #name, find};                                                                            \
  __attribute__((naked)) void name(void) {                                                        \
    __asm__("leaq forward_" #name "(%rip), %r11\n\tjmpq *simgpu_forward_call@GOTPCREL(%rip)");    \
  }
