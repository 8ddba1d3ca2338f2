/* SPDX-License-Identifier: Apache-2.0 */
/* Arm MPS2 with the AN386 image (Cortex-M4F), as QEMU's mps2-an386 has it. */
#ifndef ORIBI_PLATFORM_CORTEX_M4_BOARD_H_
#define ORIBI_PLATFORM_CORTEX_M4_BOARD_H_

#define ORIBI_BOARD_CLOCK 25000000u
#define ORIBI_BOARD_UART  0x40004000u

#endif
