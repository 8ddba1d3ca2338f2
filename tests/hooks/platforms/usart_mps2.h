/* SPDX-License-Identifier: Apache-2.0 */
/* A CMSIS-Driver USART over UART 2 of the board: as strict as the interface's description, so that
 * a user who sends before he has powered, or hears before he has asked to receive, is found out. */
#ifndef ORIBI_TESTS_HOOKS_PLATFORMS_USART_MPS2_H_
#define ORIBI_TESTS_HOOKS_PLATFORMS_USART_MPS2_H_

#include "Driver_USART.h"

extern ARM_DRIVER_USART Driver_USART2;

/* From UART 2's interrupts. */
void usart_mps2_interrupt(void);
/* Bytes that came while no Receive was under way. */
uint32_t usart_mps2_unheard(void);

#endif
