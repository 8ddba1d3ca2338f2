/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes in and out through semihosting: the files "in" and "out" of the emulator's folder. */
#include "harness/port.h"
#include "harness/semihosting.h"

#define SYS_OPEN          0x01u
#define SYS_WRITE         0x05u
#define SYS_READ          0x06u
#define SYS_EXIT_EXTENDED 0x20u
#define OPEN_READ         1u /* "rb" */
#define OPEN_WRITE        5u /* "wb" */
#define EXITED            0x20026u
#define NO_FILE           3 /* exit codes of the image; 1 and 2 are the emulator's own */
#define NO_BYTES          4

static uintptr_t open_file(const char *name, uintptr_t mode, uintptr_t length)
{
    const uintptr_t block[3] = {(uintptr_t)name, mode, length};
    const uintptr_t handle = oribi_semihosting(SYS_OPEN, block);
    if (handle == ~(uintptr_t)0) {
        oribi_port_end(NO_FILE);
    }
    return handle;
}

void oribi_port_read(void *bytes, uint32_t n)
{
    static uintptr_t handle;
    static int32_t is_open;
    if (!is_open) {
        handle = open_file("in", OPEN_READ, 2u);
        is_open = 1;
    }
    const uintptr_t block[3] = {handle, (uintptr_t)bytes, n};
    if (n > 0u && oribi_semihosting(SYS_READ, block) != 0u) {
        oribi_port_end(NO_BYTES);
    }
}

void oribi_port_write(const void *bytes, uint32_t n)
{
    static uintptr_t handle;
    static int32_t is_open;
    if (!is_open) {
        handle = open_file("out", OPEN_WRITE, 3u);
        is_open = 1;
    }
    const uintptr_t block[3] = {handle, (uintptr_t)bytes, n};
    if (n > 0u && oribi_semihosting(SYS_WRITE, block) != 0u) {
        oribi_port_end(NO_BYTES);
    }
}

void oribi_port_end(int32_t code)
{
    const uintptr_t block[2] = {EXITED, (uintptr_t)code};
    for (;;) {
        (void)oribi_semihosting(SYS_EXIT_EXTENDED, block);
    }
}
