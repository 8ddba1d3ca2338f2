/* SPDX-License-Identifier: Apache-2.0 */
/* What both drivers want of CMSIS-RTOS2: mutexes that tell their owner, milliseconds in ticks. */
#ifndef ORIBI_EXAMPLE_CMSIS_KERNEL_H_
#define ORIBI_EXAMPLE_CMSIS_KERNEL_H_

#include <stdint.h>

#include "cmsis_os2.h"

#include "tvm/runtime/device.h"

/* Never fewer ticks than the time asked for. Negative: none; too long: for ever. */
static inline uint32_t ticks_of_ms(int32_t ms)
{
    const uint64_t ticks =
        ms > 0 ? ((uint64_t)(uint32_t)ms * osKernelGetTickFreq() + 999u) / 1000u + 1u : 0u;
    return ticks < osWaitForever ? (uint32_t)ticks : osWaitForever;
}

/* Takes a mutex for good. Who holds it already would wait for himself. */
static inline int32_t take_mutex(osMutexId_t mutex)
{
    if (osMutexGetOwner(mutex) == osThreadGetId()) {
        return TVM_DEVICE_E_STATE;
    }
    return osMutexAcquire(mutex, osWaitForever) == osOK ? TVM_DEVICE_OK : TVM_DEVICE_E_STATE;
}

static inline int32_t give_mutex(osMutexId_t mutex)
{
    return osMutexRelease(mutex) == osOK ? TVM_DEVICE_OK : TVM_DEVICE_E_STATE;
}

#endif
