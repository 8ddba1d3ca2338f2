/* SPDX-License-Identifier: Apache-2.0 */
/* The AN386 of the systems that bring no board of their own: UART 1 is the doorbell of a woofles,
 * UART 2 the line of a uart_accel, or the doorbell of a second woofles. */
#ifndef ORIBI_TESTS_HOOKS_PLATFORMS_BOARD_H_
#define ORIBI_TESTS_HOOKS_PLATFORMS_BOARD_H_

#include <stdint.h>

#define BOARD_DOORBELL  1u
#define BOARD_LINE      2u
#define BOARD_DATA      0
#define BOARD_STATE     1 /* bit 0: it cannot send now; bit 1: a byte is there */
#define BOARD_CONTROL   2 /* bits 0 to 3: send, receive, and their interrupts */
#define BOARD_INTERRUPT 3 /* bits 0, 1: sent, received; written back to clear */
#define BOARD_DIVIDER   4

/* Registers of UART n. */
volatile uint32_t *board_uart(uint32_t n);
/* Switches UART n on, with its receive interrupt. */
void board_uart_start(uint32_t n);
/* A byte if one has come: 1, else 0. In this order no wake-up is lost. */
int32_t board_uart_get(uint32_t n, uint8_t *byte);
/* One byte, if the UART is ready for it: 1, else 0. */
int32_t board_uart_put(uint32_t n, uint8_t byte);
/* Priority 0xC0: such an interrupt may call a system. */
void board_interrupt_enable(uint32_t number);

#endif
