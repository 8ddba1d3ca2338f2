/* SPDX-License-Identifier: Apache-2.0 */
/* The C between an emitted model and the harness: its memory, and how it is run. The names in it
 * are those of metadata.json, which are C identifiers already. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "verify.h"

static long long size_of(const cJSON *port)
{
    return (long long)cJSON_GetObjectItemCaseSensitive(port, "size")->valuedouble;
}

static bool is_in_pool(const verify *v)
{
    return cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(v->report, "io_in_workspace"));
}

static void put_arrays(const verify *v, FILE *file)
{
    fprintf(file, "#define POOL_BYTES %zuu\nORIBI_HARNESS_POOL(pool_array, POOL_BYTES);\n",
            v->workspace_bytes);
    for (const cJSON *port = v->inputs->child; !is_in_pool(v) && port != NULL; port = port->next) {
        fprintf(file, "ORIBI_HARNESS_PORT(port_in_%s, %lldu);\n", port->string, size_of(port));
    }
    for (const cJSON *port = v->outputs->child; !is_in_pool(v) && port != NULL; port = port->next) {
        fprintf(file, "ORIBI_HARNESS_PORT(port_out_%s, %lldu);\n", port->string, size_of(port));
    }
    fprintf(
        file,
        "static uint8_t request[%zuu] __attribute__((section(\".oribi_io\"), aligned(64)));\n"
        "static struct oribi_harness_block pools[] = {\n"
        "    ORIBI_HARNESS_POOL_BLOCK(pool_array, POOL_BYTES, TVMGEN_%s_WORKSPACE_ALIGNMENT)};\n",
        v->input_bytes + 4, v->macro);
}

/* Blocks of the ports; in the workspace they are bound when the program starts. */
static void put_blocks(const verify *v, FILE *file, const cJSON *ports, const char *what)
{
    fprintf(file, "static struct oribi_harness_block %s_blocks[] = {\n", what);
    for (const cJSON *port = ports->child; port != NULL; port = port->next) {
        if (is_in_pool(v)) {
            fprintf(file, "    {0, 0, %lldu, %lldu},\n", size_of(port), size_of(port));
        } else {
            fprintf(file, "    ORIBI_HARNESS_PORT_BLOCK(port_%s_%s, %lldu),\n", what, port->string,
                    size_of(port));
        }
    }
    fprintf(file, "};\n");
}

static void put_binding(const verify *v, FILE *file, const cJSON *ports, const char *what)
{
    int i = 0;
    for (const cJSON *port = ports->child; port != NULL; port = port->next, i++) {
        if (is_in_pool(v)) {
            fprintf(file,
                    "    %s_blocks[%d].at = %s_blocks[%d].start = (uint8_t *)(void *)%s.%s;\n",
                    what, i, what, i, what, port->string);
        } else {
            fprintf(file, "    %s.%s = (void *)%s_blocks[%d].at;\n", what, port->string, what, i);
        }
    }
}

static void put_functions(const verify *v, FILE *file)
{
    const char *n = v->name;
    fprintf(file,
            "static struct tvmgen_%s_inputs in;\n"
            "static struct tvmgen_%s_outputs out;\n"
            "static struct tvmgen_%s_workspace_pools workspace_pools;\n"
            "static struct tvmgen_%s_cursor cursor;\n\n",
            n, n, n, n);
    verify_put_values(v, file);
    fprintf(file, "static void bind(void)\n{\n    workspace_pools.workspace = pools[0].at;\n");
    if (is_in_pool(v)) {
        fprintf(file,
                "    in = tvmgen_%s_map_inputs(&workspace_pools);\n"
                "    out = tvmgen_%s_map_outputs(&workspace_pools);\n",
                n, n);
    }
    put_binding(v, file, v->inputs, "in");
    put_binding(v, file, v->outputs, "out");
    fprintf(file,
            "    bind_values();\n}\n\nstatic int32_t run(void)\n{\n"
            "    return tvmgen_%s_run(&in, &out, &workspace_pools);\n}\n\n"
            "static int32_t step(void)\n{\n"
            "    return tvmgen_%s_step(&cursor, &in, &out, &workspace_pools);\n}\n\n",
            n, n);
}

static void put_table(const verify *v, FILE *file)
{
    const char *sha256 = cJSON_GetStringValue(cJSON_GetObjectItem(v->report, "sha256"));
    fprintf(file, "const struct oribi_harness_model oribi_harness_model = {\n    .sha256 = {");
    for (int i = 0; i < 32; i++) {
        fprintf(file, "%s0x%.2s",
                i == 0        ? ""
                : i % 12 == 0 ? ",\n               "
                              : ", ",
                sha256 + (size_t)2 * (size_t)i);
    }
    fprintf(
        file,
        "},\n    .inputs = in_blocks,\n    .outputs = out_blocks,\n    .pools = pools,\n"
        "    .values = values,\n    .n_inputs = %d,\n    .n_outputs = %d,\n    .n_pools = 1,\n"
        "    .n_values = %d,\n    .n_operators = TVMGEN_%s_OPERATORS,\n    .input_bytes = %zuu,\n"
        "    .output_bytes = %zuu,\n    .request = request,\n"
        "    .request_room = sizeof request,\n    .bind = bind,\n    .run = run,\n"
        "    .step = step,\n};\n",
        cJSON_GetArraySize(v->inputs), cJSON_GetArraySize(v->outputs), (int)v->n_values, v->macro,
        v->input_bytes, v->output_bytes);
}

bool verify_write_glue(const verify *v)
{
    char *path = verify_path(v, "oribi_model.c");
    FILE *file = fopen(path, "w");
    bool good = file != NULL;
    if (good) {
        fprintf(file,
                "/* Made by `oribi verify`: the model for the harness. */\n"
                "#include \"harness/model.h\"\n#include \"tvmgen_%s.h\"\n\n",
                v->name);
        put_arrays(v, file);
        put_blocks(v, file, v->inputs, "in");
        put_blocks(v, file, v->outputs, "out");
        put_functions(v, file);
        put_table(v, file);
        good = fclose(file) == 0;
    }
    if (!good) {
        cli_error("%s: %s", path, strerror(errno));
    }
    free(path);
    return good;
}
