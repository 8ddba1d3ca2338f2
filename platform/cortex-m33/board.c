/* SPDX-License-Identifier: Apache-2.0 */
/* Memory protection (PMSAv8) and instruction count of the AN505. Memory that no region covers
 * faults: the guards are the holes. */
#include <stdint.h>

#include "cortex-m/count_cmsdk.h"
#include "cortex-m/protection_v8.h"

extern uint8_t oribi_stack_bottom[], oribi_data_limit[];
extern uint8_t oribi_pool_guard_low[], oribi_pool_guard_high[];

void oribi_board_start(void);
void oribi_board_start(void)
{
    MPU_MAIR0 = NORMAL_THEN_DEVICE;
    open_region(0u, 0x10000000u, 0x10400000u, READ_ONLY, 0u);
    open_region(1u, (uintptr_t)oribi_stack_bottom, (uintptr_t)oribi_data_limit,
                READ_WRITE | NO_EXECUTE, 0u);
    open_region(2u, 0x80000000u, (uintptr_t)oribi_pool_guard_low, READ_WRITE | NO_EXECUTE, 0u);
    open_region(3u, (uintptr_t)oribi_pool_guard_low + 4096u, (uintptr_t)oribi_pool_guard_high,
                READ_WRITE | NO_EXECUTE, 0u);
    open_region(4u, 0x40000000u, 0x60000000u, READ_WRITE | NO_EXECUTE, DEVICE);
    begin_protection();
    begin_counting();
}
