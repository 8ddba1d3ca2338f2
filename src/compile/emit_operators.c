/* SPDX-License-Identifier: Apache-2.0 */
/* tvmgen_<model>.c: the arguments of each operator, the operators in their order, run and step.
 * Read next: emit_weights.c. */
#include <inttypes.h>
#include <string.h>

#include "compile/compile_internal.h"

typedef struct emitter {
    const oribi_compile *c;
    oribi_writer w;
} emitter;

void oribi_emit_type(const oribi_compile *c, oribi_text *text, oribi_value_id value)
{
    const oribi_value *v = c->graph->values[value];
    oribi_text_printf(text, "%s ", oribi_dtype_name(v->dtype));
    oribi_shape_print(&v->shape, text);
}

void oribi_emit_place(const oribi_compile *c, oribi_text *text, oribi_value_id value)
{
    const oribi_location *location = &c->locations[value];
    const int32_t kind = oribi_element_kind_of(c->graph->values[value]->dtype);
    switch (location->storage) {
    case ORIBI_IN_INPUT:
        oribi_text_printf(text, "inputs->%s", c->inputs[location->index].name);
        return;
    case ORIBI_IN_OUTPUT:
        oribi_text_printf(text, "outputs->%s", c->outputs[location->index].name);
        return;
    case ORIBI_IN_FLASH:
        oribi_text_printf(text, "tvmgen_%s_%s", c->name, c->constants[location->index].name);
        return;
    default:
        oribi_text_printf(text, "(%s *)%s&workspace[%" PRId64 "]", oribi_element_c_type(kind),
                          oribi_element_bytes(kind) > 1 ? "(void *)" : "", location->offset);
    }
}

int32_t oribi_emit_operator_count(const oribi_compile *c)
{
    int32_t n = c->n_copies;
    for (int32_t i = 0; i < c->n_calls; i++) {
        n += c->calls[i].kernel != NULL ? 1 : 0;
    }
    return n;
}

/* --- Arguments ------------------------------------------------------------------------------- */

static void field(emitter *e, const oribi_call *call, const oribi_field *f)
{
    oribi_writer *w = &e->w;
    if (f->placed != NULL) {
        oribi_writer_line(w, ".%s = tvmgen_%s_%s_%s,", f->name, e->c->name, call->name,
                          f->placed->name);
    } else if (f->numbers != NULL) {
        oribi_text list = {0};
        for (int32_t i = 0; i < f->n; i++) {
            oribi_text_printf(&list, "%s%" PRId32, i > 0 ? ", " : "", f->numbers[i]);
        }
        oribi_writer_line(w, ".%s = {%s},", f->name, oribi_text_string(&list));
        oribi_text_destroy(&list);
    } else if (f->is_real) {
        oribi_text real = {0};
        oribi_writer_append_float(&real, f->real);
        oribi_writer_line(w, ".%s = %s,", f->name, oribi_text_string(&real));
        oribi_text_destroy(&real);
    } else if (f->number == INT32_MIN) {
        oribi_writer_line(w, ".%s = -2147483647 - 1,", f->name);
    } else {
        oribi_writer_line(w, ".%s = %" PRId32 ",", f->name, f->number);
    }
}

/* "Operator 3, Oribi>QConv2D 'x': int8 [1,8,8,1] to int8 [1,8,8,8]; 4608 MACs." */
static void introduce(emitter *e, const oribi_call *call, int32_t index)
{
    oribi_text safe = {0}, from = {0}, to = {0}, extra = {0};
    oribi_writer_append_safe(&safe, call->node->name);
    for (int32_t i = 0; i < call->n_inputs; i++) {
        oribi_text_append(&from, i > 0 ? " and " : "");
        oribi_emit_type(e->c, &from, call->inputs[i]);
    }
    oribi_emit_type(e->c, &to, call->node->outputs[0]);
    if (call->macs > 0) {
        oribi_text_printf(&extra, "; %" PRId64 " MACs", call->macs);
    }
    if (call->scratch_bytes > 0) {
        oribi_text_printf(&extra, "; %" PRId64 " bytes of scratch", call->scratch_bytes);
    }
    oribi_writer_comment(&e->w, "Operator %d, '%s': %s to %s%s.", (int)index,
                         oribi_text_string(&safe), oribi_text_string(&from), oribi_text_string(&to),
                         oribi_text_string(&extra));
    oribi_text_destroy(&safe);
    oribi_text_destroy(&from);
    oribi_text_destroy(&to);
    oribi_text_destroy(&extra);
}

static void arguments(emitter *e)
{
    oribi_writer *w = &e->w;
    int32_t index = 0;
    for (int32_t i = 0; i < e->c->n_calls; i++) {
        const oribi_call *call = &e->c->calls[i];
        if (call->kernel == NULL) {
            continue;
        }
        introduce(e, call, index++);
        oribi_writer_open(w, "static const struct oribi_micro_%s_args %s_args = {",
                          call->args != NULL ? call->args : call->kernel, call->name);
        for (int32_t k = 0; k < call->n_fields; k++) {
            field(e, call, &call->fields[k]);
        }
        oribi_writer_close(w, "};");
        oribi_writer_blank(w);
    }
}

/* --- Operators ------------------------------------------------------------------------------- */

/* "const void *const inputs[] = {a, b};", for kernels that take any number. */
static void pointer_list(emitter *e, const char *type, const char *name,
                         const oribi_value_id *values, int32_t n)
{
    oribi_text text = {0};
    oribi_text_printf(&text, "%s *const %s[] = {", type, name);
    for (int32_t i = 0; i < n; i++) {
        oribi_text_append(&text, i > 0 ? ", " : "");
        oribi_emit_place(e->c, &text, values[i]);
    }
    oribi_text_append(&text, "};");
    oribi_writer_wrapped(&e->w, oribi_text_string(&text));
    e->w.text.failed = e->w.text.failed || text.failed;
    oribi_text_destroy(&text);
}

static void places(emitter *e, oribi_text *text, const oribi_value_id *values, int32_t n)
{
    for (int32_t i = 0; i < n; i++) {
        oribi_text_append(text, ", ");
        oribi_emit_place(e->c, text, values[i]);
    }
}

static void call_line(emitter *e, int32_t index, const oribi_call *call)
{
    oribi_writer *w = &e->w;
    oribi_text text = {0};
    const oribi_location *scratch = &e->c->scratch[index];
    const bool lists = call->lists_inputs || call->lists_outputs;
    if (lists) {
        oribi_writer_open(w, "{");
    }
    if (call->lists_inputs) {
        pointer_list(e, "const void", "from", call->inputs, call->n_inputs);
    }
    if (call->lists_outputs) {
        pointer_list(e, "void", "to", call->node->outputs, call->n_outputs);
    }
    oribi_text_printf(&text, "oribi_micro_%s(&%s_args", call->kernel, call->name);
    if (call->lists_inputs) {
        oribi_text_append(&text, ", from");
    } else {
        places(e, &text, call->inputs, call->n_inputs);
    }
    if (call->lists_outputs) {
        oribi_text_append(&text, ", to");
    } else {
        places(e, &text, call->node->outputs, call->n_outputs);
    }
    if (call->has_scratch && scratch->storage == ORIBI_IN_WORKSPACE) {
        oribi_text_printf(&text, ", &workspace[%" PRId64 "]", scratch->offset);
    } else if (call->has_scratch) {
        oribi_text_append(&text, ", NULL");
    }
    oribi_text_append(&text, ");");
    oribi_writer_wrapped(w, oribi_text_string(&text));
    if (lists) {
        oribi_writer_close(w, "}");
    }
    w->text.failed = w->text.failed || text.failed;
    oribi_text_destroy(&text);
}

static void copy_line(emitter *e, const oribi_copy *copy)
{
    const oribi_port *port = &e->c->outputs[copy->output];
    oribi_text text = {0};
    oribi_text_append(&text, "memcpy(");
    if (e->c->ports_in_workspace) {
        oribi_text_printf(&text, "&workspace[%" PRId64 "]", port->offset);
    } else {
        oribi_text_printf(&text, "outputs->%s", port->name);
    }
    oribi_text_append(&text, ", ");
    oribi_emit_place(e->c, &text, copy->from);
    oribi_text_printf(&text, ", TVMGEN_%s_%s_SIZE);", e->c->macro, port->macro);
    oribi_writer_wrapped(&e->w, oribi_text_string(&text));
    e->w.text.failed = e->w.text.failed || text.failed;
    oribi_text_destroy(&text);
}

static void cases(emitter *e)
{
    oribi_writer *w = &e->w;
    int32_t index = 0;
    for (int32_t i = 0; i < e->c->n_calls; i++) {
        if (e->c->calls[i].kernel != NULL) {
            oribi_writer_line(w, "case %d:", (int)index++);
            w->depth++;
            call_line(e, i, &e->c->calls[i]);
            oribi_writer_line(w, "break;");
            w->depth--;
        }
    }
    for (int32_t i = 0; i < e->c->n_copies; i++) {
        oribi_writer_line(w, "case %d:", (int)index++);
        w->depth++;
        copy_line(e, &e->c->copies[i]);
        oribi_writer_line(w, "break;");
        w->depth--;
    }
    oribi_writer_line(w, "default:");
    w->depth++;
    oribi_writer_line(w, "break;");
    w->depth--;
}

/* One of the three may go unused: a model may need no workspace, or have its ports there. */
static void run_operator(emitter *e)
{
    oribi_writer *w = &e->w;
    const char *n = e->c->name;
    emitter body = {.c = e->c, .w = {.depth = 1}};
    cases(&body);
    const char *text = oribi_text_string(&body.w.text);
    oribi_writer_line(w,
                      "static void run_operator(int32_t index, const struct tvmgen_%s_inputs "
                      "*inputs,",
                      n);
    oribi_writer_line(w, "                         const struct tvmgen_%s_outputs *outputs,", n);
    oribi_writer_line(w, "                         uint8_t *workspace)");
    oribi_writer_open(w, "{");
    if (strstr(text, "inputs->") == NULL) {
        oribi_writer_line(w, "(void)inputs;");
    }
    if (strstr(text, "outputs->") == NULL) {
        oribi_writer_line(w, "(void)outputs;");
    }
    if (strstr(text, "workspace[") == NULL) {
        oribi_writer_line(w, "(void)workspace;");
    }
    oribi_writer_line(w, "switch (index) {");
    oribi_text_append(&w->text, text);
    oribi_writer_line(w, "}");
    oribi_writer_close(w, "}");
    oribi_writer_blank(w);
    w->text.failed = w->text.failed || body.w.text.failed;
    oribi_text_destroy(&body.w.text);
}

/* --- Entries --------------------------------------------------------------------------------- */

static void check_port(emitter *e, const oribi_port *port, const char *holder)
{
    oribi_writer *w = &e->w;
    if (e->c->ports_in_workspace) {
        oribi_writer_line(w, "ok = ok && %s->%s == (%s *)%s&workspace[%" PRId64 "];", holder,
                          port->name, oribi_element_c_type(port->kind),
                          oribi_element_bytes(port->kind) > 1 ? "(void *)" : "", port->offset);
    } else if (oribi_element_bytes(port->kind) > 1) {
        oribi_writer_line(w, "ok = ok && %s->%s != NULL && (uintptr_t)%s->%s %% %du == 0u;", holder,
                          port->name, holder, port->name, (int)oribi_element_bytes(port->kind));
    } else {
        oribi_writer_line(w, "ok = ok && %s->%s != NULL;", holder, port->name);
    }
}

static void check_arguments(emitter *e)
{
    oribi_writer *w = &e->w;
    const oribi_compile *c = e->c;
    const char *n = c->name;
    oribi_writer_comment(w, "The workspace, or NULL when something is missing or misaligned.");
    oribi_writer_line(w, "static uint8_t *check(const struct tvmgen_%s_inputs *inputs,", n);
    oribi_writer_line(w, "                      const struct tvmgen_%s_outputs *outputs,", n);
    oribi_writer_line(w, "                      const struct tvmgen_%s_workspace_pools *pools)", n);
    oribi_writer_open(w, "{");
    oribi_writer_open(w, "if (inputs == NULL || outputs == NULL || pools == NULL) {");
    oribi_writer_line(w, "return NULL;");
    oribi_writer_close(w, "}");
    oribi_writer_line(w, "uint8_t *workspace = pools->workspace;");
    oribi_writer_line(w, "int32_t ok = workspace != NULL &&");
    oribi_writer_line(
        w, "             (uintptr_t)workspace %% TVMGEN_%s_WORKSPACE_ALIGNMENT == 0u;", c->macro);
    for (int32_t i = 0; i < c->n_inputs; i++) {
        check_port(e, &c->inputs[i], "inputs");
    }
    for (int32_t i = 0; i < c->n_outputs; i++) {
        check_port(e, &c->outputs[i], "outputs");
    }
    oribi_writer_line(w, "return ok ? workspace : NULL;");
    oribi_writer_close(w, "}");
    oribi_writer_blank(w);
}

static void arguments_of_entry(emitter *e)
{
    oribi_writer *w = &e->w;
    oribi_writer_line(w, "    const struct tvmgen_%s_inputs *inputs,", e->c->name);
    oribi_writer_line(w, "    const struct tvmgen_%s_outputs *outputs,", e->c->name);
    oribi_writer_line(w, "    const struct tvmgen_%s_workspace_pools *workspace_pools)",
                      e->c->name);
    oribi_writer_open(w, "{");
    oribi_writer_line(w, "uint8_t *workspace = check(inputs, outputs, workspace_pools);");
    oribi_writer_open(w, "if (workspace == NULL) {");
    oribi_writer_line(w, "return TVMGEN_%s_BAD_ARGUMENT;", e->c->macro);
    oribi_writer_close(w, "}");
}

static void entries(emitter *e)
{
    oribi_writer *w = &e->w;
    const char *n = e->c->name, *m = e->c->macro;
    oribi_writer_line(w, "int32_t tvmgen_%s_run(", n);
    arguments_of_entry(e);
    oribi_writer_open(w, "for (int32_t i = 0; i < TVMGEN_%s_OPERATORS; i++) {", m);
    oribi_writer_line(w, "TVMGEN_ON_OP(i);");
    oribi_writer_line(w, "run_operator(i, inputs, outputs, workspace);");
    oribi_writer_close(w, "}");
    oribi_writer_line(w, "return TVMGEN_%s_OK;", m);
    oribi_writer_close(w, "}");
    oribi_writer_blank(w);
    oribi_writer_line(w, "int32_t tvmgen_%s_step(struct tvmgen_%s_cursor *cursor,", n, n);
    arguments_of_entry(e);
    oribi_writer_open(w, "if (cursor == NULL || cursor->next < 0) {");
    oribi_writer_line(w, "return TVMGEN_%s_BAD_ARGUMENT;", m);
    oribi_writer_close(w, "}");
    oribi_writer_line(w, "TVMGEN_ON_OP(cursor->next);");
    oribi_writer_line(w, "run_operator(cursor->next, inputs, outputs, workspace);");
    oribi_writer_line(w, "cursor->next++;");
    oribi_writer_open(w, "if (cursor->next < TVMGEN_%s_OPERATORS) {", m);
    oribi_writer_line(w, "return TVMGEN_%s_MORE;", m);
    oribi_writer_close(w, "}");
    oribi_writer_line(w, "cursor->next = 0;");
    oribi_writer_line(w, "return TVMGEN_%s_OK;", m);
    oribi_writer_close(w, "}");
    oribi_writer_blank(w);
    oribi_writer_line(w, "void tvmgen_%s_abort(struct tvmgen_%s_cursor *cursor)", n, n);
    oribi_writer_open(w, "{");
    oribi_writer_open(w, "if (cursor != NULL) {");
    oribi_writer_line(w, "cursor->next = 0;");
    oribi_writer_close(w, "}");
    oribi_writer_close(w, "}");
}

static void map_ports(emitter *e, const oribi_port *ports, int32_t n_ports, const char *what)
{
    oribi_writer *w = &e->w;
    const char *n = e->c->name;
    oribi_writer_blank(w);
    oribi_writer_line(w, "struct tvmgen_%s_%s tvmgen_%s_map_%s(", n, what, n, what);
    oribi_writer_line(w, "    const struct tvmgen_%s_workspace_pools *workspace_pools)", n);
    oribi_writer_open(w, "{");
    oribi_writer_line(w, "struct tvmgen_%s_%s mapped;", n, what);
    for (int32_t i = 0; i < n_ports; i++) {
        oribi_writer_line(w, "mapped.%s = (%s *)%s&workspace_pools->workspace[%" PRId64 "];",
                          ports[i].name, oribi_element_c_type(ports[i].kind),
                          oribi_element_bytes(ports[i].kind) > 1 ? "(void *)" : "",
                          ports[i].offset);
    }
    oribi_writer_line(w, "return mapped;");
    oribi_writer_close(w, "}");
}

static void includes(emitter *e)
{
    const oribi_compile *c = e->c;
    oribi_writer *w = &e->w;
    oribi_writer_line(w, "#include \"tvmgen_%s.h\"", c->name);
    oribi_writer_blank(w);
    oribi_writer_line(w, "#include <stddef.h>");
    if (c->n_copies > 0) {
        oribi_writer_line(w, "#include <string.h>");
    }
    oribi_writer_blank(w);
    for (int32_t i = 0; i < c->n_calls; i++) {
        bool is_new = c->calls[i].kernel != NULL;
        for (int32_t k = 0; is_new && k < i; k++) {
            is_new =
                c->calls[k].kernel == NULL || strcmp(c->calls[k].kernel, c->calls[i].kernel) != 0;
        }
        if (is_new) {
            oribi_writer_line(w, "#include \"micro/%s.h\"", c->calls[i].kernel);
        }
    }
    oribi_writer_line(w, "#include \"tvmgen_%s_weights.h\"", c->name);
    oribi_writer_blank(w);
    oribi_writer_comment(w, "Called before each operator: a watchdog, a profiler.");
    oribi_writer_line(w, "#ifndef TVMGEN_ON_OP");
    oribi_writer_line(w, "#define TVMGEN_ON_OP(index) ((void)0)");
    oribi_writer_line(w, "#endif");
    oribi_writer_blank(w);
}

bool oribi_emit_operators(oribi_compile *c, TF_Status *status)
{
    emitter e = {.c = c};
    char *name = oribi_arena_printf(&c->arena, "tvmgen_%s.c", c->name);
    oribi_emit_banner(c, &e.w, "The operators of the model, in the order in which they run.");
    includes(&e);
    arguments(&e);
    run_operator(&e);
    check_arguments(&e);
    entries(&e);
    if (c->ports_in_workspace) {
        map_ports(&e, c->inputs, c->n_inputs, "inputs");
        map_ports(&e, c->outputs, c->n_outputs, "outputs");
    }
    return oribi_compile_add_file(c, name, &e.w.text, status);
}
