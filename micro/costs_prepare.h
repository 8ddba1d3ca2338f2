/* SPDX-License-Identifier: Apache-2.0 */
/* What a kernel costs on a Cortex-M4, and by which of its sizes it would cost less were they
 * constants: a shape class, of which an instance of the kernel can be made. The numbers stand in
 * the kernel's prepare half; a kernel without any costs what its multiplications do. They were
 * counted in QEMU on what GCC 12 makes at -O3, by
 *
 *     python3 bench/mcu.py --instances
 *
 * which prints the estimates beside what it counts; compile.instance_costs fails where they differ
 * by more than 15 in 100. Host only.
 */
#ifndef ORIBI_MICRO_COSTS_PREPARE_H_
#define ORIBI_MICRO_COSTS_PREPARE_H_

#include <stdint.h>

enum { ORIBI_MICRO_CLASSES = 2, ORIBI_MICRO_CLASS_CONSTANTS = 8 };

struct oribi_micro_constant {
    const char *name; /* behind ORIBI_MICRO_ */
    int32_t value;
};

/* A shape class that a call belongs to. */
struct oribi_micro_class {
    const char *name;   /* "point%d": behind the kernel's name the one of an instance */
    const char *what;   /* "points of %d channels" */
    int32_t numbers[3]; /* that both have, in this order */
    struct oribi_micro_constant constants[ORIBI_MICRO_CLASS_CONSTANTS]; /* its instance begins so */
    int32_t n_constants;
    int32_t code_bytes;   /* of an instance */
    int64_t instructions; /* of the call by an instance */
};

struct oribi_micro_costs {
    const char *kernel; /* "conv2d_lanes_s8" */
    const char *body;   /* function of its _body.h that does all the work; NULL: no instances */
    const struct oribi_micro_costs *uses; /* the kernel whose code it needs as well, or NULL */
    int32_t code_bytes;                   /* that go when nothing calls it */
    /* Of struct oribi_micro_<kernel>_args. */
    int64_t (*instructions)(const void *args);
    int32_t (*classes)(const void *args, struct oribi_micro_class out[ORIBI_MICRO_CLASSES]);
};

#endif
