/* SPDX-License-Identifier: Apache-2.0 */
/* FreeRTOS on the AN386, without a heap: nothing that wants one links. */
#ifndef FREERTOS_CONFIG_H
#define FREERTOS_CONFIG_H

#include <stdint.h>

_Noreturn void app_assertion_failed(void);
#define configASSERT(x)                                                                            \
    if ((x) == 0) {                                                                                \
        app_assertion_failed();                                                                    \
    }

#define configCPU_CLOCK_HZ                   25000000u
#define configTICK_RATE_HZ                   1000u
#define configUSE_16_BIT_TICKS               0 /* of V10 and V11 alike */
#define configUSE_PREEMPTION                 1
#define configUSE_TIME_SLICING               1
#define configMAX_PRIORITIES                 4
#define configMINIMAL_STACK_SIZE             256
#define configUSE_MUTEXES                    1
#define configUSE_IDLE_HOOK                  0
#define configUSE_TICK_HOOK                  0
#define configUSE_TIMERS                     0
#define configSUPPORT_STATIC_ALLOCATION      1
#define configSUPPORT_DYNAMIC_ALLOCATION     0
#define configKERNEL_PROVIDED_STATIC_MEMORY  0
#define configSTACK_DEPTH_TYPE               uint32_t
#define configCHECK_FOR_STACK_OVERFLOW       0
#define configKERNEL_INTERRUPT_PRIORITY      0xFF
#define configMAX_SYSCALL_INTERRUPT_PRIORITY 0x80
#define INCLUDE_vTaskDelay                   1
#define INCLUDE_vTaskSuspend                 1
#define INCLUDE_xSemaphoreGetMutexHolder     1
#define INCLUDE_xTaskGetCurrentTaskHandle    1
#define INCLUDE_xTaskGetSchedulerState       1

#define vPortSVCHandler     SVC_Handler
#define xPortPendSVHandler  PendSV_Handler
#define xPortSysTickHandler SysTick_Handler

#endif
