/* SPDX-License-Identifier: Apache-2.0 */
/* A model compiled for devices in this process, for commands that play with it: cmd_run.c,
 * cmd_device_serve.c, cmd_inspect.c. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

/* Options of the command that are the compiler's, too; `--device` is not: it names a driver here.
 */
static const char *const shared[] = {
    "target-device", "assign", "device-schedule", "cpu-mhz", "tflite-variant", "no-fuse", "shape"};

static bool set_shared(const cli_args *args, oribi_compile *compile, TF_Status *status)
{
    for (int i = 0; i < args->n_given && TF_GetCode(status) == TF_OK; i++) {
        for (size_t k = 0; k < sizeof shared / sizeof shared[0]; k++) {
            if (strcmp(args->given[i].option->name + 2, shared[k]) == 0) {
                oribi_compile_set_option(compile, shared[k], args->given[i].value, status);
            }
        }
    }
    return TF_GetCode(status) == TF_OK;
}

/* Without --target-device, each --device KIND=DRIVER is a device. */
static bool set_kinds(const cli_args *args, oribi_compile *compile, TF_Status *status)
{
    const char *text;
    if (cli_has(args, "--target-device")) {
        return true;
    }
    for (int k = 0; (text = cli_value_at(args, "--device", k)) != NULL; k++) {
        const size_t length = strcspn(text, "=");
        char *kind = cli_alloc(length + 1);
        memcpy(kind, text, length);
        kind[length] = 0;
        oribi_compile_set_option(compile, "target-device", kind, status);
        free(kind);
        if (TF_GetCode(status) != TF_OK) {
            return false;
        }
    }
    return true;
}

/* Finds out what is wrong with a model that could not be compiled: nothing, when its partition is
 * enough. */
static int judge(oribi_compile *compile, bool is_partition_enough, const TF_Status *status)
{
    TF_Status *ignored = TF_NewStatus();
    TF_Buffer *json = cli_buffer();
    int code = CLI_OK;
    if (is_partition_enough) {
        oribi_compile_describe(compile, "devices", json, ignored);
    }
    if (!is_partition_enough || TF_GetCode(ignored) != TF_OK) {
        code = cli_fail(status);
    } else {
        cli_note("it cannot be compiled to C: %s", TF_Message(status));
    }
    TF_DeleteBuffer(json);
    TF_DeleteStatus(ignored);
    return code;
}

int cli_desk_compile(const cli_args *args, bool is_partition_enough, cli_desk *out)
{
    TF_Status *status = TF_NewStatus();
    int code = CLI_OK;
    *out = (cli_desk){NULL, NULL};
    out->compile = oribi_compile_create(status);
    if (out->compile == NULL) {
        code = cli_fail(status);
    } else if (!set_shared(args, out->compile, status) || !set_kinds(args, out->compile, status)) {
        cli_error("%s: %s", args->command->name, TF_Message(status));
        code = CLI_USAGE;
    } else {
        oribi_compile_model(out->compile, args->positional[0], status);
        code =
            TF_GetCode(status) == TF_OK ? CLI_OK : judge(out->compile, is_partition_enough, status);
    }
    if (code != CLI_OK) {
        cli_desk_close(out);
    }
    TF_DeleteStatus(status);
    return code;
}

int cli_desk_open(const cli_args *args, cli_desk *out)
{
    int code = cli_desk_compile(args, false, out);
    if (code != CLI_OK) {
        return code;
    }
    TF_Status *status = TF_NewStatus();
    const char *text;
    out->desk = oribi_desk_create(out->compile, status);
    for (int k = 0; out->desk != NULL && TF_GetCode(status) == TF_OK &&
                    (text = cli_value_at(args, "--device", k)) != NULL;
         k++) {
        oribi_desk_load_driver(out->desk, text, status);
    }
    if (TF_GetCode(status) != TF_OK) {
        code = cli_fail(status);
        cli_desk_close(out);
    }
    TF_DeleteStatus(status);
    return code;
}

void cli_desk_close(cli_desk *desk)
{
    oribi_desk_destroy(desk->desk);
    oribi_compile_destroy(desk->compile);
    *desk = (cli_desk){NULL, NULL};
}
