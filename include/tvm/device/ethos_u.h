/* SPDX-License-Identifier: Apache-2.0 */
/* The hooks of the device kind `ethos-u`. A platform's header (ethos_u/core_driver.h) declares
 * tvm_device_ethos_u_t and Init, then includes this one. Every function returns 0, or a code that
 * ends the run; none is called from an interrupt. Between Open and Close of a device no other run
 * calls it.
 */
#ifndef TVM_DEVICE_ETHOS_U_H_
#define TVM_DEVICE_ETHOS_U_H_

#include "tvm/runtime/device.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Both nest: models share an NPU. */
int32_t TVMDeviceEthosUActivate(tvm_device_ethos_u_t *dev);
int32_t TVMDeviceEthosUDeactivate(tvm_device_ethos_u_t *dev);
int32_t TVMDeviceEthosUOpen(tvm_device_ethos_u_t *dev);
int32_t TVMDeviceEthosUClose(tvm_device_ethos_u_t *dev);
int32_t TVMDeviceEthosUDestroy(tvm_device_ethos_u_t *dev);

/* One command stream: call->params are those of ethos_u/params.h, the last tensor is its scratch.
 * Errors: TVM_DEVICE_E_STATE when the device is not open; TVM_DEVICE_E_UNSUPPORTED for another
 * operator or too many tensors; TVM_DEVICE_E_RANGE for sizes or addresses that do not fit the
 * params; TVM_DEVICE_E_IO for what the NPU's own driver refuses. */
int32_t TVMDeviceEthosUInvoke(tvm_device_ethos_u_t *dev, const struct tvm_device_call *call);
/* The same, begun; what was begun before it is waited for, since the NPU has one at a time. */
int32_t TVMDeviceEthosUStart(tvm_device_ethos_u_t *dev, const struct tvm_device_call *call);
int32_t TVMDeviceEthosUWait(tvm_device_ethos_u_t *dev);
/* An NPU cannot be stopped: it is waited for, and what it says counts for nothing. */
int32_t TVMDeviceEthosUCancel(tvm_device_ethos_u_t *dev);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* TVM_DEVICE_ETHOS_U_H_ */
