/* SPDX-License-Identifier: Apache-2.0 */
/* Our declarations of what the drivers for freertos call: see README.md. */
#ifndef DECLARATIONS_FREERTOS_H_
#define DECLARATIONS_FREERTOS_H_

#include <stddef.h>
#include <stdint.h>

typedef long BaseType_t;
typedef unsigned long UBaseType_t;
typedef uint32_t TickType_t;

#define pdFALSE                          0
#define pdTRUE                           1
#define portMAX_DELAY                    0xFFFFFFFFu
#define configTICK_RATE_HZ               1000u
#define configSUPPORT_STATIC_ALLOCATION  1
#define configUSE_MUTEXES                1
#define INCLUDE_xSemaphoreGetMutexHolder 1

#endif
