/* SPDX-License-Identifier: Apache-2.0 */
/* Memory protection (PMSAv7) and instruction count of the AN386. Under QEMU's `-icount shift=10` an
 * instruction takes 1,024 ns and a tick of the 25 MHz timers 40 ns: differences are exact. */
#include <stdint.h>

#include "harness/port.h"
#include "oribi/verify_wire.h"

/* --- Memory protection ----------------------------------------------------------------------- */

#define SHCSR                 (*(volatile uint32_t *)0xE000ED24u)
#define MEM_BUS_USAGE_FAULTS  (7u << 16)
#define CCR                   (*(volatile uint32_t *)0xE000ED14u)
#define DIVISION_BY_ZERO_TRAP (1u << 4)
#define MPU_CTRL              (*(volatile uint32_t *)0xE000ED94u)
#define MPU_RBAR              (*(volatile uint32_t *)0xE000ED9Cu)
#define MPU_RASR              (*(volatile uint32_t *)0xE000EDA0u)
#define ON_OVER_DEFAULT_MAP   5u
#define VALID                 0x10u
#define NO_ACCESS             (0u << 24)
#define READ_WRITE            (3u << 24)
#define READ_ONLY             (6u << 24)
#define NO_EXECUTE            (1u << 28)
#define NORMAL                (1u << 17 | 1u << 16)
#define SIZE(log2)            ((((log2)-1u) << 1) | 1u) /* and enabled */

extern uint8_t oribi_stack_guard[], oribi_pool_guard_low[], oribi_pool_guard_high[];

/* Of regions that overlap the higher number counts. */
static void protect(uint32_t region, uintptr_t base, uint32_t attributes)
{
    MPU_RBAR = (uint32_t)base | VALID | region;
    MPU_RASR = attributes;
}

/* --- Counting -------------------------------------------------------------------------------- */

#define FINE_CTRL   (*(volatile uint32_t *)0x40000000u)
#define FINE_VALUE  (*(volatile uint32_t *)0x40000004u)
#define FINE_RELOAD (*(volatile uint32_t *)0x40000008u)
/* The dual timer with a prescaler of 256 tells how often the fine one went round. */
#define COARSE_LOAD       (*(volatile uint32_t *)0x40002000u)
#define COARSE_VALUE      (*(volatile uint32_t *)0x40002004u)
#define COARSE_CTRL       (*(volatile uint32_t *)0x40002008u)
#define ON_32_BITS_BY_256 0x8Au

uint32_t oribi_port_count_kind(void)
{
    return ORIBI_WIRE_COUNTS_INSTRUCTIONS;
}

uint64_t oribi_port_ticks(void)
{
    const uint32_t fine = ~FINE_VALUE;
    const uint64_t coarse = (uint64_t)(uint32_t)~COARSE_VALUE << 8;
    /* The number with fine's low half that is nearest to coarse. */
    return coarse + (uint64_t)(int64_t)(int32_t)(fine - (uint32_t)coarse);
}

uint64_t oribi_port_count(uint64_t ticks)
{
    return (ticks * 40u + 512u) >> 10;
}

void oribi_board_start(void);
void oribi_board_start(void)
{
    protect(0u, 0x20000000u, SIZE(29u) | READ_WRITE | NO_EXECUTE | NORMAL);
    protect(1u, 0x00000000u, SIZE(22u) | READ_ONLY | NORMAL);
    protect(2u, (uintptr_t)oribi_stack_guard, SIZE(12u) | NO_ACCESS | NO_EXECUTE | NORMAL);
    protect(3u, (uintptr_t)oribi_pool_guard_low, SIZE(12u) | NO_ACCESS | NO_EXECUTE | NORMAL);
    protect(4u, (uintptr_t)oribi_pool_guard_high, SIZE(12u) | NO_ACCESS | NO_EXECUTE | NORMAL);
    SHCSR |= MEM_BUS_USAGE_FAULTS;
    CCR |= DIVISION_BY_ZERO_TRAP;
    MPU_CTRL = ON_OVER_DEFAULT_MAP;
    __asm__ volatile("dsb\n\tisb" ::: "memory");
    FINE_RELOAD = 0xFFFFFFFFu;
    FINE_VALUE = 0xFFFFFFFFu;
    COARSE_LOAD = 0xFFFFFFFFu;
    COARSE_CTRL = ON_32_BITS_BY_256;
    FINE_CTRL = 1u;
}
