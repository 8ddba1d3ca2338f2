/* SPDX-License-Identifier: Apache-2.0 */
/* What an application does once, for `oribi verify`: the line as a descriptor, or as a UART. */
#include "../common/uart_accel_port.h"

#include "tvm/runtime/verify.h"

int32_t uart_accel_start(tvm_device_uart_accel_t *dev, const struct tvm_verify_place *place);
int32_t uart_accel_stop(tvm_device_uart_accel_t *dev);

int32_t uart_accel_start(tvm_device_uart_accel_t *dev, const struct tvm_verify_place *place)
{
    const struct tvm_verify_line *const line = &place->line;
#if defined(__STDC_HOSTED__) && __STDC_HOSTED__
    const int32_t code = TVMDeviceUartAccelInit(dev, line->descriptor);
#else
    const int32_t code =
        TVMDeviceUartAccelInit(dev, line->context, line->put, line->get, line->polls_per_ms);
#endif
    dev->timeout_ms = 30000; /* the far side may have to wait for a processor */
    return code;
}

int32_t uart_accel_stop(tvm_device_uart_accel_t *dev)
{
    return TVMDeviceUartAccelDestroy(dev);
}
