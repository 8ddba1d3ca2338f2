/* SPDX-License-Identifier: Apache-2.0 */
/* From reset to main on a Cortex-M: vector table, floating point, .data and .bss. The linker script
 * names the memory. Read next: the board's board.c, then fault.c. */
#include <stdint.h>

#define CPACR       (*(volatile uint32_t *)0xE000ED88u)
#define FULL_ACCESS (0xFu << 20) /* coprocessors 10 and 11 */

extern uint32_t oribi_stack_bottom[], oribi_stack_top[];
extern uint32_t oribi_data_load[], oribi_data_start[], oribi_data_end[];
extern uint32_t oribi_bss_start[], oribi_bss_end[];

int main(void);
void oribi_reset(void);
/* Of fault.c; an image without it stops. */
void oribi_fault(void);
/* Of board.c: memory protection and counters; an image without it has none. */
void oribi_board_start(void);

__attribute__((weak)) void oribi_fault(void)
{
    for (;;) {
    }
}

__attribute__((weak)) void oribi_board_start(void)
{
}

typedef void vector(void);
__attribute__((section(".vectors"), used)) static vector *const vectors[16] = {
    (vector *)(uintptr_t)oribi_stack_top,
    oribi_reset,
    oribi_fault, /* NMI */
    oribi_fault, /* HardFault */
    oribi_fault, /* MemManage */
    oribi_fault, /* BusFault */
    oribi_fault, /* UsageFault */
    oribi_fault, /* SecureFault */
    0,
    0,
    0,
    oribi_fault, /* SVCall */
    oribi_fault, /* DebugMonitor */
    0,
    oribi_fault, /* PendSV */
    oribi_fault, /* SysTick */
};

void oribi_reset(void)
{
#if __ARM_ARCH >= 8
    __asm__ volatile("msr msplim, %0" ::"r"(oribi_stack_bottom));
#endif
    CPACR |= FULL_ACCESS;
    __asm__ volatile("dsb\n\tisb" ::: "memory");
    for (uint32_t *to = oribi_data_start, *from = oribi_data_load; to < oribi_data_end;) {
        *to++ = *from++;
    }
    for (uint32_t *to = oribi_bss_start; to < oribi_bss_end;) {
        *to++ = 0u;
    }
    oribi_board_start();
    (void)main();
    for (;;) {
    }
}
