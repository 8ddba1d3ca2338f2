/* SPDX-License-Identifier: Apache-2.0 */
/* The harness as a program of the machine that runs `oribi verify`: frames over stdin and stdout.
 */
#include <stdio.h>
#include <stdlib.h>

#include "harness/port.h"
#include "oribi/verify_wire.h"

#define NO_BYTES 4 /* exit code */

void oribi_port_read(void *bytes, uint32_t n)
{
    if (fread(bytes, 1, n, stdin) != n) {
        exit(NO_BYTES);
    }
}

void oribi_port_write(const void *bytes, uint32_t n)
{
    if (fwrite(bytes, 1, n, stdout) != n) {
        exit(NO_BYTES);
    }
}

void oribi_port_end(int32_t code)
{
    exit(code);
}

uint32_t oribi_port_count_kind(void)
{
    return ORIBI_WIRE_COUNTS_NOTHING;
}

uint64_t oribi_port_ticks(void)
{
    return 0u;
}

uint64_t oribi_port_count(uint64_t ticks)
{
    return ticks;
}

int32_t oribi_port_call(int32_t (*run)(void), uint32_t *out_stack_bytes)
{
    *out_stack_bytes = ORIBI_WIRE_UNKNOWN;
    return run();
}
