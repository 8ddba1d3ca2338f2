/* SPDX-License-Identifier: Apache-2.0 */
/* What is tvmgen_<model>_table.c? With --table: the models of a compilation as rows of a const
 * table, for products that choose among models while they run: name, hash, ports, sizes, a function
 * that runs it and one that reads its constants again for their CRC.
 */
#include <inttypes.h>

#include "compile/common/checksum.h"
#include "compile/emit/emit_parts.h"
#include "tensor/status.h"

/* --- Header ----------------------------------------------------------------------------------- */

/* Alike in all tables, so that one function takes rows of any. */
static const char types[] =
    "#ifndef TVMGEN_MODEL_TABLE_TYPES\n"
    "#define TVMGEN_MODEL_TABLE_TYPES\n"
    "struct tvmgen_model_port {\n"
    "    const char *name;     /* in C */\n"
    "    const char *type;     /* \"int8_t\" */\n"
    "    uint32_t bytes, count;\n"
    "    const int32_t *shape; /* rank of them */\n"
    "    int32_t rank;\n"
    "    int32_t zero_point;\n"
    "    float scale; /* 0: the model gives none, or several */\n"
    "};\n"
    "\n"
    "struct tvmgen_model {\n"
    "    uint32_t struct_size;\n"
    "    const char *name, *source; /* in C; the model's file */\n"
    "    const char *sha256;        /* of that file */\n"
    "    const char *version;       /* of Oribi */\n"
    "    uint32_t constants_bytes, constants_crc32;\n"
    "    const struct tvmgen_model_port *inputs, *outputs;\n"
    "    int32_t n_inputs, n_outputs, n_pools;\n"
    "    const uint32_t *pool_bytes; /* of each of them */\n"
    "    uint32_t pool_alignment, state_bytes;\n"
    "    /* As tvmgen_<model>_run: inputs, outputs and pools in their order; state may be NULL "
    "where\n"
    "     * state_bytes is 0. */\n"
    "    int32_t (*run)(const void *const *inputs, void *const *outputs, uint8_t *const *pools,\n"
    "                   void *state);\n"
    "    void (*reset)(void *state); /* before the first run; NULL: there is no state */\n"
    "    uint32_t (*crc32)(void);    /* of the constants as they lie there now */\n"
    "};\n"
    "#endif\n";

static bool emit_header(const oribi_compile *all, oribi_files *files, TF_Status *status)
{
    const oribi_program *c = all->programs[0];
    oribi_writer w = {0};
    oribi_emit_banner(c, &w, "The models as a table, for who chooses one while it runs.");
    oribi_writer_line(&w, "#ifndef TVMGEN_%s_TABLE_H_", c->macro);
    oribi_writer_line(&w, "#define TVMGEN_%s_TABLE_H_", c->macro);
    oribi_writer_blank(&w);
    oribi_writer_line(&w, "#include <stdint.h>");
    oribi_writer_blank(&w);
    oribi_writer_line(&w, "#ifdef __cplusplus");
    oribi_writer_line(&w, "extern \"C\" {");
    oribi_writer_line(&w, "#endif");
    oribi_writer_blank(&w);
    oribi_text_append(&w.text, types);
    oribi_writer_blank(&w);
    oribi_writer_line(&w, "#define TVMGEN_%s_TABLE_COUNT %d", c->macro, (int)all->n_programs);
    oribi_writer_line(&w, "extern const struct tvmgen_model tvmgen_%s_table[%d];", c->name,
                      (int)all->n_programs);
    oribi_writer_blank(&w);
    oribi_writer_line(&w, "#ifdef __cplusplus");
    oribi_writer_line(&w, "}");
    oribi_writer_line(&w, "#endif");
    oribi_writer_blank(&w);
    oribi_writer_line(&w, "#endif");
    return oribi_files_add(files, &w.text, status, "tvmgen_%s_table.h", c->name);
}

/* --- Rows ------------------------------------------------------------------------------------- */

static void shapes(const oribi_program *c, oribi_writer *w, const char *what,
                   const oribi_port *ports, int32_t n)
{
    for (int32_t i = 0; i < n; i++) {
        oribi_text dims = {0};
        oribi_emit_shape(&dims, &c->graph->values[ports[i].value]->shape);
        oribi_writer_line(w, "static const int32_t %s_%s_%d[] = {%s};", c->name, what, (int)i,
                          oribi_text_string(&dims));
        oribi_writer_end(w, &dims);
    }
}

static void port_rows(const oribi_program *c, oribi_writer *w, const char *what,
                      const oribi_port *ports, int32_t n)
{
    shapes(c, w, what, ports, n);
    oribi_writer_open(w, "static const struct tvmgen_model_port %s_%s[%d] = {", c->name, what,
                      (int)(n > 0 ? n : 1));
    for (int32_t i = 0; i < n; i++) {
        const bool has_scale = ports[i].units.n_scales == 1;
        oribi_text scale = {0};
        oribi_writer_append_float(&scale, has_scale ? ports[i].units.scale : 0.0f);
        oribi_writer_line(w, "{\"%s\", \"%s\", %" PRId64 "u, %" PRId64 "u, %s_%s_%d, %d, %d, %s},",
                          ports[i].name, oribi_element_c_type(ports[i].kind), ports[i].bytes,
                          ports[i].count, c->name, what, (int)i,
                          (int)c->graph->values[ports[i].value]->shape.rank,
                          has_scale ? (int)ports[i].units.zero : 0, oribi_text_string(&scale));
        oribi_writer_end(w, &scale);
    }
    if (n == 0) {
        oribi_writer_line(w, "{\"\", \"\", 0u, 0u, (const int32_t *)0, 0, 0, 0.0f},");
    }
    oribi_writer_close(w, "};");
}

/* The parameters that a model does not use are named all the same. */
static void run_function(const oribi_program *c, oribi_writer *w)
{
    oribi_writer_line(w, "static int32_t run_%s(const void *const *inputs, void *const *outputs,",
                      c->name);
    oribi_writer_line(w, "    uint8_t *const *pools, void *state)");
    oribi_writer_open(w, "{");
    oribi_writer_line(w, "struct tvmgen_%s_inputs in;", c->name);
    oribi_writer_line(w, "struct tvmgen_%s_outputs out;", c->name);
    oribi_writer_line(w, "struct tvmgen_%s_workspace_pools memory;", c->name);
    for (int32_t i = 0; i < c->n_inputs; i++) {
        oribi_writer_line(w, "in.%s = (const %s *)inputs[%d];", c->inputs[i].name,
                          oribi_element_c_type(c->inputs[i].kind), (int)i);
    }
    for (int32_t i = 0; i < c->n_outputs; i++) {
        oribi_writer_line(w, "out.%s = (%s *)outputs[%d];", c->outputs[i].name,
                          oribi_element_c_type(c->outputs[i].kind), (int)i);
    }
    for (int32_t i = 0; i < c->n_pools; i++) {
        oribi_writer_line(w, "memory.%s = pools[%d];", c->pools[i].name, (int)i);
    }
    if (c->n_inputs == 0) {
        oribi_writer_line(w, "(void)inputs;");
        oribi_writer_line(w, "in.none = 0u;");
    }
    if (c->n_states > 0) {
        oribi_writer_line(w,
                          "return tvmgen_%s_run(&in, &out, &memory, (struct tvmgen_%s_state "
                          "*)state);",
                          c->name, c->name);
    } else {
        oribi_writer_line(w, "(void)state;");
        oribi_writer_line(w, "return tvmgen_%s_run(&in, &out, &memory);", c->name);
    }
    oribi_writer_close(w, "}");
    oribi_writer_blank(w);
}

static void reset_function(const oribi_program *c, oribi_writer *w)
{
    if (c->n_states > 0) {
        oribi_writer_line(w, "static void reset_%s(void *state)", c->name);
        oribi_writer_open(w, "{");
        oribi_writer_line(w, "tvmgen_%s_reset((struct tvmgen_%s_state *)state);", c->name, c->name);
        oribi_writer_close(w, "}");
        oribi_writer_blank(w);
    }
}

/* All constants of the model, one after the other. */
static void crc_function(const oribi_program *c, oribi_writer *w)
{
    oribi_writer_line(w, "static uint32_t crc32_%s(void)", c->name);
    oribi_writer_open(w, "{");
    oribi_writer_line(w, "uint32_t crc = 0u;");
    for (int32_t i = 0; i < c->n_arrays; i++) {
        oribi_writer_line(w, "crc = add_bytes(crc, tvmgen_%s_%s,", c->name, c->arrays[i].symbol);
        oribi_writer_line(w, "    (uint32_t)sizeof tvmgen_%s_%s);", c->name, c->arrays[i].symbol);
    }
    oribi_writer_line(w, "return crc;");
    oribi_writer_close(w, "}");
    oribi_writer_blank(w);
}

static int64_t bytes_of(const oribi_placed *placed)
{
    return placed->count * oribi_element_bytes(placed->kind);
}

static uint32_t crc_of(const oribi_program *c, int64_t *out_bytes)
{
    uint32_t crc = 0;
    *out_bytes = 0;
    for (int32_t i = 0; i < c->n_arrays; i++) {
        const oribi_placed *placed = c->arrays[i].placed;
        crc = oribi_crc32(crc, placed->data, (size_t)bytes_of(placed));
        *out_bytes += bytes_of(placed);
    }
    return crc;
}

static void row(const oribi_program *c, oribi_writer *w)
{
    oribi_text source = {0};
    int64_t bytes;
    const uint32_t crc = crc_of(c, &bytes);
    oribi_compile_append_safe(&source, c->source_name);
    oribi_writer_open(w, "{");
    oribi_writer_line(w, "(uint32_t)sizeof(struct tvmgen_model),");
    oribi_writer_line(w, "\"%s\", \"%s\",", c->name, oribi_text_string(&source));
    oribi_writer_line(w, "\"%s\",", c->sha256);
    oribi_writer_line(w, "\"%s\",", oribi_version());
    oribi_writer_line(w, "%" PRId64 "u, 0x%08" PRIx32 "u,", bytes, crc);
    oribi_writer_line(w, "%s_inputs, %s_outputs, %d, %d, %d,", c->name, c->name, (int)c->n_inputs,
                      (int)c->n_outputs, (int)c->n_pools);
    oribi_writer_line(w, "%s_pools, %du, %" PRId64 "u,", c->name,
                      (int)oribi_program_pool_alignment(c), c->state_bytes);
    oribi_writer_line(w, "run_%s,", c->name);
    if (c->n_states > 0) {
        oribi_writer_line(w, "reset_%s,", c->name);
    } else {
        oribi_writer_line(w, "0,");
    }
    oribi_writer_line(w, "crc32_%s", c->name);
    oribi_writer_close(w, "},");
    oribi_writer_end(w, &source);
}

/* --- Source ----------------------------------------------------------------------------------- */

static const char add_bytes[] =
    "/* The CRC-32 of Ethernet goes on over these bytes. */\n"
    "static uint32_t add_bytes(uint32_t crc, const void *data, uint32_t bytes)\n"
    "{\n"
    "    const uint8_t *at = (const uint8_t *)data;\n"
    "    crc = ~crc;\n"
    "    for (uint32_t i = 0; i < bytes; i++) {\n"
    "        crc ^= at[i];\n"
    "        for (int32_t bit = 0; bit < 8; bit++) {\n"
    "            crc = (crc >> 1) ^ (0xEDB88320u & (0u - (crc & 1u)));\n"
    "        }\n"
    "    }\n"
    "    return ~crc;\n"
    "}\n";

static void model(const oribi_program *c, oribi_writer *w)
{
    port_rows(c, w, "inputs", c->inputs, c->n_inputs);
    port_rows(c, w, "outputs", c->outputs, c->n_outputs);
    oribi_writer_open(w, "static const uint32_t %s_pools[] = {", c->name);
    for (int32_t i = 0; i < c->n_pools; i++) {
        oribi_writer_line(w, "%" PRId64 "u,", c->pools[i].bytes);
    }
    oribi_writer_close(w, "};");
    oribi_writer_blank(w);
    run_function(c, w);
    reset_function(c, w);
    crc_function(c, w);
}

static bool emit_source(const oribi_compile *all, oribi_files *files, TF_Status *status)
{
    const oribi_program *c = all->programs[0];
    oribi_writer w = {0};
    oribi_emit_banner(c, &w, "The models as a table, for who chooses one while it runs.");
    oribi_writer_line(&w, "#include \"tvmgen_%s_table.h\"", c->name);
    oribi_writer_blank(&w);
    for (int32_t i = 0; i < all->n_programs; i++) {
        oribi_writer_line(&w, "#include \"tvmgen_%s.h\"", all->programs[i]->name);
        oribi_writer_line(&w, "#include \"tvmgen_%s_weights.h\"", all->programs[i]->name);
    }
    oribi_writer_blank(&w);
    oribi_text_append(&w.text, add_bytes);
    oribi_writer_blank(&w);
    for (int32_t i = 0; i < all->n_programs; i++) {
        model(all->programs[i], &w);
    }
    oribi_writer_open(&w, "const struct tvmgen_model tvmgen_%s_table[%d] = {", c->name,
                      (int)all->n_programs);
    for (int32_t i = 0; i < all->n_programs; i++) {
        row(all->programs[i], &w);
    }
    oribi_writer_close(&w, "};");
    return oribi_files_add(files, &w.text, status, "tvmgen_%s_table.c", c->name);
}

bool oribi_emit_table(const oribi_compile *all, oribi_files *files, TF_Status *status)
{
    const oribi_compile_options *o = &all->options;
    if (!o->table) {
        return true;
    }
    if (o->io == ORIBI_IO_POOL || o->weights == ORIBI_WEIGHTS_BIN || o->target_devices.n > 0 ||
        o->devices.n > 0) {
        return oribi_fail(status, TF_INVALID_ARGUMENT,
                          "--table: a row's `run` takes inputs and outputs of the caller's, and "
                          "finds constants by itself; it does not go with --io pool, --weights "
                          "bin or devices");
    }
    return emit_header(all, files, status) && emit_source(all, files, status);
}
