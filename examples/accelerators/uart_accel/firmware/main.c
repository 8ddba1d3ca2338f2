/* SPDX-License-Identifier: Apache-2.0 */
/* Firmware for a Cortex-M4 (QEMU's mps2-an386) whose convolutions go over its second UART to an
 * accelerator: build.sh builds it, demo.sh runs it with `oribi device-serve` at the other end.
 *
 * It runs the model on each input of the file "in" and writes the code and the outputs of each run
 * to the file "out" (semihosting); what went wrong it says on the first UART. A run that fails has
 * ended what it began, so the next one starts afresh.
 */
#include <string.h>

#include "harness/port.h"
#include "tvmgen_net.h"

/* --- The board -------------------------------------------------------------------------------- */

static volatile uint32_t *const console = (volatile uint32_t *)0x40004000u;
static volatile uint32_t *const line = (volatile uint32_t *)0x40005000u;
static volatile uint32_t *const timer = (volatile uint32_t *)0x40000000u; /* 25 MHz, downwards */
enum { DATA = 0, STATE = 1, CONTROL = 2, DIVIDER = 4 };
enum { TIMER_CONTROL = 0, TIMER_VALUE = 1, TIMER_RELOAD = 2, TICKS_PER_MS = 25000 };

static int32_t put(void *uart, uint8_t byte)
{
    volatile uint32_t *const registers = (volatile uint32_t *)uart;
    if ((registers[STATE] & 1u) != 0u) {
        return 0;
    }
    registers[DATA] = byte;
    return 1;
}

static int32_t get(void *uart, uint8_t *byte)
{
    volatile uint32_t *const registers = (volatile uint32_t *)uart;
    if ((registers[STATE] & 2u) == 0u) {
        return 0;
    }
    *byte = (uint8_t)registers[DATA];
    return 1;
}

/* How often the line can be asked in a millisecond: the driver's time-outs are counted in that. */
static uint32_t measure_polls_per_ms(void)
{
    const uint32_t start = timer[TIMER_VALUE];
    uint32_t polls = 0;
    uint8_t byte;
    while (start - timer[TIMER_VALUE] < 10u * TICKS_PER_MS) {
        for (int32_t i = 0; i < 64; i++, polls++) {
            (void)get((void *)line, &byte); /* nobody has been asked for anything yet */
        }
    }
    return polls / 10u + 1u;
}

void oribi_harness_fault(uint32_t cause, uint32_t status, uint32_t counter, uint32_t address)
{
    (void)cause;
    (void)status;
    (void)counter;
    (void)address;
    oribi_port_end(9);
}

/* --- Console ---------------------------------------------------------------------------------- */

static void say(const char *text)
{
    for (; *text != '\0'; text++) {
        while (put((void *)console, (uint8_t)*text) == 0) {
        }
    }
}

static void say_number(int32_t value)
{
    char digits[12];
    char *at = &digits[11];
    uint32_t rest = value < 0 ? 0u - (uint32_t)value : (uint32_t)value;
    *at = '\0';
    do {
        *--at = (char)('0' + rest % 10u);
        rest /= 10u;
    } while (rest > 0u);
    say(value < 0 ? "-" : "");
    say(at);
}

static void say_run(int32_t run, int32_t code, const struct tvm_device_error *error)
{
    say("run ");
    say_number(run);
    if (code == 0) {
        say(": good\n");
        return;
    }
    say(": code ");
    say_number(code);
    say(", ");
    say(tvm_device_hook_name(error->hook));
    say(" of ");
    say(error->instance != NULL ? error->instance : "no device");
    say(", operator ");
    say_number(error->operator_index);
    say(", failures while unwinding ");
    say_number(error->cleanup_failures);
    say("\n");
}

/* --- Application ------------------------------------------------------------------------------ */

/* build.sh names the model's input and output, and how often it runs. */
static FIRMWARE_IN_TYPE in[FIRMWARE_IN_COUNT];
static FIRMWARE_OUT_TYPE out[FIRMWARE_OUT_COUNT];
static uint8_t workspace[TVMGEN_NET_WORKSPACE_SIZE + 16] __attribute__((aligned(16)));
static tvm_device_uart_accel_t device;

int main(void)
{
    struct tvm_device_error error;
    const struct tvmgen_net_inputs inputs = {in};
    const struct tvmgen_net_outputs outputs = {out};
    const struct tvmgen_net_workspace_pools pools = {workspace};
    const struct tvmgen_net_devices devices = {&device, &error};
    console[DIVIDER] = line[DIVIDER] = 16;
    console[CONTROL] = 1;
    line[CONTROL] = 3;
    timer[TIMER_RELOAD] = timer[TIMER_VALUE] = 0xFFFFFFFFu;
    timer[TIMER_CONTROL] = 1;
    if (TVMDeviceUartAccelInit(&device, (void *)line, put, get, measure_polls_per_ms()) != 0) {
        oribi_port_end(8);
    }
    device.timeout_ms = FIRMWARE_TIMEOUT_MS;
    for (int32_t i = 0; i < FIRMWARE_RUNS; i++) {
        oribi_port_read(in, sizeof in);
        memset(&error, 0, sizeof error);
        const int32_t code = tvmgen_net_run(&inputs, &outputs, &pools, &devices);
        oribi_port_write(&code, sizeof code);
        oribi_port_write(out, sizeof out);
        say_run(i, code, &error);
    }
    oribi_port_end(0);
    return 0;
}
