/* SPDX-License-Identifier: Apache-2.0 */
#include "usart_mps2.h"

#include <stddef.h>

#include "board.h"

enum { OFF = 0, INITIALIZED = 1, POWERED = 2, CONFIGURED = 3 };

static struct {
    ARM_USART_SignalEvent_t event;
    int32_t state, is_sending, is_receiving;
    int32_t can_send, can_receive;
    const uint8_t *out;
    uint8_t *in;
    volatile uint32_t n_out, n_in;
    uint32_t out_bytes, in_bytes;
    uint32_t unheard;
} usart;

static ARM_DRIVER_VERSION get_version(void)
{
    const ARM_DRIVER_VERSION version = {ARM_USART_API_VERSION, 0x100};
    return version;
}

static ARM_USART_CAPABILITIES get_capabilities(void)
{
    const ARM_USART_CAPABILITIES capabilities = {.asynchronous = 1};
    return capabilities;
}

static int32_t initialize(ARM_USART_SignalEvent_t event)
{
    usart.event = event;
    usart.state = INITIALIZED;
    return ARM_DRIVER_OK;
}

static int32_t uninitialize(void)
{
    usart.state = OFF;
    return ARM_DRIVER_OK;
}

static int32_t power_control(ARM_POWER_STATE power)
{
    if (usart.state == OFF) {
        return ARM_DRIVER_ERROR;
    }
    usart.state = power == ARM_POWER_FULL ? POWERED : INITIALIZED;
    usart.is_sending = usart.is_receiving = 0;
    if (power == ARM_POWER_FULL) {
        board_uart_start(BOARD_LINE);
        board_interrupt_enable(2u * BOARD_LINE + 1u);
    } else {
        board_uart(BOARD_LINE)[BOARD_CONTROL] = 0;
    }
    return ARM_DRIVER_OK;
}

static int32_t control(uint32_t what, uint32_t value)
{
    if (usart.state < POWERED) {
        return ARM_DRIVER_ERROR;
    }
    switch (what & ARM_USART_CONTROL_Msk) {
    case ARM_USART_MODE_ASYNCHRONOUS:
        usart.state = CONFIGURED;
        board_uart(BOARD_LINE)[BOARD_DIVIDER] = 25000000u / value;
        return ARM_DRIVER_OK;
    case ARM_USART_CONTROL_TX:
        usart.can_send = value != 0u;
        return ARM_DRIVER_OK;
    case ARM_USART_CONTROL_RX:
        usart.can_receive = value != 0u;
        return ARM_DRIVER_OK;
    case ARM_USART_ABORT_SEND:
        usart.is_sending = 0;
        return ARM_DRIVER_OK;
    case ARM_USART_ABORT_RECEIVE:
        usart.is_receiving = 0;
        return ARM_DRIVER_OK;
    default:
        return ARM_DRIVER_ERROR_UNSUPPORTED;
    }
}

/* Moves bytes out for as long as the UART takes them. */
static void feed(void)
{
    while (usart.n_out < usart.out_bytes &&
           board_uart_put(BOARD_LINE, usart.out[usart.n_out]) != 0) {
        usart.n_out++;
    }
    if (usart.is_sending != 0 && usart.n_out == usart.out_bytes &&
        (board_uart(BOARD_LINE)[BOARD_STATE] & 1u) == 0u) {
        usart.is_sending = 0;
        usart.event(ARM_USART_EVENT_SEND_COMPLETE);
    }
}

static int32_t transmit(const void *data, uint32_t bytes)
{
    if (usart.state < CONFIGURED || usart.can_send == 0 || bytes == 0u) {
        return ARM_DRIVER_ERROR;
    }
    if (usart.is_sending != 0) {
        return ARM_DRIVER_ERROR_BUSY;
    }
    usart.out = (const uint8_t *)data;
    usart.out_bytes = bytes;
    usart.n_out = 0;
    usart.is_sending = 1;
    board_uart(BOARD_LINE)[BOARD_CONTROL] |= 4u;
    /* The interrupt comes when a byte has left: the first leaves by hand. */
    __asm__ volatile("cpsid i" ::: "memory");
    usart.n_out += (uint32_t)board_uart_put(BOARD_LINE, usart.out[0]);
    __asm__ volatile("cpsie i" ::: "memory");
    return ARM_DRIVER_OK;
}

static int32_t receive(void *data, uint32_t bytes)
{
    if (usart.state < CONFIGURED || usart.can_receive == 0 || bytes == 0u) {
        return ARM_DRIVER_ERROR;
    }
    if (usart.is_receiving != 0) {
        return ARM_DRIVER_ERROR_BUSY;
    }
    usart.in = (uint8_t *)data;
    usart.in_bytes = bytes;
    usart.n_in = 0;
    usart.is_receiving = 1;
    return ARM_DRIVER_OK;
}

static int32_t transfer(const void *out, void *in, uint32_t bytes)
{
    (void)out;
    (void)in;
    (void)bytes;
    return ARM_DRIVER_ERROR_UNSUPPORTED;
}

static uint32_t get_tx_count(void)
{
    return usart.n_out;
}

static uint32_t get_rx_count(void)
{
    return usart.n_in;
}

static ARM_USART_STATUS get_status(void)
{
    const ARM_USART_STATUS status = {.tx_busy = usart.is_sending != 0 ? 1u : 0u,
                                     .rx_busy = usart.is_receiving != 0 ? 1u : 0u};
    return status;
}

static int32_t set_modem_control(ARM_USART_MODEM_CONTROL line)
{
    (void)line;
    return ARM_DRIVER_ERROR_UNSUPPORTED;
}

static ARM_USART_MODEM_STATUS get_modem_status(void)
{
    const ARM_USART_MODEM_STATUS none = {.cts = 0};
    return none;
}

void usart_mps2_interrupt(void)
{
    uint8_t byte;
    board_uart(BOARD_LINE)[BOARD_INTERRUPT] = 1u;
    feed();
    while (board_uart_get(BOARD_LINE, &byte) != 0) {
        if (usart.is_receiving == 0) {
            usart.unheard++;
            continue;
        }
        usart.in[usart.n_in++] = byte;
        if (usart.n_in == usart.in_bytes) {
            usart.is_receiving = 0;
            usart.event(ARM_USART_EVENT_RECEIVE_COMPLETE);
        }
    }
}

uint32_t usart_mps2_unheard(void)
{
    return usart.unheard;
}

ARM_DRIVER_USART Driver_USART2 = {
    get_version, get_capabilities, initialize,        uninitialize,     power_control,
    transmit,    receive,          transfer,          get_tx_count,     get_rx_count,
    control,     get_status,       set_modem_control, get_modem_status,
};
