/* SPDX-License-Identifier: Apache-2.0 */
/* What the models of one compilation have in common: a header with the size of memory that all may
 * use in turn, and with --workspace static that memory itself.
 */
#include <inttypes.h>

#include "compile/emit/emit_parts.h"
#include "tensor/status.h"

static const oribi_program *first(const oribi_compile *all)
{
    return all->programs[0];
}

/* Models have the same pools; each needs other sizes. */
static int64_t largest(const oribi_compile *all, int32_t pool)
{
    int64_t most = 0;
    for (int32_t i = 0; i < all->n_programs; i++) {
        const int64_t bytes = all->programs[i]->pools[pool].bytes;
        most = bytes > most ? bytes : most;
    }
    return most;
}

static void guard(oribi_writer *w, const char *macro, const char *what)
{
    oribi_writer_line(w, "#ifndef TVMGEN_%s_%s_H_", macro, what);
    oribi_writer_line(w, "#define TVMGEN_%s_%s_H_", macro, what);
    oribi_writer_blank(w);
}

static void include_models(const oribi_compile *all, oribi_writer *w)
{
    for (int32_t i = 0; i < all->n_programs; i++) {
        oribi_writer_line(w, "#include \"tvmgen_%s.h\"", all->programs[i]->name);
    }
    oribi_writer_blank(w);
}

/* --- Sizes ----------------------------------------------------------------------------------- */

static bool emit_sizes(const oribi_compile *all, oribi_files *files, TF_Status *status)
{
    oribi_writer w = {0};
    const oribi_program *c = first(all);
    int64_t sum = 0;
    oribi_emit_banner(c, &w, "Models compiled together: memory that they use in turn.");
    guard(&w, c->macro, "SHARED");
    include_models(all, &w);
    oribi_writer_comment(&w, "Enough for any of the models, one at a time.");
    for (int32_t i = 0; i < c->n_pools; i++) {
        sum += largest(all, i);
        if (c->options->pools.n > 0) {
            oribi_writer_line(&w, "#define TVMGEN_%s_SHARED_%s_WORKSPACE_POOL_SIZE %" PRId64,
                              c->macro, c->pools[i].macro, largest(all, i));
        }
    }
    oribi_writer_line(&w, "#define TVMGEN_%s_SHARED_WORKSPACE_SIZE %" PRId64, c->macro, sum);
    oribi_writer_blank(&w);
    oribi_writer_line(&w, "#endif");
    return oribi_files_add(files, &w.text, status, "tvmgen_%s_shared.h", c->name);
}

/* --- Static memory --------------------------------------------------------------------------- */

static void pools_prototype(const oribi_program *c, oribi_writer *w, const char *end)
{
    oribi_writer_line(
        w, "struct tvmgen_%s_workspace_pools tvmgen_%s_static_pools(%s)%s", c->name, c->name,
        c->options->weights == ORIBI_WEIGHTS_BIN ? "const uint8_t *weights" : "void", end);
}

static void run_prototype(const oribi_program *c, oribi_writer *w, const char *end)
{
    const bool has_weights = c->options->weights == ORIBI_WEIGHTS_BIN;
    const bool has_devices = c->devices.partition.n_devices > 0;
    oribi_writer_line(w, "int32_t tvmgen_%s_run_static(", c->name);
    oribi_writer_line(w, "    const struct tvmgen_%s_inputs *inputs,", c->name);
    oribi_writer_line(w, "    const struct tvmgen_%s_outputs *outputs%s%s", c->name,
                      has_weights || has_devices ? "," : ")",
                      has_weights || has_devices ? "" : end);
    if (has_weights) {
        oribi_writer_line(w, "    const uint8_t *weights%s%s", has_devices ? "," : ")",
                          has_devices ? "" : end);
    }
    if (has_devices) {
        oribi_writer_line(w, "    const struct tvmgen_%s_devices *devices)%s", c->name, end);
    }
}

static bool emit_static_header(const oribi_compile *all, oribi_files *files, TF_Status *status)
{
    oribi_writer w = {0};
    const oribi_program *c = first(all);
    oribi_emit_banner(c, &w,
                      "One instance with memory of its own: runs must not overlap, of any model "
                      "named here.");
    guard(&w, c->macro, "STATIC");
    include_models(all, &w);
    oribi_writer_line(&w, "#ifdef __cplusplus");
    oribi_writer_line(&w, "extern \"C\" {");
    oribi_writer_line(&w, "#endif");
    for (int32_t i = 0; i < all->n_programs; i++) {
        const oribi_program *model = all->programs[i];
        oribi_writer_blank(&w);
        oribi_writer_comment(&w, "As tvmgen_%s_run, in the memory of this file.", model->name);
        run_prototype(model, &w, ";");
        oribi_writer_comment(&w, "That memory, for a stepped run.");
        pools_prototype(model, &w, ";");
        if (model->n_states > 0) {
            oribi_writer_comment(&w, "The state of this instance; reset it before the first run.");
            oribi_writer_line(&w, "struct tvmgen_%s_state *tvmgen_%s_static_state(void);",
                              model->name, model->name);
        }
    }
    oribi_writer_blank(&w);
    oribi_writer_line(&w, "#ifdef __cplusplus");
    oribi_writer_line(&w, "}");
    oribi_writer_line(&w, "#endif");
    oribi_writer_blank(&w);
    oribi_writer_line(&w, "#endif");
    return oribi_files_add(files, &w.text, status, "tvmgen_%s_static.h", c->name);
}

static void memory(const oribi_compile *all, oribi_writer *w)
{
    const oribi_program *c = first(all);
    int32_t alignment = 0;
    for (int32_t i = 0; i < all->n_programs; i++) {
        const int32_t one = oribi_program_pool_alignment(all->programs[i]);
        alignment = one > alignment ? one : alignment;
    }
    for (int32_t i = 0; i < c->n_pools; i++) {
        const int64_t bytes = largest(all, i);
        oribi_writer_line(w, "#ifndef TVMGEN_POOL_%s", c->pools[i].macro);
        oribi_writer_line(w, "#define TVMGEN_POOL_%s TVMGEN_WORKSPACE", c->pools[i].macro);
        oribi_writer_line(w, "#endif");
        oribi_writer_line(w, "TVMGEN_POOL_%s TVMGEN_ALIGNED(%d)", c->pools[i].macro,
                          (int)alignment);
        oribi_writer_line(w, "static uint8_t pool_%s[%" PRId64 "];", c->pools[i].name,
                          bytes > 0 ? bytes : ORIBI_WORKSPACE_ALIGNMENT);
        oribi_writer_blank(w);
    }
}

static void functions(const oribi_program *c, oribi_writer *w)
{
    const bool has_weights = c->options->weights == ORIBI_WEIGHTS_BIN;
    if (c->n_states > 0) {
        oribi_writer_line(w, "static struct tvmgen_%s_state state_of_%s;", c->name, c->name);
        oribi_writer_blank(w);
        oribi_writer_line(w, "struct tvmgen_%s_state *tvmgen_%s_static_state(void)", c->name,
                          c->name);
        oribi_writer_open(w, "{");
        oribi_writer_line(w, "return &state_of_%s;", c->name);
        oribi_writer_close(w, "}");
        oribi_writer_blank(w);
    }
    pools_prototype(c, w, "");
    oribi_writer_open(w, "{");
    oribi_writer_line(w, "struct tvmgen_%s_workspace_pools pools;", c->name);
    for (int32_t i = 0; i < c->n_pools; i++) {
        oribi_writer_line(w, "pools.%s = pool_%s;", c->pools[i].name, c->pools[i].name);
    }
    if (has_weights) {
        oribi_writer_line(w, "pools.weights = weights;");
    }
    oribi_writer_line(w, "return pools;");
    oribi_writer_close(w, "}");
    oribi_writer_blank(w);
    run_prototype(c, w, "");
    oribi_writer_open(w, "{");
    oribi_writer_line(w,
                      "const struct tvmgen_%s_workspace_pools pools = tvmgen_%s_static_pools(%s);",
                      c->name, c->name, has_weights ? "weights" : "");
    oribi_text state = {0};
    if (c->n_states > 0) {
        oribi_text_printf(&state, ", &state_of_%s", c->name);
    }
    oribi_writer_line(w, "return tvmgen_%s_run(inputs, outputs, &pools%s%s);", c->name,
                      oribi_text_string(&state),
                      c->devices.partition.n_devices > 0 ? ", devices" : "");
    oribi_writer_end(w, &state);
    oribi_writer_close(w, "}");
}

static bool emit_static_source(const oribi_compile *all, oribi_files *files, TF_Status *status)
{
    oribi_writer w = {0};
    const oribi_program *c = first(all);
    oribi_emit_banner(c, &w, "One instance with memory of its own, the only such file.");
    oribi_writer_line(&w, "#include \"tvmgen_%s_static.h\"", c->name);
    oribi_writer_blank(&w);
    oribi_writer_line(&w, "#include \"micro/port.h\"");
    oribi_writer_blank(&w);
    memory(all, &w);
    for (int32_t i = 0; i < all->n_programs; i++) {
        if (i > 0) {
            oribi_writer_blank(&w);
        }
        functions(all->programs[i], &w);
    }
    return oribi_files_add(files, &w.text, status, "tvmgen_%s_static.c", c->name);
}

bool oribi_emit_shared(const oribi_compile *all, oribi_files *files, TF_Status *status)
{
    if (all->n_programs > 1) {
        ORIBI_TRY(emit_sizes(all, files, status));
    }
    if (all->options.workspace == ORIBI_WORKSPACE_STATIC) {
        return emit_static_header(all, files, status) && emit_static_source(all, files, status);
    }
    return true;
}
