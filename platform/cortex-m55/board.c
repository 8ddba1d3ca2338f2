/* SPDX-License-Identifier: Apache-2.0 */
/* Memory protection (PMSAv8) and instruction count of the AN547. Memory that no region covers
 * faults: the guards are the holes. Under QEMU's `-icount shift=10` an instruction takes 1,024 ns
 * and a tick of the 32 MHz counter 31.25 ns. */
#include <stdint.h>

#include "cortex-m/protection_v8.h"
#include "harness/port.h"
#include "oribi/verify_wire.h"

extern uint8_t oribi_stack_bottom[], oribi_data_limit[];
extern uint8_t oribi_pool_guard_low[], oribi_pool_guard_high[];

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
    begin_protection();
    COUNTER_CONTROL = 1u;
}
