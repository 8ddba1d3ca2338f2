/* SPDX-License-Identifier: Apache-2.0 */
/* Devices on this machine, without a board: what a model was compiled for (oribi/oribi.h,
 * oribi_compile_*, with the option target-device) is run here with the driver of each device as a
 * shared object, hook by hook in the order that the generated C would call them; or the far end of
 * an accelerator is played with the kernels of this library. `oribi run --device` and `oribi
 * device-serve` are made of it. How a driver comes into a shared object: tvm/runtime/desk.h.
 *
 * Threads  a desk belongs to one thread at a time.
 * Since    1.2.
 */
#ifndef ORIBI_DESK_H_
#define ORIBI_DESK_H_

#include <stddef.h>
#include <stdint.h>

#include "oribi/oribi.h"

#ifdef __cplusplus
extern "C" {
#endif

#if ORIBI_HAS_CONTRACT(1, 2)

typedef struct oribi_desk oribi_desk;

/* For the model of a compilation, which is borrowed until the desk is destroyed. Kernels are those
 * that compute bit for bit what the C computes.
 * Errors   FAILED_PRECONDITION: not one model, or no device; RESOURCE_EXHAUSTED. */
TF_CAPI_EXPORT extern oribi_desk *oribi_desk_create(oribi_compile *compile, TF_Status *status);
TF_CAPI_EXPORT extern void oribi_desk_destroy(oribi_desk *desk);

/* Loads a driver, "NAME=FILE" or "NAME=FILE:OPTIONS": NAME is a device, or the kind of several;
 * each gets a device of its own. OPTIONS is the driver's to read. The driver is trusted code.
 * Errors   INVALID_ARGUMENT for the form; NOT_FOUND: no such device, no such file, or a function
 *          that the target asks for is missing; ALREADY_EXISTS: it has its driver;
 *          UNAVAILABLE: the driver cannot make its device. */
TF_CAPI_EXPORT extern void oribi_desk_load_driver(oribi_desk *desk, const char *spec,
                                                  TF_Status *status);

/* Inputs and outputs of a run: the model's, in its order, state apart. */
TF_CAPI_EXPORT extern int oribi_desk_num_inputs(const oribi_desk *desk);
TF_CAPI_EXPORT extern int oribi_desk_num_outputs(const oribi_desk *desk);

/* One run. inputs are borrowed; the caller deletes the outputs. State stays with the desk.
 * Errors   FAILED_PRECONDITION: a device has no driver; INVALID_ARGUMENT: an input does not fit;
 *          UNIMPLEMENTED: a target wrote C in place of calls. When a hook fails, everything that
 *          the run has begun is ended as in generated code, and the message says device, hook,
 *          operator, the driver's code, and how many hooks failed while clearing up:
 *          DEADLINE_EXCEEDED for TVM_DEVICE_E_TIMEOUT, CANCELLED, UNIMPLEMENTED for
 * ..._UNSUPPORTED, else UNAVAILABLE. State and outputs are as before then. */
TF_CAPI_EXPORT extern void oribi_desk_run(oribi_desk *desk, const TF_Tensor *const *inputs,
                                          TF_Tensor **outputs, TF_Status *status);

/* Computes one operator of a device as the accelerator would: the region of the model that has this
 * number and these params. inputs: its tensors one after the other, dense; outputs likewise, with
 * scratch behind them if the target asks for some.
 * Errors   NOT_FOUND: no such operator in this model; INVALID_ARGUMENT: sizes do not fit; what a
 *          kernel reported. outputs are untouched then. */
TF_CAPI_EXPORT extern void oribi_desk_invoke(oribi_desk *desk, int32_t op, const void *params,
                                             size_t params_bytes, const void *inputs,
                                             size_t inputs_bytes, void *outputs,
                                             size_t outputs_bytes, TF_Status *status);

#endif /* 1.2 */

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* ORIBI_DESK_H_ */
