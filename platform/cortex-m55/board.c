/* SPDX-License-Identifier: Apache-2.0 */
/* Memory protection (PMSAv8) and instruction count of the AN547. Memory that no region covers
 * faults: the guards are the holes. Under QEMU's `-icount shift=10` an instruction takes 1,024 ns
 * and a tick of the 32 MHz counter 31.25 ns. */
#include <stdint.h>

#include "harness/port.h"
#include "oribi/verify_wire.h"

/* --- Memory protection ----------------------------------------------------------------------- */

#define SHCSR                 (*(volatile uint32_t *)0xE000ED24u)
#define MEM_BUS_USAGE_FAULTS  (7u << 16)
#define CCR                   (*(volatile uint32_t *)0xE000ED14u)
#define DIVISION_BY_ZERO_TRAP (1u << 4)
#define MPU_CTRL              (*(volatile uint32_t *)0xE000ED94u)
#define MPU_RNR               (*(volatile uint32_t *)0xE000ED98u)
#define MPU_RBAR              (*(volatile uint32_t *)0xE000ED9Cu)
#define MPU_RLAR              (*(volatile uint32_t *)0xE000EDA0u)
#define MPU_MAIR0             (*(volatile uint32_t *)0xE000EDC0u)
#define NORMAL_THEN_DEVICE    0x00000444u /* attribute 0 normal, not cached; 1 device nGnRE */
#define READ_WRITE            0u
#define READ_ONLY             (2u << 1)
#define NO_EXECUTE            1u
#define DEVICE                (1u << 1)

extern uint8_t oribi_stack_bottom[], oribi_data_limit[];
extern uint8_t oribi_pool_guard_low[], oribi_pool_guard_high[];

/* From base to limit, the first byte after; multiples of 32. */
static void open_region(uint32_t region, uintptr_t base, uintptr_t limit, uint32_t access,
                        uint32_t attribute)
{
    MPU_RNR = region;
    MPU_RBAR = (uint32_t)base | access;
    MPU_RLAR = ((uint32_t)(limit - 32u) & ~31u) | attribute | 1u;
}

/* --- Counting -------------------------------------------------------------------------------- */

#define COUNTER_CONTROL (*(volatile uint32_t *)0x58100000u)
#define COUNTER_LOW     (*(volatile uint32_t *)0x48101000u)
#define COUNTER_HIGH    (*(volatile uint32_t *)0x48101004u)

uint32_t oribi_port_count_kind(void)
{
    return ORIBI_WIRE_COUNTS_INSTRUCTIONS;
}

uint64_t oribi_port_ticks(void)
{
    for (;;) {
        const uint32_t high = COUNTER_HIGH, low = COUNTER_LOW;
        if (high == COUNTER_HIGH) {
            return (uint64_t)high << 32 | low;
        }
    }
}

uint64_t oribi_port_count(uint64_t ticks)
{
    return (ticks * 125u + 2048u) >> 12;
}

void oribi_board_start(void);
void oribi_board_start(void)
{
    MPU_MAIR0 = NORMAL_THEN_DEVICE;
    open_region(0u, 0x00000000u, 0x00080000u, READ_ONLY, 0u);
    open_region(1u, 0x60000000u, 0x64000000u, READ_ONLY | NO_EXECUTE, 0u);
    open_region(2u, (uintptr_t)oribi_stack_bottom, (uintptr_t)oribi_data_limit,
                READ_WRITE | NO_EXECUTE, 0u);
    open_region(3u, 0x64000000u, (uintptr_t)oribi_pool_guard_low, READ_WRITE | NO_EXECUTE, 0u);
    open_region(4u, (uintptr_t)oribi_pool_guard_low + 4096u, (uintptr_t)oribi_pool_guard_high,
                READ_WRITE | NO_EXECUTE, 0u);
    open_region(5u, 0x40000000u, 0x60000000u, READ_WRITE | NO_EXECUTE, DEVICE);
    SHCSR |= MEM_BUS_USAGE_FAULTS;
    CCR |= DIVISION_BY_ZERO_TRAP;
    MPU_CTRL = 1u;
    __asm__ volatile("dsb\n\tisb" ::: "memory");
    COUNTER_CONTROL = 1u;
}
