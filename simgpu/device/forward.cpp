#include "simgpu/device/forward.h"

#include <cstddef>

static_assert(offsetof(simgpu_forward, target) == 0);

namespace {

/// Two threads may both find it; they write the same.
extern "C" __attribute__((used)) void simgpu_forward_find(simgpu_forward* forward) {
  forward->target = forward->find(forward->name);
}

}  // namespace

/// The first call keeps every register that may hold an argument: six integers and eight floating
/// point numbers. The stack is 8 past a multiple of 16 on entry, and a multiple after seven pushes.
__attribute__((naked)) void simgpu_forward_call() {
  __asm__(R"(
    cmpq $0, (%r11)
    jne 1f
    pushq %rdi
    pushq %rsi
    pushq %rdx
    pushq %rcx
    pushq %r8
    pushq %r9
    pushq %r11
    subq $128, %rsp
    movups %xmm0, (%rsp)
    movups %xmm1, 16(%rsp)
    movups %xmm2, 32(%rsp)
    movups %xmm3, 48(%rsp)
    movups %xmm4, 64(%rsp)
    movups %xmm5, 80(%rsp)
    movups %xmm6, 96(%rsp)
    movups %xmm7, 112(%rsp)
    movq %r11, %rdi
    call simgpu_forward_find
    movups (%rsp), %xmm0
    movups 16(%rsp), %xmm1
    movups 32(%rsp), %xmm2
    movups 48(%rsp), %xmm3
    movups 64(%rsp), %xmm4
    movups 80(%rsp), %xmm5
    movups 96(%rsp), %xmm6
    movups 112(%rsp), %xmm7
    addq $128, %rsp
    popq %r11
    popq %r9
    popq %r8
    popq %rcx
    popq %rdx
    popq %rsi
    popq %rdi
1:  jmpq *(%r11)
  )");
}
