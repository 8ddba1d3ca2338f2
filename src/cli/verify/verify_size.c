/* SPDX-License-Identifier: Apache-2.0 */
/* What the emitted files weigh on the target: the objects, by binutils' `size`. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "verify.h"

void verify_tool(const verify *v, const char *tool, char *out, size_t size)
{
    const char *gcc = strstr(v->target->compiler, "gcc");
    const int prefix = gcc != NULL ? (int)(gcc - v->target->compiler) : 0;
    snprintf(out, size, "%.*s%s", prefix, v->target->compiler, tool);
}

/* A line of `size -A`: a section's name and its bytes. */
static void add_line(verify_result *r, const char *line)
{
    char name[128];
    long long bytes;
    if (sscanf(line, "%127s %lld", name, &bytes) != 2 || name[0] != '.') {
        return;
    }
    if (strncmp(name, ".text", 5) == 0) {
        r->code_bytes += bytes;
    } else if (strncmp(name, ".rodata", 7) == 0 || strncmp(name, ".srodata", 8) == 0) {
        r->data_bytes += bytes;
    }
}

void verify_weigh(verify *v)
{
    const int n = oribi_compile_num_files(v->compile);
    const char **argv = cli_alloc(((size_t)n + 3) * sizeof *argv);
    char(*objects)[256] = cli_alloc((size_t)n * sizeof *objects), tool[64], line[512];
    char *path = verify_path(v, "size");
    int n_words = 0;
    verify_tool(v, "size", tool, sizeof tool);
    argv[n_words++] = tool;
    argv[n_words++] = "-A";
    for (int i = 0; i < n; i++) {
        const char *name = oribi_compile_file_name(v->compile, i);
        const char *end = strrchr(name, '.');
        size_t bytes = 0;
        if (end != NULL && (end[1] == 'c' || end[1] == 'S' || end[1] == 'o') && end[2] == 0) {
            verify_object(name, objects[i], sizeof objects[i]);
            argv[n_words++] = objects[i];
        } else if (v->is_weights_file && end != NULL && strcmp(end, ".bin") == 0) {
            (void)oribi_compile_file_data(v->compile, i, &bytes);
            v->result.data_bytes += (int64_t)bytes;
        }
    }
    const verify_process process = {
        .argv = argv, .folder = v->folder, .out = path, .err = "/dev/null", .seconds = 20};
    FILE *file = verify_process_run(&process) == 0 ? fopen(path, "r") : NULL;
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        add_line(&v->result, line);
    }
    if (file != NULL) {
        fclose(file);
    }
    free(path);
    free(objects);
    free(argv);
}
