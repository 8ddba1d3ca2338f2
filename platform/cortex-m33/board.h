/* SPDX-License-Identifier: Apache-2.0 */
/* Arm MPS2 with the AN505 image (Cortex-M33), as QEMU's mps2-an505 has it. */
#ifndef ORIBI_PLATFORM_CORTEX_M33_BOARD_H_
#define ORIBI_PLATFORM_CORTEX_M33_BOARD_H_

#define ORIBI_BOARD_CLOCK  20000000u
#define ORIBI_BOARD_UART   0x50200000u
#define ORIBI_BOARD_TIMERS 0x50000000u

#endif
