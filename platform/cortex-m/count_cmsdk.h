/* SPDX-License-Identifier: Apache-2.0 */
/* Instruction count by the CMSDK timers of Arm's MPS2 boards; board.h says where they are and how
 * fast. Under QEMU's `-icount shift=10` an instruction takes 1,024 ns, a tick of a timer 40 or 50:
 * differences are exact. */
#ifndef ORIBI_PLATFORM_CORTEX_M_COUNT_CMSDK_H_
#define ORIBI_PLATFORM_CORTEX_M_COUNT_CMSDK_H_

#include <stdint.h>

#include "board.h"
#include "harness/port.h"
#include "oribi/verify_wire.h"

#define FINE_CTRL   (*(volatile uint32_t *)(ORIBI_BOARD_TIMERS + 0x0000u))
#define FINE_VALUE  (*(volatile uint32_t *)(ORIBI_BOARD_TIMERS + 0x0004u))
#define FINE_RELOAD (*(volatile uint32_t *)(ORIBI_BOARD_TIMERS + 0x0008u))
/* The dual timer with a prescaler of 256 tells how often the fine one went round. */
#define COARSE_LOAD       (*(volatile uint32_t *)(ORIBI_BOARD_TIMERS + 0x2000u))
#define COARSE_VALUE      (*(volatile uint32_t *)(ORIBI_BOARD_TIMERS + 0x2004u))
#define COARSE_CTRL       (*(volatile uint32_t *)(ORIBI_BOARD_TIMERS + 0x2008u))
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
    return (ticks * (1000000000u / ORIBI_BOARD_CLOCK) + 512u) >> 10;
}

static inline void begin_counting(void)
{
    FINE_RELOAD = 0xFFFFFFFFu;
    FINE_VALUE = 0xFFFFFFFFu;
    COARSE_LOAD = 0xFFFFFFFFu;
    COARSE_CTRL = ON_32_BITS_BY_256;
    FINE_CTRL = 1u;
}

#endif
