/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of devices as UARTs 1 to 4 of the AN386, polled. */
#include "harness/devices.h"

#define POLLS_PER_MS 10000u /* of an emulator at its best */

enum { DATA = 0, STATE = 1, CONTROL = 2, DIVIDER = 4 };
enum { TX_FULL = 1, RX_FULL = 2, TX_AND_RX_ON = 3 };

static int32_t put(void *context, uint8_t byte)
{
    volatile uint32_t *const uart = (volatile uint32_t *)context;
    if ((uart[STATE] & TX_FULL) != 0u) {
        return 0;
    }
    uart[DATA] = byte;
    return 1;
}

static int32_t get(void *context, uint8_t *byte)
{
    volatile uint32_t *const uart = (volatile uint32_t *)context;
    if ((uart[STATE] & RX_FULL) == 0u) {
        return 0;
    }
    *byte = (uint8_t)uart[DATA];
    return 1;
}

int32_t oribi_place_line(struct tvm_verify_line *line, int32_t index)
{
    static const uintptr_t uarts[4] = {0x40005000u, 0x40006000u, 0x40007000u, 0x40009000u};
    volatile uint32_t *const uart = (volatile uint32_t *)uarts[index & 3];
    uart[DIVIDER] = 16u;
    uart[CONTROL] = TX_AND_RX_ON;
    line->context = (void *)uarts[index & 3];
    line->put = put;
    line->get = get;
    line->polls_per_ms = POLLS_PER_MS;
    return TVM_DEVICE_OK;
}
