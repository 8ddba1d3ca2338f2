/* SPDX-License-Identifier: Apache-2.0 */
/* The hooks of the device kind `uart_accel`: an accelerator at the end of a serial line. Who calls
 * what from where: tvm/device/woofles.h has the table. A platform's header
 * (uart_accel/<platform>.h) declares tvm_device_uart_accel_t and Init, then includes this one.
 *
 * The line may lose, add or change bytes: every frame is checked, and asked for again a few times;
 * then the hook fails with TVM_DEVICE_E_TIMEOUT or TVM_DEVICE_E_IO, and the next run starts afresh.
 */
#ifndef TVM_DEVICE_UART_ACCEL_H_
#define TVM_DEVICE_UART_ACCEL_H_

#include "tvm/runtime/device.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The first Activate greets the far end, and fails where nobody answers. */
int32_t TVMDeviceUartAccelActivate(tvm_device_uart_accel_t *dev);
int32_t TVMDeviceUartAccelOpen(tvm_device_uart_accel_t *dev);
int32_t TVMDeviceUartAccelInvoke(tvm_device_uart_accel_t *dev, const struct tvm_device_call *call);
/* The far end keeps the params of a call, if it has room for them, until the next greeting. */
int32_t TVMDeviceUartAccelLoad(tvm_device_uart_accel_t *dev, struct tvm_device_call *call);
extern const struct tvm_device_driver TVMDeviceUartAccelDriver;
int32_t TVMDeviceUartAccelClose(tvm_device_uart_accel_t *dev);
int32_t TVMDeviceUartAccelDeactivate(tvm_device_uart_accel_t *dev);
int32_t TVMDeviceUartAccelDestroy(tvm_device_uart_accel_t *dev);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* TVM_DEVICE_UART_ACCEL_H_ */
