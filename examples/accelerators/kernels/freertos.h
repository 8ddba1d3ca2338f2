/* SPDX-License-Identifier: Apache-2.0 */
/* What both drivers want of FreeRTOS: mutexes that tell their owner, milliseconds in ticks. */
#ifndef ORIBI_EXAMPLE_FREERTOS_KERNEL_H_
#define ORIBI_EXAMPLE_FREERTOS_KERNEL_H_

#include <stdint.h>

#include "FreeRTOS.h"
#include "semphr.h"
#include "task.h"

#include "tvm/runtime/device.h"

#if configSUPPORT_STATIC_ALLOCATION != 1 || configUSE_MUTEXES != 1 ||                              \
    INCLUDE_xSemaphoreGetMutexHolder != 1
#error "FreeRTOSConfig.h: these must be 1"
#endif

/* Never fewer ticks than the time asked for: pdMS_TO_TICKS rounds down and can overflow. Negative:
 * none; too long: for ever. */
static inline TickType_t ticks_of_ms(int32_t ms)
{
    const uint64_t ticks =
        ms > 0 ? ((uint64_t)(uint32_t)ms * configTICK_RATE_HZ + 999u) / 1000u + 1u : 0u;
    return ticks < portMAX_DELAY ? (TickType_t)ticks : portMAX_DELAY;
}

/* Takes a mutex for good. Who holds it already would wait for himself. */
static inline int32_t take_mutex(SemaphoreHandle_t mutex)
{
    if (xSemaphoreGetMutexHolder(mutex) == xTaskGetCurrentTaskHandle()) {
        return TVM_DEVICE_E_STATE;
    }
    return xSemaphoreTake(mutex, portMAX_DELAY) == pdTRUE ? TVM_DEVICE_OK : TVM_DEVICE_E_STATE;
}

static inline int32_t give_mutex(SemaphoreHandle_t mutex)
{
    if (xSemaphoreGetMutexHolder(mutex) != xTaskGetCurrentTaskHandle()) {
        return TVM_DEVICE_E_STATE; /* FreeRTOS stops at an assertion here */
    }
    return xSemaphoreGive(mutex) == pdTRUE ? TVM_DEVICE_OK : TVM_DEVICE_E_STATE;
}

#endif
