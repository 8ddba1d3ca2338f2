/* SPDX-License-Identifier: Apache-2.0 */
/* Lines as UARTs 1 to 4 of the AN386, polled. */
#include "harness/device_line.h"
#include "tvm/runtime/device.h"

enum { DATA = 0, STATE = 1, CONTROL = 2, DIVIDER = 4 };
enum { TX_FULL = 1, RX_FULL = 2, TX_AND_RX_ON = 3 };

void *oribi_line_open(int32_t index)
{
    static const uintptr_t uarts[4] = {0x40005000u, 0x40006000u, 0x40007000u, 0x40009000u};
    volatile uint32_t *const uart = (volatile uint32_t *)uarts[index & 3];
    uart[DIVIDER] = 16u;
    uart[CONTROL] = TX_AND_RX_ON;
    return (void *)uarts[index & 3];
}

int32_t oribi_line_put(void *line, uint8_t byte)
{
    volatile uint32_t *const uart = (volatile uint32_t *)line;
    if ((uart[STATE] & TX_FULL) != 0u) {
        return 0;
    }
    uart[DATA] = byte;
    return 1;
}

int32_t oribi_line_get(void *line, uint8_t *byte)
{
    volatile uint32_t *const uart = (volatile uint32_t *)line;
    if ((uart[STATE] & RX_FULL) == 0u) {
        return 0;
    }
    *byte = (uint8_t)uart[DATA];
    return 1;
}

int32_t oribi_line_ring(void *line)
{
    for (uint32_t polls = 0; polls < 100000000u; polls++) {
        if (oribi_line_put(line, 1u) != 0) {
            return TVM_DEVICE_OK;
        }
    }
    return TVM_DEVICE_E_TIMEOUT;
}
