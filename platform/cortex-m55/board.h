/* SPDX-License-Identifier: Apache-2.0 */
/* Arm MPS3 with the AN547 image (Cortex-M55), as QEMU's mps3-an547 has it. */
#ifndef ORIBI_PLATFORM_CORTEX_M55_BOARD_H_
#define ORIBI_PLATFORM_CORTEX_M55_BOARD_H_

#define ORIBI_BOARD_CLOCK 32000000u
#define ORIBI_BOARD_UART  0x59303000u

#endif
