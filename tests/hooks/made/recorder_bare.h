/* SPDX-License-Identifier: Apache-2.0 */
/* Printing on an emulated microcontroller, into a file of the emulator's folder, for
 * recorder_main.c. */
#include <stdint.h>
#include <string.h>

#include "harness/port.h"

#define RECORDER_END                                                                               \
    print_all();                                                                                   \
    oribi_port_end(0);                                                                             \
    return 0;

static char printed[1 << 16];
static uint32_t n_printed;

static void print_all(void)
{
    oribi_port_write(printed, n_printed);
    n_printed = 0;
}

static void print(const char *text)
{
    uint32_t n = 0;
    while (text[n] != 0) {
        n++;
    }
    if (n_printed + n > sizeof printed) {
        print_all();
    }
    memcpy(printed + n_printed, text, n);
    n_printed += n;
}

static void print_number(int32_t number)
{
    char digits[12];
    char *at = &digits[sizeof digits - 1];
    uint32_t rest = number < 0 ? 0u - (uint32_t)number : (uint32_t)number;
    *at = 0;
    do {
        *--at = (char)('0' + rest % 10u);
        rest /= 10u;
    } while (rest > 0u);
    if (number < 0) {
        *--at = '-';
    }
    print(at);
}

void oribi_harness_fault(uint32_t cause, uint32_t status, uint32_t counter, uint32_t address)
{
    (void)cause;
    (void)status;
    (void)counter;
    (void)address;
    oribi_port_end(9);
}
