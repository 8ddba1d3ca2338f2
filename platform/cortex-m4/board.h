/* SPDX-License-Identifier: Apache-2.0 */
/* Arm MPS2 with the images AN385 (Cortex-M3), AN386 (Cortex-M4F) or AN500 (Cortex-M7), as QEMU's
 * mps2-an385 and so on have it. */
#ifndef ORIBI_PLATFORM_CORTEX_M4_BOARD_H_
#define ORIBI_PLATFORM_CORTEX_M4_BOARD_H_

#define ORIBI_BOARD_CLOCK  25000000u
#define ORIBI_BOARD_UART   0x40004000u
#define ORIBI_BOARD_TIMERS 0x40000000u

#endif
