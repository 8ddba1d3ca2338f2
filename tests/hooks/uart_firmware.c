/* SPDX-License-Identifier: Apache-2.0 */
/* Firmware for an emulated Cortex-M4: runs the model on each input of the file "in", with the
 * accelerator behind its second UART, and writes what comes out to "out": the code and the outputs
 * of each run. */
#include <string.h>

#include "harness/port.h"
#include "tvmgen_net.h"

static volatile uint32_t *const uart = (volatile uint32_t *)0x40005000u;
enum { DATA = 0, STATE = 1, CONTROL = 2, DIVIDER = 4 };

static int32_t put(void *context, uint8_t byte)
{
    (void)context;
    if ((uart[STATE] & 1u) != 0u) {
        return 0;
    }
    uart[DATA] = byte;
    return 1;
}

static int32_t get(void *context, uint8_t *byte)
{
    (void)context;
    if ((uart[STATE] & 2u) == 0u) {
        return 0;
    }
    *byte = (uint8_t)uart[DATA];
    return 1;
}

void oribi_harness_fault(uint32_t cause, uint32_t status, uint32_t counter, uint32_t address)
{
    (void)cause;
    (void)status;
    (void)counter;
    (void)address;
    oribi_port_end(9);
}

static FIRMWARE_IN_TYPE in[FIRMWARE_IN_COUNT];
static FIRMWARE_OUT_TYPE out[FIRMWARE_OUT_COUNT];
static uint8_t workspace[TVMGEN_NET_WORKSPACE_SIZE + 16] __attribute__((aligned(16)));
static tvm_device_uart_accel_t device;

int main(void)
{
    const struct tvmgen_net_inputs inputs = {in};
    const struct tvmgen_net_outputs outputs = {out};
    const struct tvmgen_net_workspace_pools pools = {workspace};
    const struct tvmgen_net_devices devices = {&device, NULL};
    uart[DIVIDER] = 16;
    uart[CONTROL] = 3;
    if (TVMDeviceUartAccelInit(&device, NULL, put, get, 2000) != 0) {
        oribi_port_end(8);
    }
    device.timeout_ms = FIRMWARE_TIMEOUT_MS;
    for (int32_t i = 0; i < FIRMWARE_RUNS; i++) {
        oribi_port_read(in, sizeof in);
        const int32_t code = tvmgen_net_run(&inputs, &outputs, &pools, &devices);
        oribi_port_write(&code, sizeof code);
        oribi_port_write(out, sizeof out);
    }
    oribi_port_end(0);
    return 0;
}
