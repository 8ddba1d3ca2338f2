/* SPDX-License-Identifier: Apache-2.0 */
/* A tape: what an accelerator of another hand runs. A region of a model is one tape, the params of
 * one operator: a head, commands, and constants at multiples of four bytes. All words are
 * little-endian, all places are within what the call has: the machine checks each before it is
 * used.
 */
#ifndef TAPE_MACHINE_H_
#define TAPE_MACHINE_H_

#include <stdint.h>

#include "tvm/runtime/device.h"

#define TAPE_RUN   7 /* the only operator */
#define TAPE_MAGIC 0x45504154u

#define TAPE_CONV      1u
#define TAPE_DEPTHWISE 2u
#define TAPE_ADD       3u

#define TAPE_SCRATCH 0u /* bases of places; 1 + n: the tensor n of the call */

/* Of tape-own, whose tensors lie here. */
#define TAPE_MEMORY 40000u

struct tape_head {
    uint32_t magic, n_commands, n_tensors;
};

struct tape_place {
    uint32_t base, at, bytes;
};

struct tape_command {
    uint32_t op;
    struct tape_place a, b, out;
    uint32_t at, bytes; /* of its constants, in the tape */
};

/* int8, one image, NHWC, per channel, as TensorFlow Lite Micro rounds. Behind it, of each channel:
 * bias, multiplier, shift; then weights, [out_c][filter_h][filter_w][in_c] or, depthwise,
 * [filter_h][filter_w][out_c]. */
struct tape_conv {
    int32_t in_h, in_w, in_c, out_h, out_w, out_c, filter_h, filter_w;
    int32_t stride_h, stride_w, dilation_h, dilation_w, before_h, before_w;
    int32_t in_zero, out_zero, low, high;
};

/* a + b of as many elements, each (multiplier, shift) on values times 2^20. */
struct tape_add {
    int32_t a_zero, a_multiplier, a_shift, b_zero, b_multiplier, b_shift;
    int32_t out_multiplier, out_shift, out_zero, low, high;
};

/* Runs the tape of the call. memory: of the device, NULL: tensors lie where the call says.
 * Errors: TVM_DEVICE_E_UNSUPPORTED: no tape, or no such command; TVM_DEVICE_E_RANGE: a place or a
 * size that leaves what the call has. */
int32_t tape_run(const struct tvm_device_call *call, uint8_t *memory, uint32_t memory_bytes);

#endif
