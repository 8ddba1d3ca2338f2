/* SPDX-License-Identifier: Apache-2.0 */
/* libFuzzer target of the way from a model's bytes to C: import, lowering, planner, emission. Any
 * bytes give files, or an error with a message. Not here: what the C computes. See
 * docs/reference/fuzzing.md.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "oribi/oribi.h"
#include "tensorflow/c/tf_status.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

/* The compiler reads a file: one in memory, written over each time. */
static const char *model_path(void)
{
    static char path[64];
    if (path[0] == '\0') {
        snprintf(path, sizeof path, "/dev/shm/oribi-fuzz-%ld.tflite", (long)getpid());
    }
    return path;
}

static void remove_model(void)
{
    unlink(model_path());
}

static void write_model(const uint8_t *data, size_t bytes)
{
    static int is_first = 1;
    if (is_first) {
        is_first = 0;
        atexit(remove_model);
    }
    FILE *file = fopen(model_path(), "wb");
    if (file == NULL || fwrite(data, 1, bytes, file) != bytes || fclose(file) != 0) {
        abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    write_model(data, bytes);
    TF_Status *status = TF_NewStatus();
    oribi_compile *compile = oribi_compile_create(status);
    if (compile == NULL) {
        abort();
    }
    oribi_compile_set_option(compile, "max-ram", "16m", status);
    oribi_compile_set_option(compile, "max-flash", "16m", status);
    oribi_compile_model(compile, model_path(), status);
    if (TF_GetCode(status) != TF_OK && TF_Message(status)[0] == '\0') {
        abort(); /* a failure says why */
    }
    if (TF_GetCode(status) == TF_OK && oribi_compile_num_files(compile) < 3) {
        abort();
    }
    oribi_compile_destroy(compile);
    TF_DeleteStatus(status);
    return 0;
}
