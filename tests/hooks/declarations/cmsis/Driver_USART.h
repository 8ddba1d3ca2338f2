/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DECLARATIONS_DRIVER_USART_H_
#define DECLARATIONS_DRIVER_USART_H_

#include <stdint.h>

#define ARM_DRIVER_OK                    0
#define ARM_USART_EVENT_RECEIVE_COMPLETE (1UL << 1)

enum {
    ARM_USART_MODE_ASYNCHRONOUS = 1,
    ARM_USART_DATA_BITS_8 = 0,
    ARM_USART_PARITY_NONE = 0,
    ARM_USART_STOP_BITS_1 = 0,
    ARM_USART_FLOW_CONTROL_NONE = 0,
    ARM_USART_CONTROL_TX = 0x15,
    ARM_USART_CONTROL_RX = 0x16,
    ARM_USART_ABORT_SEND = 0x18,
    ARM_USART_ABORT_RECEIVE = 0x19
};

typedef enum { ARM_POWER_OFF, ARM_POWER_LOW, ARM_POWER_FULL } ARM_POWER_STATE;
typedef void (*ARM_USART_SignalEvent_t)(uint32_t event);
typedef struct {
    uint32_t tx_busy : 1;
    uint32_t rx_busy : 1;
    uint32_t reserved : 30;
} ARM_USART_STATUS;
typedef const struct {
    int32_t (*Initialize)(ARM_USART_SignalEvent_t event);
    int32_t (*Uninitialize)(void);
    int32_t (*PowerControl)(ARM_POWER_STATE state);
    int32_t (*Send)(const void *data, uint32_t bytes);
    int32_t (*Receive)(void *data, uint32_t bytes);
    uint32_t (*GetTxCount)(void);
    uint32_t (*GetRxCount)(void);
    int32_t (*Control)(uint32_t control, uint32_t value);
    ARM_USART_STATUS (*GetStatus)(void);
} ARM_DRIVER_USART;

#endif
