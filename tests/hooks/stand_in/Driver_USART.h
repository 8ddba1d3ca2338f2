/* SPDX-License-Identifier: Apache-2.0 */
/* Stands for CMSIS-Driver's header, with as much as docs/reference/design-example.md uses; names
 * and order of the members are CMSIS's. */
#ifndef ORIBI_STAND_IN_DRIVER_USART_H_
#define ORIBI_STAND_IN_DRIVER_USART_H_

#include <stddef.h>
#include <stdint.h>

#define ARM_DRIVER_OK               0
#define ARM_DRIVER_ERROR            (-1)
#define ARM_USART_MODE_ASYNCHRONOUS (1u)
#define ARM_USART_CONTROL_TX        (0x15u)
#define ARM_USART_CONTROL_RX        (0x16u)
#define ARM_USART_ABORT_RECEIVE     (0x19u)

typedef enum { ARM_POWER_OFF, ARM_POWER_LOW, ARM_POWER_FULL } ARM_POWER_STATE;
typedef struct {
    uint32_t tx_busy : 1;
    uint32_t rx_busy : 1;
} ARM_USART_STATUS;
typedef void (*ARM_USART_SignalEvent_t)(uint32_t event);
typedef struct {
    int32_t (*Initialize)(ARM_USART_SignalEvent_t cb_event);
    int32_t (*Uninitialize)(void);
    int32_t (*PowerControl)(ARM_POWER_STATE state);
    int32_t (*Send)(const void *data, uint32_t num);
    int32_t (*Receive)(void *data, uint32_t num);
    uint32_t (*GetRxCount)(void);
    int32_t (*Control)(uint32_t control, uint32_t arg);
    ARM_USART_STATUS (*GetStatus)(void);
} ARM_DRIVER_USART;

#endif
