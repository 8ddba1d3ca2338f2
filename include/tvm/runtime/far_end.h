/* SPDX-License-Identifier: Apache-2.0 */
/* What plays an accelerator that is not there? The far end of its line: C of the driver's folder
 * that `oribi verify` and `oribi device-serve` build for this machine, load, and give a line, a
 * window of memory, and the kernels of the model. The driver's manifest names its functions:
 *
 *   int32_t PREPARE(struct tvm_far_end *end);   optional: once, before anybody is on the line
 *   int32_t SERVE(struct tvm_far_end *end);     for each board: until the line is gone
 *
 * PREPARE returns 0, or a code that ends the command; SERVE the same, 0 when the line went.
 * Both are called on one thread. docs/reference/driver-manifest.md has an example.
 */
#ifndef TVM_RUNTIME_FAR_END_H_
#define TVM_RUNTIME_FAR_END_H_

#include "tvm/runtime/device.h"

#ifdef __cplusplus
extern "C" {
#endif

struct tvm_far_end {
    uint32_t struct_size; /* of the command that calls: later members lie behind */
    void *context;        /* first argument of the functions */
    /* Exactly so many bytes. 0: they are there; 1: none came for timeout_ms (below 0: it waits for
     * ever); -1: the line is gone. */
    int32_t (*receive)(void *context, void *data, uint32_t bytes, int32_t timeout_ms);
    /* 0: all are sent; 1: there was no room for timeout_ms (0: it does not wait); -1: gone. */
    int32_t (*send)(void *context, const void *data, uint32_t bytes, int32_t timeout_ms);
    /* Computes operator `op` of a call by the kernels of this machine: its inputs one after the
     * other, then outputs and scratch likewise. 0, or a code of tvm/runtime/device.h for who asked;
     * `out` is untouched then. A far end that computes by itself does without. */
    int32_t (*invoke)(void *context, int32_t op, const void *params, uint32_t params_bytes,
                      const void *in, uint32_t in_bytes, void *out, uint32_t out_bytes);
    uint8_t *window; /* shared with the board; NULL: the device has none */
    uint32_t window_bytes;
    uint64_t requests, broken; /* the far end counts; told when the command ends */
};

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* TVM_RUNTIME_FAR_END_H_ */
