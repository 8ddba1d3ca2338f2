/* SPDX-License-Identifier: Apache-2.0 */
/* Prints what Oribi says of the quantisation of each model's inputs and outputs: the library's
 * getter, and the headers of the emitted C without devices and with each target that is named; and
 * the lines of the C that number operators. What is right is ports_test.py's and numbers_test.py's
 * to say.
 *
 *     ports_run MODELS TARGETS.so NAME...
 *
 * MODELS: a u32 count, then each model as (u32 length, bytes).
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "oribi/oribi.h"

static void die(const char *what)
{
    fprintf(stderr, "ports_run: %s\n", what);
    exit(2);
}

static uint32_t read_u32(FILE *file)
{
    uint8_t bytes[4];
    if (fread(bytes, 1, 4, file) != 4) {
        die("the models end early");
    }
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
           (uint32_t)bytes[3] << 24;
}

static void print_getter(const void *data, size_t bytes, TF_Status *status)
{
    oribi_model *model = oribi_model_from_memory(data, bytes, "vector", NULL, status);
    for (int side = 0; model != NULL && side < 2; side++) {
        const int n = side == 0 ? oribi_model_num_inputs(model) : oribi_model_num_outputs(model);
        for (int i = 0; i < n; i++) {
            float scale = 0;
            int32_t zero = 0;
            const int scales = side == 0 ? oribi_model_input_quantisation(model, i, &scale, &zero)
                                         : oribi_model_output_quantisation(model, i, &scale, &zero);
            printf("model %s %d %.9g %d\n", side == 0 ? "Input" : "Output", scales, (double)scale,
                   (int)zero);
        }
    }
    oribi_model_destroy(model);
}

/* The lines that hold one of the words. */
static void print_lines(const char *text, size_t bytes, const char *const *wanted, const char *how)
{
    const char *const end = text + bytes;
    while (text < end) {
        const char *stop = memchr(text, '\n', (size_t)(end - text));
        stop = stop != NULL ? stop : end;
        char line[512];
        const size_t length =
            (size_t)(stop - text) < sizeof line - 1 ? (size_t)(stop - text) : sizeof line - 1;
        memcpy(line, text, length);
        line[length] = '\0';
        for (size_t i = 0; wanted[i] != NULL; i++) {
            if (strstr(line, wanted[i]) != NULL) {
                printf("%s%s\n", how, line);
                break;
            }
        }
        text = stop + 1;
    }
}

static void print_source(const char *text, size_t bytes)
{
    static const char *const numbers[] = {"/* Operator ",  "_args",        "    case ",
                                          "HOOK_INVOKE, ", "HOOK_START, ", NULL};
    char *copy = calloc(bytes + 1, 1);
    if (copy == NULL) {
        die("no memory");
    }
    memcpy(copy, text, bytes);
    printf("devices %d\n", strstr(copy, "tvm_device_call") != NULL);
    free(copy);
    print_lines(text, bytes, numbers, "code ");
}

static void print_compiled(const char *path, const char *target, TF_Status *status)
{
    static const char *const ports[] = {"/* Input '",    "/* Output '",      "_SCALE ",
                                        "_ZERO_POINT (", " scales, one for", NULL};
    oribi_compile *c = oribi_compile_create(status);
    TF_SetStatus(status, TF_OK, "");
    oribi_compile_set_option(c, "name", "m", status);
    if (target != NULL && TF_GetCode(status) == TF_OK) {
        oribi_compile_set_option(c, "target-device", target, status);
    }
    if (TF_GetCode(status) == TF_OK) {
        oribi_compile_models(c, &path, 1, status);
    }
    printf("compiled %s %d %s\n", target != NULL ? target : "-", (int)TF_GetCode(status),
           TF_GetCode(status) == TF_OK ? "" : TF_Message(status));
    for (int i = 0; TF_GetCode(status) == TF_OK && i < oribi_compile_num_files(c); i++) {
        size_t bytes;
        const char *data = oribi_compile_file_data(c, i, &bytes);
        if (strcmp(oribi_compile_file_name(c, i), "tvmgen_m.h") == 0) {
            print_lines(data, bytes, ports, "");
        } else if (strcmp(oribi_compile_file_name(c, i), "tvmgen_m.c") == 0) {
            print_source(data, bytes);
        }
    }
    oribi_compile_destroy(c);
}

int main(int argc, char **argv)
{
    const char *const path = "ports_run.model"; /* in the caller's folder */
    TF_Status *status = TF_NewStatus();
    FILE *file = argc >= 3 ? fopen(argv[1], "rb") : NULL;
    if (file == NULL) {
        die("wants MODELS TARGETS NAME...");
    }
    oribi_plugin_load_file(argv[2], status);
    if (TF_GetCode(status) != TF_OK) {
        die(TF_Message(status));
    }
    const uint32_t n = read_u32(file);
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t bytes = read_u32(file);
        uint8_t *data = malloc((size_t)bytes + 1);
        FILE *model = fopen(path, "wb");
        if (data == NULL || model == NULL || fread(data, 1, bytes, file) != bytes ||
            fwrite(data, 1, bytes, model) != bytes || fclose(model) != 0) {
            die("a model cannot be copied");
        }
        printf("case %u\n", (unsigned)i);
        TF_SetStatus(status, TF_OK, "");
        print_getter(data, bytes, status);
        print_compiled(path, NULL, status);
        for (int k = 3; k < argc; k++) {
            print_compiled(path, argv[k], status);
        }
        free(data);
    }
    fclose(file);
    remove(path);
    TF_DeleteStatus(status);
    return 0;
}
