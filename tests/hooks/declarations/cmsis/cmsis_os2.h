/* SPDX-License-Identifier: Apache-2.0 */
/* Our declarations of what the drivers for cmsis call: see README.md. */
#ifndef DECLARATIONS_CMSIS_OS2_H_
#define DECLARATIONS_CMSIS_OS2_H_

#include <stddef.h>
#include <stdint.h>

#define osWaitForever 0xFFFFFFFFu

typedef enum { osOK = 0, osError = -1 } osStatus_t;
typedef void *osThreadId_t;
typedef void *osMutexId_t;
typedef void *osSemaphoreId_t;
typedef struct {
    const char *name;
    uint32_t attr_bits;
    void *cb_mem;
    uint32_t cb_size;
} osMutexAttr_t;
typedef osMutexAttr_t osSemaphoreAttr_t;

uint32_t osKernelGetTickFreq(void);
uint32_t osKernelGetTickCount(void);
osThreadId_t osThreadGetId(void);
osStatus_t osThreadYield(void);
osStatus_t osDelay(uint32_t ticks);
osMutexId_t osMutexNew(const osMutexAttr_t *attributes);
osStatus_t osMutexAcquire(osMutexId_t mutex, uint32_t ticks);
osStatus_t osMutexRelease(osMutexId_t mutex);
osStatus_t osMutexDelete(osMutexId_t mutex);
osThreadId_t osMutexGetOwner(osMutexId_t mutex);
osSemaphoreId_t osSemaphoreNew(uint32_t max, uint32_t initial, const osSemaphoreAttr_t *attributes);
osStatus_t osSemaphoreAcquire(osSemaphoreId_t semaphore, uint32_t ticks);
osStatus_t osSemaphoreRelease(osSemaphoreId_t semaphore);
osStatus_t osSemaphoreDelete(osSemaphoreId_t semaphore);

#endif
