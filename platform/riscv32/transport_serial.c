/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes in and out over a 16550 UART that is ready to use. */
#include "harness/port.h"

#define DATA        (*(volatile uint8_t *)0x10000000u)
#define LINE_STATUS (*(volatile uint8_t *)0x10000005u)
#define RX_READY    0x01u
#define TX_FREE     0x20u

void oribi_port_read(void *bytes, uint32_t n)
{
    uint8_t *to = bytes;
    for (uint32_t i = 0; i < n; i++) {
        while ((LINE_STATUS & RX_READY) == 0u) {
        }
        to[i] = DATA;
    }
}

void oribi_port_write(const void *bytes, uint32_t n)
{
    const uint8_t *from = bytes;
    for (uint32_t i = 0; i < n; i++) {
        while ((LINE_STATUS & TX_FREE) == 0u) {
        }
        DATA = from[i];
    }
}

void oribi_port_end(int32_t code)
{
    (void)code; /* the board stays: another request may come */
}
