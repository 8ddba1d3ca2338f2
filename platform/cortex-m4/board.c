/* SPDX-License-Identifier: Apache-2.0 */
/* Memory protection (PMSAv7) and instruction count of the AN385, AN386 and AN500. */
#include <stdint.h>

#include "cortex-m/count_cmsdk.h"

#define SHCSR                 (*(volatile uint32_t *)0xE000ED24u)
#define MEM_BUS_USAGE_FAULTS  (7u << 16)
#define CCR                   (*(volatile uint32_t *)0xE000ED14u)
#define DIVISION_BY_ZERO_TRAP (1u << 4)
#define UNALIGNED_TRAP        (1u << 3)
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
#if __ARM_ARCH == 6 /* whose cores have no unaligned accesses */
    CCR |= UNALIGNED_TRAP;
#endif
    MPU_CTRL = ON_OVER_DEFAULT_MAP;
    __asm__ volatile("dsb\n\tisb" ::: "memory");
    begin_counting();
}
