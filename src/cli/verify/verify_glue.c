/* SPDX-License-Identifier: Apache-2.0 */
/* The C between an emitted model and the harness: its memory, and how it is run. The names in it
 * are those of metadata.json, which are C identifiers already. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "verify.h"

static long long size_of(const oribi_json_value *port)
{
    return (long long)cli_json_number(port, "size");
}

static long long bytes_of(const oribi_json_value *pool)
{
    return (long long)cli_json_number(pool, "bytes");
}

static bool is_in_pool(const verify *v)
{
    return cli_json_is(v->report, "io_in_workspace");
}

static void put_pools(const verify *v, FILE *file)
{
    const oribi_json_value *pool;
    int i = 0;
    for (pool = v->pools->child; pool != NULL; pool = pool->next) {
        fprintf(file, "ORIBI_HARNESS_POOL(pool_%d, %lldu);\n", i++, bytes_of(pool));
    }
    fprintf(file, "static struct oribi_harness_block pools[] = {\n");
    i = 0;
    for (pool = v->pools->child; pool != NULL; pool = pool->next) {
        fprintf(file,
                "    ORIBI_HARNESS_POOL_BLOCK(pool_%d, %lldu, TVMGEN_%s_WORKSPACE_ALIGNMENT),\n",
                i++, bytes_of(pool), v->macro);
    }
    fprintf(file, "};\n");
}

/* --weights bin: the file lies in flash, where the assembler put it. */
static void put_weights(const verify *v, FILE *file)
{
    fprintf(file,
            "__asm__(\".section .rodata.oribi_weights, \\\"a\\\"\\n\"\n"
            "        \"\\t.balign 64\\n\"\n        \"oribi_weights:\\n\"\n"
            "        \"\\t.incbin \\\"tvmgen_%s_weights.bin\\\"\\n\"\n        \"\\t.text\");\n"
            "extern const uint8_t weights[] __asm__(\"oribi_weights\");\n",
            v->name);
}

static void put_arrays(const verify *v, FILE *file)
{
    put_pools(v, file);
    for (const oribi_json_value *port = v->inputs->child; !is_in_pool(v) && port != NULL;
         port = port->next) {
        fprintf(file, "ORIBI_HARNESS_PORT(port_in_%s, %lldu);\n", port->key, size_of(port));
    }
    for (const oribi_json_value *port = v->outputs->child; !is_in_pool(v) && port != NULL;
         port = port->next) {
        fprintf(file, "ORIBI_HARNESS_PORT(port_out_%s, %lldu);\n", port->key, size_of(port));
    }
    fprintf(file,
            "static uint8_t request[%zuu] __attribute__((section(\".oribi_io\"), aligned(64)));\n",
            v->input_bytes + 4 + (size_t)8 * (size_t)cli_json_count(v->inputs));
    if (v->state_bytes > 0) {
        fprintf(file, "static struct tvmgen_%s_state state, saved;\n", v->name);
    }
    if (v->is_weights_file) {
        put_weights(v, file);
    }
}

/* Blocks of the ports; in the workspace they are bound when the program starts. */
static void put_blocks(const verify *v, FILE *file, const oribi_json_value *ports, const char *what)
{
    fprintf(file, "static struct oribi_harness_block %s_blocks[] = {\n", what);
    for (const oribi_json_value *port = ports->child; port != NULL; port = port->next) {
        if (is_in_pool(v)) {
            fprintf(file, "    {0, 0, %lldu, %lldu},\n", size_of(port), size_of(port));
        } else {
            fprintf(file, "    ORIBI_HARNESS_PORT_BLOCK(port_%s_%s, %lldu),\n", what, port->key,
                    size_of(port));
        }
    }
    fprintf(file, "};\n");
}

static void put_binding(const verify *v, FILE *file, const oribi_json_value *ports,
                        const char *what)
{
    int i = 0;
    for (const oribi_json_value *port = ports->child; port != NULL; port = port->next, i++) {
        if (is_in_pool(v)) {
            fprintf(file,
                    "    %s_blocks[%d].at = %s_blocks[%d].start = (uint8_t *)(void *)%s.%s;\n",
                    what, i, what, i, what, port->key);
        } else {
            fprintf(file, "    %s.%s = (void *)%s_blocks[%d].at;\n", what, port->key, what, i);
        }
    }
}

/* Once, before anything else: pointers that depend on where the linker put things. */
static void put_bind(const verify *v, FILE *file)
{
    const oribi_json_value *pool;
    int i = 0;
    fprintf(file, "static void bind(void)\n{\n");
    for (pool = v->pools->child; pool != NULL; pool = pool->next) {
        fprintf(file, "    workspace_pools.%s = pools[%d].at;\n", cli_json_text(pool, "name"), i++);
    }
    if (v->is_weights_file) {
        fprintf(file, "    workspace_pools.weights = weights;\n");
    }
    if (is_in_pool(v)) {
        fprintf(file,
                "    in = tvmgen_%s_map_inputs(&workspace_pools);\n"
                "    out = tvmgen_%s_map_outputs(&workspace_pools);\n",
                v->name, v->name);
    }
    put_binding(v, file, v->inputs, "in");
    put_binding(v, file, v->outputs, "out");
    fprintf(file, "    bind_values();\n}\n\n");
}

static void put_functions(const verify *v, FILE *file)
{
    const char *n = v->name, *state = v->state_bytes > 0 ? ", &state" : "";
    const char *devices = v->n_devices > 0 ? ", &devices" : "";
    const bool is_failing = cli_has(v->args, "--failing-hooks");
    fprintf(file,
            "static struct tvmgen_%s_inputs in;\n"
            "static struct tvmgen_%s_outputs out;\n"
            "static struct tvmgen_%s_workspace_pools workspace_pools;\n"
            "static struct tvmgen_%s_cursor cursor;\n"
            "static uint64_t ticks[TVMGEN_%s_OPERATORS + 1];\n\n",
            n, n, n, n, v->macro);
    verify_put_values(v, file);
    put_bind(v, file);
    fprintf(file,
            "static int32_t %s(void)\n{\n"
            "    return tvmgen_%s_run(&in, &out, &workspace_pools%s%s);\n}\n\n"
            "static int32_t step(void)\n{\n"
            "    return tvmgen_%s_step(&cursor, &in, &out, &workspace_pools%s%s);\n}\n\n"
            "static int32_t next(void)\n{\n    return cursor.next;\n}\n\n",
            is_failing ? "run_once" : "run", n, state, devices, n, state, devices);
    if (is_failing) {
        fprintf(file, "#include \"harness/failing.h\"\n\n"
                      "static int32_t run(void)\n{\n"
                      "    return oribi_failing_run(run_once);\n}\n\n");
    }
    if (v->state_bytes > 0) {
        fprintf(file, "static void reset(void)\n{\n    tvmgen_%s_reset(&state);\n}\n\n", n);
    }
}

static void put_table(const verify *v, FILE *file)
{
    const char *sha256 = cli_json_text(v->report, "sha256");
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
        "    .ports = ports,\n    .values = values,\n    .n_inputs = %d,\n    .n_outputs = %d,\n   "
        " .n_pools = %d,\n"
        "    .n_values = %d,\n    .n_operators = TVMGEN_%s_OPERATORS,\n    .input_bytes = %zuu,\n"
        "    .output_bytes = %zuu,\n    .request = request,\n"
        "    .request_room = sizeof request,\n    .bind = bind,\n    .run = run,\n"
        "    .step = step,\n    .next = next,\n    .ticks = ticks,\n",
        cli_json_count(v->inputs), cli_json_count(v->outputs), cli_json_count(v->pools),
        (int)v->n_values, v->macro, v->input_bytes, v->output_bytes);
    if (v->state_bytes > 0) {
        fprintf(file, "    .state = (uint8_t *)&state,\n    .saved = (uint8_t *)&saved,\n"
                      "    .state_bytes = sizeof state,\n    .reset = reset,\n");
    }
    verify_put_device_table(v, file);
    fprintf(file, "};\n");
}

int verify_write_glue(const verify *v)
{
    char *path = verify_path(v, "oribi_model.c");
    char *text = NULL;
    size_t bytes = 0;
    FILE *file = open_memstream(&text, &bytes);
    bool good = file != NULL;
    if (good) {
        fprintf(file,
                "/* Made by `oribi verify`: the model for the harness. */\n"
                "#include \"harness/model.h\"\n#include \"tvmgen_%s.h\"\n\n",
                v->name);
        verify_put_devices(v, file);
        put_arrays(v, file);
        put_blocks(v, file, v->inputs, "in");
        put_blocks(v, file, v->outputs, "out");
        verify_put_units(v, file);
        put_functions(v, file);
        put_table(v, file);
        good = fclose(file) == 0;
    }
    if (!good) {
        cli_no_memory(bytes);
    }
    int code = cli_write_file(path, text, bytes, true);
    free(text);
    free(path);
    return code;
}
