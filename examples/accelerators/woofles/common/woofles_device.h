/* SPDX-License-Identifier: Apache-2.0 */
/* The far side of a woofles window: takes commands in order and computes them. Stands for the
 * hardware, in a thread on POSIX (posix/woofles.c) and in a process beside QEMU.
 */
#ifndef ORIBI_EXAMPLE_WOOFLES_DEVICE_H_
#define ORIBI_EXAMPLE_WOOFLES_DEVICE_H_

#include "woofles_window.h"

/* Tensors lie in the window, checked to be inside. */
struct woofles_span {
    uint8_t *data;
    uint32_t bytes;
};

/* Computes one operator; 0, or the code that the host gets. */
typedef int32_t woofles_compute_function(void *context, uint32_t op, const uint8_t *params,
                                         uint32_t params_bytes, const struct woofles_span *inputs,
                                         uint32_t n_inputs, const struct woofles_span *outputs,
                                         uint32_t n_outputs);

/* Takes the next command, if there is one. Returns 1 when there was. The window is shared: words
 * are read and written with acquire and release, and what its host writes is not trusted: `bytes`
 * is its size as the device knows it. */
int32_t woofles_device_step_with(struct woofles_window *window, uint32_t bytes,
                                 woofles_compute_function *compute, void *context);
/* The same by woofles_compute, in a window whose size is the word in front of it. */
int32_t woofles_device_step(struct woofles_window *window);

/* One operator in plain loops: woofles_ops.c. */
int32_t woofles_compute(uint32_t op, const uint8_t *params, uint32_t params_bytes,
                        const struct woofles_span *inputs, uint32_t n_inputs,
                        const struct woofles_span *outputs, uint32_t n_outputs);

#endif
