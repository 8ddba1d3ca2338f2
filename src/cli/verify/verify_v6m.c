/* SPDX-License-Identifier: Apache-2.0 */
/* Does an image hold instructions later than ARMv6-M? The emulator has no board with such a core
 * and room for a model, and that of a Cortex-M3 runs them all: objdump's listing is read instead.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "verify.h"

/* Of 32 bits ARMv6-M has these alone. */
static const char *const wide[] = {"bl", "dmb", "dsb", "isb", "mrs", "msr", "udf.w"};

static bool is_one_of_wide(const char *name)
{
    for (size_t i = 0; i < sizeof wide / sizeof wide[0]; i++) {
        if (strcmp(name, wide[i]) == 0) {
            return true;
        }
    }
    return false;
}

/* "it", "itte" and so on. */
static bool is_if_then(const char *name)
{
    return strncmp(name, "it", 2) == 0 && strspn(name + 2, "te") == strlen(name + 2);
}

static bool is_later(const char *encoding, const char *name)
{
    if (strchr(encoding, ' ') != NULL) {
        return !is_one_of_wide(name);
    }
    return strcmp(name, "cbz") == 0 || strcmp(name, "cbnz") == 0 || is_if_then(name);
}

/* "    1a2:\tf8df 0004 \tldr.w\tr0, [pc, #4]": the encoding, without its last blank, and the name.
 * False: no instruction. */
static bool read_line(const char *line, char *encoding, char *name)
{
    const char *first = strchr(line, '\t');
    const char *second = first != NULL ? strchr(first + 1, '\t') : NULL;
    if (second == NULL || second - first > 16 || strncmp(second + 1, ".word", 5) == 0 ||
        strncmp(second + 1, ".short", 6) == 0 || strncmp(second + 1, ".byte", 5) == 0) {
        return false;
    }
    size_t n = (size_t)(second - first - 1);
    memcpy(encoding, first + 1, n);
    while (n > 0 && encoding[n - 1] == ' ') {
        n--;
    }
    encoding[n] = 0;
    snprintf(name, 16, "%.*s", (int)strcspn(second + 1, "\t\n "), second + 1);
    return true;
}

int verify_v6m(const verify *v)
{
    char tool[64], line[512], encoding[24], name[16], function[256] = "";
    char *path = verify_path(v, "listing");
    verify_tool(v, "objdump", tool, sizeof tool);
    const char *const argv[] = {tool, "-d", "image", NULL};
    const verify_process process = {
        .argv = argv, .folder = v->folder, .out = path, .err = "/dev/null", .seconds = 60};
    int code = CLI_UNSUPPORTED, n = 0;
    FILE *file = verify_process_run(&process) == 0 ? fopen(path, "r") : NULL;
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        if (isxdigit((unsigned char)line[0])) { /* "000001a0 <function>:" */
            snprintf(function, sizeof function, "%.*s", (int)strcspn(line + 9, ":\n"), line + 9);
        } else if (read_line(line, encoding, name)) {
            n++;
            if (is_later(encoding, name)) {
                cli_error("verify: %s has '%s', which is later than ARMv6-M", function, name);
                code = CLI_MISMATCH;
                break;
            }
        }
    }
    if (code == CLI_UNSUPPORTED && n > 0) {
        code = CLI_OK;
    } else if (code == CLI_UNSUPPORTED) {
        cli_error("verify: %s listed no instructions (Debian: binutils-arm-none-eabi)", tool);
    }
    if (file != NULL) {
        fclose(file);
    }
    free(path);
    return code;
}
