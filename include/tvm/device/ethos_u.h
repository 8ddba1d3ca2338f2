/* SPDX-License-Identifier: Apache-2.0 */
/* The hooks of the device kind `ethos-u`. A platform's header (ethos_u/core_driver.h) declares
 * tvm_device_ethos_u_t and Init, then includes this one. Every function returns 0, or a code that
 * ends the run; none is called from an interrupt. Between Open and Close of a device no other run
 * calls it.
 */
#ifndef TVM_DEVICE_ETHOS_U_H_
#define TVM_DEVICE_ETHOS_U_H_

#include "tvm/runtime/hooks.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Of these the driver has Activate, Deactivate, Open, Close, Invoke, Start, Wait and Cancel.
 * Invoke, Start: one command stream; the last bytes of call->params are those of ethos_u/params.h,
 *   the last tensor is its scratch. Start waits for what was begun before, since the NPU has one
 *   job.
 * Cancel: an NPU cannot be stopped. It is waited for, and what it says counts for nothing.
 * Errors: TVM_DEVICE_E_STATE when the device is not open; TVM_DEVICE_E_UNSUPPORTED for another
 *   operator or too many tensors; TVM_DEVICE_E_RANGE for sizes or addresses that do not fit the
 *   params; TVM_DEVICE_E_BUSY for a lock, TVM_DEVICE_E_IO for what the NPU's own driver refuses. */
TVM_DEVICE_HOOKS(EthosU, tvm_device_ethos_u_t);
int32_t TVMDeviceEthosUDestroy(tvm_device_ethos_u_t *dev);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* TVM_DEVICE_ETHOS_U_H_ */
