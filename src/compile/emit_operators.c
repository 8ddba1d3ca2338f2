/* SPDX-License-Identifier: Apache-2.0 */
/* tvmgen_<model>.c: the arguments of each operator, the operators in their order. Read next:
 * emit_entry.c (run, step), emit_place.c, emit_weights.c. */
#include <inttypes.h>
#include <string.h>

#include "compile/compile_internal.h"
#include "compile/emit_device.h"

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

int32_t oribi_emit_operator_count(const oribi_compile *c)
{
    int32_t n = c->n_copies;
    for (int32_t i = 0; i < c->n_calls; i++) {
        n += oribi_emit_is_operator(&c->calls[i]) ? 1 : 0;
    }
    return n;
}

/* --- Arguments ------------------------------------------------------------------------------- */

static void field(emitter *e, const oribi_call *call, const oribi_field *f)
{
    oribi_writer *w = &e->w;
    if (f->is_placed && e->c->options.weights == ORIBI_WEIGHTS_BIN) {
        oribi_writer_line(w, ".%s = NULL, /* set before the call */", f->name);
    } else if (f->is_placed) {
        oribi_text place = {0};
        oribi_emit_array(e->c, &place, call->first_array + f->number);
        oribi_writer_line(w, ".%s = %s,", f->name, oribi_text_string(&place));
        oribi_writer_end(w, &place);
    } else if (f->numbers != NULL) {
        oribi_text list = {0};
        for (int32_t i = 0; i < f->n; i++) {
            oribi_text_printf(&list, "%s%" PRId32, i > 0 ? ", " : "", f->numbers[i]);
        }
        oribi_writer_line(w, ".%s = {%s},", f->name, oribi_text_string(&list));
        oribi_writer_end(w, &list);
    } else if (f->is_real) {
        oribi_text real = {0};
        oribi_writer_append_float(&real, f->real);
        oribi_writer_line(w, ".%s = %s,", f->name, oribi_text_string(&real));
        oribi_writer_end(w, &real);
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
    oribi_writer_end(&e->w, &safe);
    oribi_writer_end(&e->w, &from);
    oribi_writer_end(&e->w, &to);
    oribi_writer_end(&e->w, &extra);
}

static void arguments(emitter *e)
{
    oribi_writer *w = &e->w;
    int32_t index = 0;
    for (int32_t i = 0; i < e->c->n_calls; i++) {
        const oribi_call *call = &e->c->calls[i];
        if (!oribi_emit_is_operator(call)) {
            continue;
        }
        introduce(e, call, index++);
        if (call->kernel == NULL) {
            oribi_writer_comment(&e->w, "It runs on device '%s'.",
                                 e->c->devices.names[call->device - 1].member);
            oribi_writer_blank(w);
            continue;
        }
        oribi_writer_open(w, "static const struct tvmgen_%s_micro_%s_args %s_args = {",
                          e->c->kernels, call->args != NULL ? call->args : call->kernel,
                          call->name);
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

/* With --weights bin the pointers of the arguments are known when it runs. Is there a copy? */
static bool own_arguments(emitter *e, const oribi_call *call)
{
    bool is_copied = false;
    for (int32_t i = 0; i < call->n_fields && e->c->options.weights == ORIBI_WEIGHTS_BIN; i++) {
        const oribi_field *f = &call->fields[i];
        if (!f->is_placed) {
            continue;
        }
        if (!is_copied) {
            oribi_writer_line(&e->w, "struct tvmgen_%s_micro_%s_args args = %s_args;",
                              e->c->kernels, call->args != NULL ? call->args : call->kernel,
                              call->name);
            is_copied = true;
        }
        oribi_text place = {0};
        oribi_emit_array(e->c, &place, call->first_array + f->number);
        oribi_writer_line(&e->w, "args.%s = %s;", f->name, oribi_text_string(&place));
        e->w.text.failed = e->w.text.failed || place.failed;
        oribi_text_destroy(&place);
    }
    return is_copied;
}

static bool has_array(const oribi_call *call)
{
    bool has = false;
    for (int32_t i = 0; i < call->n_fields; i++) {
        has = has || call->fields[i].is_placed;
    }
    return has;
}

static void call_line(emitter *e, int32_t index, const oribi_call *call)
{
    oribi_writer *w = &e->w;
    oribi_text text = {0};
    const oribi_location *scratch = &e->c->scratch[index];
    const bool is_block = call->lists_inputs || call->lists_outputs ||
                          (e->c->options.weights == ORIBI_WEIGHTS_BIN && has_array(call));
    if (is_block) {
        oribi_writer_open(w, "{");
    }
    const bool is_copied = own_arguments(e, call);
    if (call->lists_inputs) {
        pointer_list(e, "const void", "from", call->inputs, call->n_inputs);
    }
    if (call->lists_outputs) {
        pointer_list(e, "void", "to", call->node->outputs, call->n_outputs);
    }
    oribi_text_printf(&text, "tvmgen_%s_micro_%s(&%s%s", e->c->kernels, call->kernel,
                      is_copied ? "" : call->name, is_copied ? "args" : "_args");
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
        oribi_text_append(&text, ", ");
        oribi_emit_pool_place(e->c, &text, ORIBI_ELEMENT_U8, scratch);
    } else if (call->has_scratch) {
        oribi_text_append(&text, ", NULL");
    }
    oribi_text_append(&text, ");");
    oribi_writer_wrapped(w, oribi_text_string(&text));
    if (is_block) {
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
        oribi_emit_pool_place(e->c, &text, ORIBI_ELEMENT_U8, &e->c->locations[port->value]);
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

static void kernel_line(void *arg, int32_t call)
{
    emitter *e = arg;
    call_line(e, call, &e->c->calls[call]);
}

static void kernel_cases(emitter *e)
{
    oribi_writer *w = &e->w;
    int32_t index = 0;
    for (int32_t i = 0; i < e->c->n_calls; i++) {
        if (e->c->calls[i].kernel != NULL) {
            oribi_writer_line(w, "case %d:", (int)index++);
            w->depth++;
            kernel_line(e, i);
            oribi_writer_line(w, "break;");
            w->depth--;
        }
    }
}

static void cases(emitter *e)
{
    oribi_writer *w = &e->w;
    int32_t index = oribi_emit_operator_count(e->c) - e->c->n_copies;
    if (e->c->devices.partition.n_devices > 0) {
        oribi_emit_device_cases(e->c, w, kernel_line, e);
    } else {
        kernel_cases(e);
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

static void run_operator(emitter *e)
{
    oribi_writer *w = &e->w;
    emitter body = {.c = e->c, .w = {.depth = 1}};
    cases(&body);
    const char *text = oribi_text_string(&body.w.text);
    const bool has_devices = e->c->devices.partition.n_devices > 0;
    oribi_writer_line(w, "static %s run_operator(int32_t index,", has_devices ? "int32_t" : "void");
    oribi_emit_parameters(e->c, w, has_devices ? "," : ")");
    if (has_devices) {
        oribi_writer_line(w, "    struct tvmgen_%s_cursor *cursor)", e->c->name);
    }
    oribi_writer_open(w, "{");
    oribi_emit_pools(e->c, w, text);
    if (has_devices) {
        oribi_writer_line(w, "int32_t code = TVMGEN_%s_OK;", e->c->macro);
    }
    oribi_writer_line(w, "switch (index) {");
    oribi_text_append(&w->text, text);
    oribi_writer_line(w, "}");
    if (has_devices) {
        oribi_writer_line(w, "return code;");
    }
    oribi_writer_close(w, "}");
    oribi_writer_blank(w);
    w->text.failed = w->text.failed || body.w.text.failed;
    oribi_text_destroy(&body.w.text);
}

static const char *header_of(const oribi_call *call)
{
    return call->kernel == NULL ? NULL : call->header != NULL ? call->header : call->kernel;
}

static void includes(emitter *e)
{
    const oribi_compile *c = e->c;
    oribi_writer *w = &e->w;
    oribi_writer_line(w, "#include \"tvmgen_%s.h\"", c->name);
    oribi_writer_blank(w);
    oribi_writer_line(w, "#include <stddef.h>");
    oribi_writer_blank(w);
    for (int32_t i = 0; i < c->n_calls; i++) {
        const char *header = header_of(&c->calls[i]);
        bool is_new = header != NULL;
        for (int32_t k = 0; is_new && k < i; k++) {
            const char *earlier = header_of(&c->calls[k]);
            is_new = earlier == NULL || strcmp(earlier, header) != 0;
        }
        if (is_new) {
            oribi_writer_line(w, "#include \"micro/%s.h\"", header);
        }
    }
    oribi_writer_line(w, "#include \"micro/memory.h\"");
    oribi_writer_line(w, "#include \"micro/port.h\"");
    oribi_writer_line(w, "#include \"tvmgen_%s_weights.h\"", c->name);
    oribi_writer_blank(w);
}

bool oribi_emit_operators(oribi_compile *c, TF_Status *status)
{
    emitter e = {.c = c};
    char *name = oribi_arena_printf(&c->arena, "tvmgen_%s.c", c->name);
    oribi_emit_banner(c, &e.w, "The operators of the model, in the order in which they run.");
    includes(&e);
    arguments(&e);
    if (c->devices.partition.n_devices > 0) {
        oribi_emit_device_functions(c, &e.w);
    }
    run_operator(&e);
    oribi_emit_entries(c, &e.w);
    return oribi_compile_add_file(c, name, &e.w.text, status);
}
