/* SPDX-License-Identifier: Apache-2.0 */
/* What a platform brings for `uart_accel`: a lock and a line. Each <platform>/uart_accel.c
 * defines these four and Init and Destroy; common/uart_accel.c is the rest. The macro
 * TVM_DEVICE_UART_ACCEL_HEADER says which struct it is, as in generated code.
 */
#ifndef ORIBI_EXAMPLE_UART_ACCEL_PORT_H_
#define ORIBI_EXAMPLE_UART_ACCEL_PORT_H_

#ifndef TVM_DEVICE_UART_ACCEL_HEADER
#define TVM_DEVICE_UART_ACCEL_HEADER "tvm/device/uart_accel/posix.h"
#endif
#include TVM_DEVICE_UART_ACCEL_HEADER

/* All return a code of tvm/runtime/device.h. */
int32_t uart_accel_port_lock(tvm_device_uart_accel_t *dev);
int32_t uart_accel_port_unlock(tvm_device_uart_accel_t *dev);
/* Sends all bytes. */
int32_t uart_accel_port_send(tvm_device_uart_accel_t *dev, const void *data, uint32_t bytes);
/* Receives exactly so many; TVM_DEVICE_E_TIMEOUT when one is waited for longer than timeout_ms. */
int32_t uart_accel_port_receive(tvm_device_uart_accel_t *dev, void *data, uint32_t bytes,
                                int32_t timeout_ms);

#endif
