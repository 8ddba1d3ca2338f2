/* SPDX-License-Identifier: Apache-2.0 */
/* tvmgen_<model>_weights.c and .h: every constant of the model, and what each operator costs. */
#include <inttypes.h>

#include "compile/compile_internal.h"

static void declare(const oribi_compile *c, oribi_writer *w, const char *owner,
                    const oribi_placed *placed)
{
    oribi_writer_line(w, "extern const %s tvmgen_%s_%s%s%s[%" PRId64 "];",
                      oribi_element_c_type(placed->kind), c->name, owner, owner[0] != 0 ? "_" : "",
                      placed->name, placed->count);
}

static void define(const oribi_compile *c, oribi_writer *w, const char *owner,
                   const oribi_placed *placed)
{
    oribi_writer_blank(w);
    oribi_writer_open(w, "TVMGEN_CONSTANT const %s tvmgen_%s_%s%s%s[%" PRId64 "] = {",
                      oribi_element_c_type(placed->kind), c->name, owner, owner[0] != 0 ? "_" : "",
                      placed->name, placed->count);
    oribi_writer_elements(w, placed->kind, placed->data, placed->count);
    oribi_writer_close(w, "};");
}

static void each(const oribi_compile *c, oribi_writer *w,
                 void (*visit)(const oribi_compile *c, oribi_writer *w, const char *owner,
                               const oribi_placed *placed))
{
    for (int32_t i = 0; i < c->n_calls; i++) {
        for (int32_t k = 0; k < c->calls[i].n_placed; k++) {
            visit(c, w, c->calls[i].name, &c->calls[i].placed[k]);
        }
    }
    for (int32_t i = 0; i < c->n_constants; i++) {
        visit(c, w, "", &c->constants[i]);
    }
}

int64_t oribi_call_flash(const oribi_call *call)
{
    int64_t bytes = 0;
    for (int32_t i = 0; i < call->n_placed; i++) {
        bytes += call->placed[i].count * oribi_element_bytes(call->placed[i].kind);
    }
    for (int32_t i = 0; i < call->n_fields; i++) {
        bytes += 4 * (int64_t)call->fields[i].n;
    }
    return bytes;
}

bool oribi_emit_weights(oribi_compile *c, TF_Status *status)
{
    oribi_writer w = {0};
    char *header = oribi_arena_printf(&c->arena, "tvmgen_%s_weights.h", c->name);
    char *source = oribi_arena_printf(&c->arena, "tvmgen_%s_weights.c", c->name);
    oribi_emit_banner(c, &w, "The weights of the model; for tvmgen_*.c alone.");
    oribi_writer_line(&w, "#ifndef TVMGEN_%s_WEIGHTS_H_", c->macro);
    oribi_writer_line(&w, "#define TVMGEN_%s_WEIGHTS_H_", c->macro);
    oribi_writer_blank(&w);
    oribi_writer_line(&w, "#include <stdint.h>");
    oribi_writer_blank(&w);
    each(c, &w, declare);
    oribi_writer_blank(&w);
    oribi_writer_line(&w, "#endif");
    ORIBI_TRY(oribi_compile_add_file(c, header, &w.text, status));
    w = (oribi_writer){0};
    oribi_emit_banner(c, &w, "The weights of the model.");
    oribi_writer_line(&w, "#include \"tvmgen_%s_weights.h\"", c->name);
    oribi_writer_blank(&w);
    oribi_writer_comment(&w, "Where weights go: define it as a section attribute, for example.");
    oribi_writer_line(&w, "#ifndef TVMGEN_CONSTANT");
    oribi_writer_line(&w, "#define TVMGEN_CONSTANT");
    oribi_writer_line(&w, "#endif");
    each(c, &w, define);
    return oribi_compile_add_file(c, source, &w.text, status);
}
