/* SPDX-License-Identifier: Apache-2.0 */
/* A FAULT frame in words: what the core says, and in which function. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "oribi/verify_wire.h"
#include "verify.h"

typedef struct meaning {
    uint32_t code;
    const char *text;
} meaning;

/* Bits of CFSR (Armv7-M and Armv8-M Architecture Reference Manuals), the one that explains most
 * first. */
static const meaning arm_bits[] = {
    {1u << 4, "no room on the stack"},
    {1u << 12, "no room on the stack"},
    {1u << 20, "no room on the stack"},
    {1u << 0, "an instruction where none may be executed"},
    {1u << 1, "data where none may be read or written"},
    {1u << 8, "an instruction that cannot be fetched"},
    {1u << 9, "data at an address where nothing is"},
    {1u << 10, "data at an address where nothing is (imprecise)"},
    {1u << 16, "an instruction that this core does not have"},
    {1u << 17, "an instruction set that this core does not have"},
    {1u << 19, "a coprocessor that this core does not have"},
    {1u << 24, "an unaligned access"},
    {1u << 25, "a division by zero"},
};

/* mcause (RISC-V Privileged Architecture, 3.1.15). */
static const meaning riscv_causes[] = {
    {0, "a misaligned instruction address"},
    {1, "an instruction where none may be executed"},
    {2, "an illegal instruction"},
    {3, "a breakpoint"},
    {4, "a misaligned load"},
    {5, "data that may not be read"},
    {6, "a misaligned store"},
    {7, "data that may not be written"},
};

static const char *meaning_of(const verify *v, uint32_t cause, uint32_t status)
{
    for (size_t i = 0; v->target->is_arm && i < sizeof arm_bits / sizeof arm_bits[0]; i++) {
        if ((status & arm_bits[i].code) != 0) {
            return arm_bits[i].text;
        }
    }
    for (size_t i = 0; !v->target->is_arm && i < sizeof riscv_causes / sizeof riscv_causes[0];
         i++) {
        if (cause == riscv_causes[i].code) {
            return riscv_causes[i].text;
        }
    }
    return "an exception";
}

/* "conv2d_s8.c:123 in tvmgen_net_micro_conv2d_s8" by the compiler's addr2line; "" when it cannot
 * tell.
 */
static void place_of(const verify *v, uint32_t counter, char *out, size_t size)
{
    char tool[64], address[16], function[128] = "", place[256] = "";
    out[0] = 0;
    if (v->folder == NULL || counter == ORIBI_WIRE_UNKNOWN) { /* a board's image is not here */
        return;
    }
    char *path = verify_path(v, "place");
    verify_tool(v, "addr2line", tool, sizeof tool);
    snprintf(address, sizeof address, "0x%" PRIx32, counter);
    const char *const argv[] = {tool, "-s", "-f", "-e", "image", address, NULL};
    const verify_process process = {
        .argv = argv, .folder = v->folder, .out = path, .err = "/dev/null", .seconds = 20};
    if (verify_process_run(&process) == 0) {
        FILE *file = fopen(path, "r");
        if (file != NULL && fgets(function, sizeof function, file) != NULL &&
            fgets(place, sizeof place, file) != NULL) {
            function[strcspn(function, "\n")] = 0;
            place[strcspn(place, "\n")] = 0;
            snprintf(out, size, ", in %s (%s)", function, place);
        }
        if (file != NULL) {
            fclose(file);
        }
    }
    free(path);
}

void verify_explain_fault(const verify *v, const uint8_t *payload)
{
    char place[400], where[32] = "";
    const uint32_t cause = verify_word(payload), status = verify_word(payload + 4);
    const uint32_t counter = verify_word(payload + 8), address = verify_word(payload + 12);
    place_of(v, counter, place, sizeof place);
    if (address != ORIBI_WIRE_UNKNOWN) {
        snprintf(where, sizeof where, " at 0x%08" PRIx32, address);
    }
    cli_error("verify: a fault occurred on the target: %s%s%s [cause %" PRIu32 ", status 0x%" PRIx32
              ", pc 0x%08" PRIx32 "]",
              meaning_of(v, cause, status), where, place, cause, status, counter);
}
