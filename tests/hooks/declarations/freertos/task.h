/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DECLARATIONS_TASK_H_
#define DECLARATIONS_TASK_H_

#include "FreeRTOS.h"

typedef struct task *TaskHandle_t;

TaskHandle_t xTaskGetCurrentTaskHandle(void);
TickType_t xTaskGetTickCount(void);
void taskYIELD(void);

#endif
