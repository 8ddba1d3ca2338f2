/* SPDX-License-Identifier: Apache-2.0 */
/* A call of the debugger or emulator: an operation and its argument, as Arm's and RISC-V's
 * semihosting specifications have it. One per instruction set. */
#ifndef ORIBI_PLATFORM_HARNESS_SEMIHOSTING_H_
#define ORIBI_PLATFORM_HARNESS_SEMIHOSTING_H_

#include <stdint.h>

uintptr_t oribi_semihosting(uintptr_t operation, const void *argument);

#endif
