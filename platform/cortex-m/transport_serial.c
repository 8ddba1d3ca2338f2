/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes in and out over a CMSDK UART, as Arm's MPS boards have it; board.h says where. */
#include "board.h"
#include "harness/port.h"

struct uart {
    volatile uint32_t data, state, control, interrupts, divisor;
};
#define UART      ((struct uart *)ORIBI_BOARD_UART)
#define TX_FULL   1u
#define RX_FULL   2u
#define TX_AND_RX 3u

void oribi_port_read(void *bytes, uint32_t n)
{
    uint8_t *to = bytes;
    UART->divisor = ORIBI_BOARD_CLOCK / 115200u;
    UART->control = TX_AND_RX;
    for (uint32_t i = 0; i < n; i++) {
        while ((UART->state & RX_FULL) == 0u) {
        }
        to[i] = (uint8_t)UART->data;
    }
}

void oribi_port_write(const void *bytes, uint32_t n)
{
    const uint8_t *from = bytes;
    UART->control = TX_AND_RX;
    for (uint32_t i = 0; i < n; i++) {
        while ((UART->state & TX_FULL) != 0u) {
        }
        UART->data = from[i];
    }
}

void oribi_port_end(int32_t code)
{
    (void)code; /* the board stays: another request may come */
}
