/* SPDX-License-Identifier: Apache-2.0 */
/* Cycles by the DWT unit of a Cortex-M3 or later, for the port of a board: call begin_counting()
 * once. The counter has 32 bits; what is measured may take fewer than 2^32 cycles. QEMU has no such
 * unit, and a Cortex-M0 none that counts. */
#ifndef ORIBI_PLATFORM_CORTEX_M_COUNT_DWT_H_
#define ORIBI_PLATFORM_CORTEX_M_COUNT_DWT_H_

#include <stdint.h>

#include "harness/port.h"
#include "oribi/verify_wire.h"

#ifndef ORIBI_DWT /* where the registers are, for a test */
#define ORIBI_DWT(address) (*(volatile uint32_t *)(address))
#endif
#define TRACE_CONTROL ORIBI_DWT(0xE000EDFCu) /* DEMCR */
#define TRACE_ON      (1u << 24)
#define DWT_CONTROL   ORIBI_DWT(0xE0001000u)
#define DWT_CYCLES    ORIBI_DWT(0xE0001004u)
#define DWT_LOCK      ORIBI_DWT(0xE0001FB0u) /* of a Cortex-M7; ignored by others */
#define DWT_KEY       0xC5ACCE55u

uint32_t oribi_port_count_kind(void)
{
    return ORIBI_WIRE_COUNTS_CYCLES;
}

/* As long as it is asked at least once in 2^32 cycles of a measurement. */
uint64_t oribi_port_ticks(void)
{
    static uint64_t ticks;
    ticks += (uint32_t)(DWT_CYCLES - (uint32_t)ticks);
    return ticks;
}

uint64_t oribi_port_count(uint64_t ticks)
{
    return ticks;
}

static inline void begin_counting(void)
{
    TRACE_CONTROL |= TRACE_ON;
    DWT_LOCK = DWT_KEY;
    DWT_CYCLES = 0u;
    DWT_CONTROL |= 1u;
}

#endif
