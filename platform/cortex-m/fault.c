/* SPDX-License-Identifier: Apache-2.0 */
/* Any fault: tells the host what happened and where, on a stack of its own (the main one may be
 * what overflowed), and ends. FAULT's words: exception number, CFSR, program counter, address. */
#include <stdint.h>

#include "harness/port.h"
#include "oribi/verify_wire.h"

#define CFSR      (*(volatile uint32_t *)0xE000ED28u)
#define MMFAR     (*(volatile uint32_t *)0xE000ED34u)
#define BFAR      (*(volatile uint32_t *)0xE000ED38u)
#define MMARVALID (1u << 7)
#define BFARVALID (1u << 15)
/* Bits of CFSR that say that nothing was stacked: MSTKERR, STKERR, STKOF. */
#define NOT_STACKED (1u << 4 | 1u << 12 | 1u << 20)
#define FAULTED     5 /* exit code */

extern const uint32_t oribi_stack_bottom[], oribi_stack_top[];

void oribi_fault(void);
void oribi_fault_report(const uint32_t *frame, uint32_t exception);

__attribute__((naked)) void oribi_fault(void)
{
    __asm__ volatile("mrs r0, msp\n\t"
                     "mrs r1, ipsr\n\t"
#if __ARM_ARCH >= 8
                     "movs r2, #0\n\t"
                     "msr msplim, r2\n\t"
#endif
                     "ldr r2, =oribi_fault_stack_top\n\t"
                     "msr msp, r2\n\t"
                     "b oribi_fault_report\n\t"
                     ".ltorg");
}

__attribute__((used, noreturn)) void oribi_fault_report(const uint32_t *frame, uint32_t exception)
{
    const uint32_t status = CFSR;
    uint32_t counter = ORIBI_WIRE_UNKNOWN, address = ORIBI_WIRE_UNKNOWN;
    if ((status & NOT_STACKED) == 0u && frame >= oribi_stack_bottom &&
        frame + 8 <= oribi_stack_top) {
        counter = frame[6];
    }
    if ((status & MMARVALID) != 0u) {
        address = MMFAR;
    } else if ((status & BFARVALID) != 0u) {
        address = BFAR;
    }
    oribi_harness_fault(exception, status, counter, address);
    oribi_port_end(FAULTED);
    for (;;) {
    }
}
