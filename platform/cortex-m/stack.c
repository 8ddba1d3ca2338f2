/* SPDX-License-Identifier: Apache-2.0 */
/* Stack of a call, painted before and read after. */
#include <stdint.h>

#include "harness/port.h"

#define PAINT 0xC5A35A3Cu

extern uint32_t oribi_stack_bottom[];

__attribute__((noinline)) int32_t oribi_port_call(int32_t (*run)(void), uint32_t *out_stack_bytes)
{
    uint32_t *top;
    __asm__ volatile("mov %0, sp" : "=r"(top));
    for (volatile uint32_t *at = oribi_stack_bottom; at < top; at++) {
        *at = PAINT;
    }
    const int32_t status = run();
    const volatile uint32_t *at = oribi_stack_bottom;
    while (at < top && *at == PAINT) {
        at++;
    }
    *out_stack_bytes = (uint32_t)(top - at) * 4u;
    return status;
}
