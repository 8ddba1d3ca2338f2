/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DECLARATIONS_SEMPHR_H_
#define DECLARATIONS_SEMPHR_H_

#include "FreeRTOS.h"
#include "task.h"

typedef struct semaphore *SemaphoreHandle_t;
typedef struct {
    uint32_t words[20];
} StaticSemaphore_t;

SemaphoreHandle_t xSemaphoreCreateMutexStatic(StaticSemaphore_t *memory);
SemaphoreHandle_t xSemaphoreCreateBinaryStatic(StaticSemaphore_t *memory);
void vSemaphoreDelete(SemaphoreHandle_t semaphore);
TaskHandle_t xSemaphoreGetMutexHolder(SemaphoreHandle_t mutex);
BaseType_t xSemaphoreTake(SemaphoreHandle_t semaphore, TickType_t ticks);
BaseType_t xSemaphoreGive(SemaphoreHandle_t semaphore);
BaseType_t xSemaphoreGiveFromISR(SemaphoreHandle_t semaphore, BaseType_t *out_woken);

#endif
