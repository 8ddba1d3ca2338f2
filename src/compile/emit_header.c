/* SPDX-License-Identifier: Apache-2.0 */
/* tvmgen_<model>.h: what an application includes. Clean in C99 and C++. */
#include <inttypes.h>

#include "compile/compile_internal.h"

typedef struct emitter {
    const oribi_compile *c;
    oribi_writer w;
} emitter;

static void port_macros(emitter *e, const oribi_port *port, const char *what)
{
    oribi_writer *w = &e->w;
    const char *m = e->c->macro, *p = port->macro;
    const oribi_shape *shape = &e->c->graph->values[port->value]->shape;
    oribi_text dims = {0}, safe = {0}, type = {0};
    oribi_writer_append_safe(&safe, port->model_name);
    oribi_emit_type(e->c, &type, port->value);
    oribi_writer_comment(w, "%s '%s': %s.", what, oribi_text_string(&safe),
                         oribi_text_string(&type));
    oribi_writer_line(w, "#define TVMGEN_%s_%s_SIZE %" PRId64 " /* bytes */", m, p, port->bytes);
    oribi_writer_line(w, "#define TVMGEN_%s_%s_COUNT %" PRId64 " /* elements */", m, p,
                      port->count);
    oribi_writer_line(w, "#define TVMGEN_%s_%s_TYPE %s", m, p, oribi_element_c_type(port->kind));
    oribi_writer_line(w, "#define TVMGEN_%s_%s_RANK %d", m, p, (int)shape->rank);
    for (int32_t i = 0; i < shape->rank; i++) {
        oribi_text_printf(&dims, "%s%" PRId64, i > 0 ? ", " : "", shape->dims[i]);
    }
    oribi_writer_line(w, "#define TVMGEN_%s_%s_SHAPE {%s}", m, p,
                      shape->rank > 0 ? oribi_text_string(&dims) : "1");
    if (port->is_quantised) {
        oribi_text scale = {0};
        oribi_writer_append_float(&scale, port->scale);
        oribi_writer_line(w, "#define TVMGEN_%s_%s_SCALE %s", m, p, oribi_text_string(&scale));
        oribi_writer_line(w, "#define TVMGEN_%s_%s_ZERO_POINT (%d)", m, p, (int)port->zero);
        w->text.failed = w->text.failed || scale.failed;
        oribi_text_destroy(&scale);
    }
    oribi_writer_blank(w);
    w->text.failed = w->text.failed || dims.failed || safe.failed || type.failed;
    oribi_text_destroy(&dims);
    oribi_text_destroy(&safe);
    oribi_text_destroy(&type);
}

static void sizes(emitter *e)
{
    const oribi_compile *c = e->c;
    oribi_writer *w = &e->w;
    oribi_writer_comment(w, "Results of the functions below.");
    oribi_writer_line(w, "#define TVMGEN_%s_OK 0", c->macro);
    oribi_writer_line(w, "#define TVMGEN_%s_MORE 1 /* of a step: operators are left */", c->macro);
    oribi_writer_line(
        w, "#define TVMGEN_%s_BAD_ARGUMENT (-1) /* a pointer is NULL or misaligned */", c->macro);
    oribi_writer_blank(w);
    for (int32_t i = 0; i < c->n_inputs; i++) {
        port_macros(e, &c->inputs[i], "Input");
    }
    for (int32_t i = 0; i < c->n_outputs; i++) {
        port_macros(e, &c->outputs[i], "Output");
    }
    oribi_writer_comment(w, "Working memory of a run, all scratch included%s.",
                         c->ports_in_workspace ? ", inputs and outputs too" : "");
    oribi_writer_line(w, "#define TVMGEN_%s_WORKSPACE_SIZE %" PRId64, c->macro, c->workspace_bytes);
    oribi_writer_line(w, "#define TVMGEN_%s_WORKSPACE_ALIGNMENT %d", c->macro,
                      (int)ORIBI_WORKSPACE_ALIGNMENT);
    oribi_writer_blank(w);
}

static void structs(emitter *e)
{
    const oribi_compile *c = e->c;
    oribi_writer *w = &e->w;
    oribi_writer_open(w, "struct tvmgen_%s_inputs {", c->name);
    for (int32_t i = 0; i < c->n_inputs; i++) {
        oribi_writer_line(w, "%s%s *%s;", c->ports_in_workspace ? "" : "const ",
                          oribi_element_c_type(c->inputs[i].kind), c->inputs[i].name);
    }
    oribi_writer_close(w, "};");
    oribi_writer_blank(w);
    oribi_writer_open(w, "struct tvmgen_%s_outputs {", c->name);
    for (int32_t i = 0; i < c->n_outputs; i++) {
        oribi_writer_line(w, "%s *%s;", oribi_element_c_type(c->outputs[i].kind),
                          c->outputs[i].name);
    }
    oribi_writer_close(w, "};");
    oribi_writer_blank(w);
    oribi_writer_open(w, "struct tvmgen_%s_workspace_pools {", c->name);
    oribi_writer_line(w, "uint8_t *workspace; /* TVMGEN_%s_WORKSPACE_SIZE bytes */", c->macro);
    oribi_writer_close(w, "};");
    oribi_writer_blank(w);
    oribi_writer_comment(w, "Where a stepped run stands; all zero before the first step.");
    oribi_writer_open(w, "struct tvmgen_%s_cursor {", c->name);
    oribi_writer_line(w, "int32_t next; /* operator */");
    oribi_writer_close(w, "};");
    oribi_writer_blank(w);
}

static void prototypes(emitter *e)
{
    const oribi_compile *c = e->c;
    oribi_writer *w = &e->w;
    const char *n = c->name;
    if (c->ports_in_workspace) {
        oribi_writer_comment(w, "Where inputs and outputs lie in the workspace. Inputs are written "
                                "before each run: it may overwrite them.");
        oribi_writer_line(w, "struct tvmgen_%s_inputs tvmgen_%s_map_inputs(", n, n);
        oribi_writer_line(w, "    const struct tvmgen_%s_workspace_pools *workspace_pools);", n);
        oribi_writer_line(w, "struct tvmgen_%s_outputs tvmgen_%s_map_outputs(", n, n);
        oribi_writer_line(w, "    const struct tvmgen_%s_workspace_pools *workspace_pools);", n);
        oribi_writer_blank(w);
    }
    oribi_writer_comment(w, "Runs the model once. Any thread may call it, with memory of its own: "
                            "there is no other state. On failure outputs are unspecified.");
    oribi_writer_line(w, "int32_t tvmgen_%s_run(const struct tvmgen_%s_inputs *inputs,", n, n);
    oribi_writer_line(w, "    const struct tvmgen_%s_outputs *outputs,", n);
    oribi_writer_line(w, "    const struct tvmgen_%s_workspace_pools *workspace_pools);", n);
    oribi_writer_blank(w);
    oribi_writer_comment(w,
                         "Runs one operator and moves the cursor: MORE while operators are left, "
                         "then OK, with the cursor ready for another run.");
    oribi_writer_line(w, "#define TVMGEN_%s_OPERATORS %d", c->macro,
                      (int)oribi_emit_operator_count(c));
    oribi_writer_line(w, "int32_t tvmgen_%s_step(struct tvmgen_%s_cursor *cursor,", n, n);
    oribi_writer_line(w, "    const struct tvmgen_%s_inputs *inputs,", n);
    oribi_writer_line(w, "    const struct tvmgen_%s_outputs *outputs,", n);
    oribi_writer_line(w, "    const struct tvmgen_%s_workspace_pools *workspace_pools);", n);
    oribi_writer_comment(w, "Gives a stepped run up.");
    oribi_writer_line(w, "void tvmgen_%s_abort(struct tvmgen_%s_cursor *cursor);", n, n);
    oribi_writer_blank(w);
}

static void quantise_helper(emitter *e, const oribi_port *port)
{
    oribi_writer *w = &e->w;
    const char *n = e->c->name, *m = e->c->macro, *p = port->macro;
    const char *type = oribi_element_c_type(port->kind);
    const bool is_16 = port->kind == ORIBI_ELEMENT_S16, is_u8 = port->kind == ORIBI_ELEMENT_U8;
    const char *low = is_16 ? "-32768.0f" : is_u8 ? "0.0f" : "-128.0f";
    const char *high = is_16 ? "32767.0f" : is_u8 ? "255.0f" : "127.0f";
    oribi_writer_comment(w, "Nearest element of input '%s', ties away from zero.", port->name);
    oribi_writer_line(w, "static inline %s tvmgen_%s_quantize_%s(float value)", type, n,
                      port->name);
    oribi_writer_open(w, "{");
    oribi_writer_line(w, "const float scaled = value / TVMGEN_%s_%s_SCALE;", m, p);
    oribi_writer_line(w, "const float moved = scaled + (float)TVMGEN_%s_%s_ZERO_POINT;", m, p);
    oribi_writer_open(w, "if (!(moved > %s)) {", low);
    oribi_writer_line(w, "return (%s)%s;", type, low);
    oribi_writer_close(w, "}");
    oribi_writer_open(w, "if (moved >= %s) {", high);
    oribi_writer_line(w, "return (%s)%s;", type, high);
    oribi_writer_close(w, "}");
    oribi_writer_line(w,
                      "return (%s)((int32_t)(scaled + (scaled < 0.0f ? -0.5f : 0.5f)) + "
                      "TVMGEN_%s_%s_ZERO_POINT);",
                      type, m, p);
    oribi_writer_close(w, "}");
    oribi_writer_blank(w);
}

static void output_helpers(emitter *e, const oribi_port *port)
{
    oribi_writer *w = &e->w;
    const char *n = e->c->name, *m = e->c->macro, *p = port->macro;
    const char *type = oribi_element_c_type(port->kind);
    if (port->is_quantised) {
        oribi_writer_comment(w, "The number that an element of output '%s' stands for.",
                             port->name);
        oribi_writer_line(w, "static inline float tvmgen_%s_dequantize_%s(%s element)", n,
                          port->name, type);
        oribi_writer_open(w, "{");
        oribi_writer_line(w,
                          "return TVMGEN_%s_%s_SCALE * (float)(element - "
                          "TVMGEN_%s_%s_ZERO_POINT);",
                          m, p, m, p);
        oribi_writer_close(w, "}");
        oribi_writer_blank(w);
    }
    oribi_writer_comment(w, "Index of the largest element of output '%s', the first of equals.",
                         port->name);
    oribi_writer_line(w, "static inline int32_t tvmgen_%s_argmax_%s(const %s *elements)", n,
                      port->name, type);
    oribi_writer_open(w, "{");
    oribi_writer_line(w, "int32_t best = 0;");
    oribi_writer_open(w, "for (int32_t i = 1; i < TVMGEN_%s_%s_COUNT; i++) {", m, p);
    oribi_writer_line(w, "best = elements[i] > elements[best] ? i : best;");
    oribi_writer_close(w, "}");
    oribi_writer_line(w, "return best;");
    oribi_writer_close(w, "}");
    oribi_writer_blank(w);
}

bool oribi_emit_header(oribi_compile *c, TF_Status *status)
{
    emitter e = {.c = c};
    oribi_writer *w = &e.w;
    char *name = oribi_arena_printf(&c->arena, "tvmgen_%s.h", c->name);
    oribi_emit_banner(c, w, "The model's interface: sizes, structs, functions.");
    oribi_writer_line(w, "#ifndef TVMGEN_%s_H_", c->macro);
    oribi_writer_line(w, "#define TVMGEN_%s_H_", c->macro);
    oribi_writer_blank(w);
    oribi_writer_line(w, "#include <stdint.h>");
    oribi_writer_blank(w);
    oribi_writer_line(w, "#ifdef __cplusplus");
    oribi_writer_line(w, "extern \"C\" {");
    oribi_writer_line(w, "#endif");
    oribi_writer_blank(w);
    sizes(&e);
    structs(&e);
    prototypes(&e);
    for (int32_t i = 0; i < c->n_inputs; i++) {
        if (c->inputs[i].is_quantised && c->inputs[i].kind != ORIBI_ELEMENT_F32 &&
            c->inputs[i].kind != ORIBI_ELEMENT_S32) {
            quantise_helper(&e, &c->inputs[i]);
        }
    }
    for (int32_t i = 0; i < c->n_outputs; i++) {
        output_helpers(&e, &c->outputs[i]);
    }
    oribi_writer_line(w, "#ifdef __cplusplus");
    oribi_writer_line(w, "}");
    oribi_writer_line(w, "#endif");
    oribi_writer_blank(w);
    oribi_writer_line(w, "#endif");
    return oribi_compile_add_file(c, name, &w->text, status);
}
