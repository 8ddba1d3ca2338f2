/* SPDX-License-Identifier: Apache-2.0 */
/* The kit's functions, once for all kernels of this plugin (ORIBI_KIT_SHARED). How long a loop
 * works between two looks is a variable: tests make it 1, and see on small inputs which kernels
 * look.
 */
#include "cpu/base/cpu.h"

int64_t oribi_cpu_look_cycles = 1000000;

#define ORIBI_KIT_LOOK_CYCLES oribi_cpu_look_cycles
#define ORIBI_KIT_BODIES
#include "oribi/kernel_kit_bodies.h"
