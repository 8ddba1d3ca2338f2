/* SPDX-License-Identifier: Apache-2.0 */
/* Memory protection of ARMv8-M (PMSAv8): regions that are open; whatever none covers faults. */
#ifndef ORIBI_PLATFORM_CORTEX_M_PROTECTION_V8_H_
#define ORIBI_PLATFORM_CORTEX_M_PROTECTION_V8_H_

#include <stdint.h>

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

/* From base to limit, the first byte after; multiples of 32. */
static inline void open_region(uint32_t region, uintptr_t base, uintptr_t limit, uint32_t access,
                               uint32_t attribute)
{
    MPU_RNR = region;
    MPU_RBAR = (uint32_t)base | access;
    MPU_RLAR = ((uint32_t)(limit - 32u) & ~31u) | attribute | 1u;
}

/* Faults become exceptions of their own, divisions by zero one of them; the regions count. */
static inline void begin_protection(void)
{
    SHCSR |= MEM_BUS_USAGE_FAULTS;
    CCR |= DIVISION_BY_ZERO_TRAP;
    MPU_CTRL = 1u;
    __asm__ volatile("dsb\n\tisb" ::: "memory");
}

#endif
