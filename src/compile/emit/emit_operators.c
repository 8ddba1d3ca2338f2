/* SPDX-License-Identifier: Apache-2.0 */
/* tvmgen_<model>.c: the arguments of each operator, the operators in their order. Read next:
 * emit_entry.c (run, step), emit_place.c, emit_weights.c. */
#include <inttypes.h>
#include <string.h>

#include "compile/emit/emit_parts.h"
#include "compile/emit/emit_device.h"
#include "tensor/status.h"

typedef struct emitter {
    const oribi_program *c;
    oribi_writer w;
} emitter;

int32_t oribi_emit_operator_count(const oribi_program *c)
{
    int32_t n = c->n_copies;
    for (int32_t i = 0; i < c->n_calls; i++) {
        n += oribi_call_is_operator(&c->calls[i]) ? 1 : 0;
    }
    return n;
}

/* --- Arguments ------------------------------------------------------------------------------- */

static void append_number(const oribi_args_member *member, const void *from, int32_t i,
                          oribi_text *out)
{
    if (member->dtype == TF_FLOAT) {
        oribi_writer_append_float(out, oribi_args_float(member, from, i));
    } else if (oribi_args_integer(member, from, i) == INT32_MIN) {
        oribi_text_append(out, "-2147483647 - 1");
    } else {
        oribi_text_printf(out, "%" PRId32, oribi_args_integer(member, from, i));
    }
}

/* A real number of 0 is what a kernel without use for it has: C99 sets it. */
static bool is_left_out(const oribi_args_member *member, const void *from)
{
    static const float zero = 0.0f;
    const float value = member->dtype == TF_FLOAT ? oribi_args_float(member, from, 0) : 1.0f;
    return member->kind == ORIBI_ARGS_IS_NUMBER && memcmp(&value, &zero, sizeof zero) == 0;
}

/* ".in_h = 8,"; a list that has no elements is left out, for C99 has no empty initialiser. */
static void numbers(emitter *e, const oribi_call *call, size_t index)
{
    const oribi_args_member *member = &call->args->members[index];
    const int32_t n = oribi_args_count(call->args, index, call->arguments);
    const bool is_list = member->kind == ORIBI_ARGS_IS_LIST;
    oribi_text text = {0};
    for (int32_t i = 0; i < n; i++) {
        oribi_text_append(&text, i > 0 ? ", " : "");
        append_number(member, call->arguments, i, &text);
    }
    if (n > 0 && !is_left_out(member, call->arguments)) {
        oribi_writer_line(&e->w, ".%s = %s%s%s,", oribi_args_name(call->args, index),
                          is_list ? "{" : "", oribi_text_string(&text), is_list ? "}" : "");
    }
    oribi_writer_end(&e->w, &text);
}

/* The array that a member points to, by its place among those of the call; -1: none. */
static int32_t array_of(const oribi_call *call, size_t index)
{
    for (int32_t i = 0; i < call->n_placed; i++) {
        if (call->placed[i].member == (int32_t)index) {
            return i;
        }
    }
    return -1;
}

static void array(emitter *e, const oribi_call *call, size_t index)
{
    const int32_t at = array_of(call, index);
    const char *name = oribi_args_name(call->args, index);
    if (at < 0) {
        return; /* the kernel does without */
    }
    const bool is_widened = call->blocks != NULL && at == 0;
    if (e->c->options->weights == ORIBI_WEIGHTS_BIN || is_widened) {
        oribi_writer_line(&e->w, ".%s = NULL, /* set before the call */", name);
        return;
    }
    oribi_text place = {0};
    oribi_emit_array(e->c, &place, call->first_array + at);
    oribi_writer_line(&e->w, ".%s = %s,", name, oribi_text_string(&place));
    oribi_writer_end(&e->w, &place);
}

/* Inputs of the kernel: all but the guard. */
static int32_t operands(const oribi_call *call)
{
    return call->n_inputs - (call->is_guarded ? 1 : 0);
}

/* "Operator 3, Oribi>QConv2D 'x': int8 [1,8,8,1] to int8 [1,8,8,8]; 4608 MACs." */
static void introduce(emitter *e, const oribi_call *call, int32_t index)
{
    oribi_text safe = {0}, from = {0}, to = {0}, extra = {0};
    oribi_compile_append_safe(&safe, call->node->name);
    for (int32_t i = 0; i < operands(call); i++) {
        oribi_text_append(&from, i > 0 ? " and " : "");
        oribi_program_print_type(e->c, &from, call->inputs[i]);
    }
    oribi_program_print_type(e->c, &to, call->node->outputs[0]);
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

const char *oribi_emit_prefix(const oribi_call *call)
{
    return call->own != NULL ? call->own->prefix : "micro_";
}

/* Of a call, or of a part of one with rings. */
static void arguments_of(emitter *e, const oribi_call *call, int32_t index)
{
    oribi_writer *w = &e->w;
    introduce(e, call, index);
    if (call->kernel == NULL) {
        oribi_writer_comment(&e->w, "It runs on device '%s'.",
                             e->c->devices.names[call->device - 1].member);
        oribi_writer_blank(w);
        return;
    }
    oribi_writer_open(w, "static const struct tvmgen_%s_%s%s_args %s_args = {", e->c->kernels,
                      oribi_emit_prefix(call), call->args->name, call->name);
    for (size_t k = 0; k < call->args->n_members; k++) {
        const bool is_array = call->args->members[k].kind == ORIBI_ARGS_IS_ARRAY;
        is_array ? array(e, call, k) : numbers(e, call, k);
    }
    oribi_writer_close(w, "};");
    oribi_writer_blank(w);
}

static void arguments(emitter *e)
{
    int32_t index = 0;
    for (int32_t i = 0; i < e->c->n_calls; i++) {
        const oribi_call *call = &e->c->calls[i];
        for (int32_t k = 0; k < oribi_call_n_parts(call) && oribi_call_is_operator(call); k++) {
            arguments_of(e, oribi_call_part(call, k), index);
        }
        index += oribi_call_is_operator(call) ? 1 : 0;
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
    oribi_writer_statement(&e->w, &text);
}

static void places(emitter *e, oribi_text *text, const oribi_value_id *values, int32_t n)
{
    for (int32_t i = 0; i < n; i++) {
        oribi_text_append(text, ", ");
        oribi_emit_place(e->c, text, values[i]);
    }
}

bool oribi_emit_own_arguments(const oribi_program *c, oribi_writer *w, const oribi_call *call,
                              bool always)
{
    const bool has_file = c->options->weights == ORIBI_WEIGHTS_BIN && call->n_placed > 0;
    if (!has_file && !always) {
        return false;
    }
    oribi_writer_line(w, "struct tvmgen_%s_%s%s_args args = %s_args;", c->kernels,
                      oribi_emit_prefix(call), call->args->name, call->name);
    for (int32_t i = call->blocks != NULL ? 1 : 0; has_file && i < call->n_placed; i++) {
        oribi_text place = {0};
        oribi_emit_array(c, &place, call->first_array + i);
        oribi_writer_line(w, "args.%s = %s;",
                          oribi_args_name(call->args, (size_t)call->placed[i].member),
                          oribi_text_string(&place));
        oribi_writer_end(w, &place);
    }
    return true;
}

static void blocks_lines(emitter *e, const oribi_call *call, const oribi_location *scratch)
{
    oribi_text from = {0}, to = {0};
    oribi_emit_place(e->c, &from, call->inputs[0]);
    oribi_emit_place(e->c, &to, call->node->outputs[0]);
    oribi_emit_blocks(e->c, &e->w, call, oribi_text_string(&from), oribi_text_string(&to), scratch);
    oribi_writer_end(&e->w, &from);
    oribi_writer_end(&e->w, &to);
}

static void plain_line(emitter *e, int32_t index, const oribi_call *call, bool is_copied)
{
    const oribi_location *scratch = &e->c->scratch[index];
    oribi_text text = {0};
    oribi_text_printf(&text, "tvmgen_%s_%s%s(&%s%s", e->c->kernels, oribi_emit_prefix(call),
                      call->kernel, is_copied ? "" : call->name, is_copied ? "args" : "_args");
    if (call->lists_inputs) {
        oribi_text_append(&text, ", from");
    } else {
        places(e, &text, call->inputs, operands(call));
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
    oribi_writer_statement(&e->w, &text);
}

static void call_line(emitter *e, int32_t index, const oribi_call *call)
{
    oribi_writer *w = &e->w;
    const bool is_block = call->lists_inputs || call->lists_outputs || call->blocks != NULL ||
                          (e->c->options->weights == ORIBI_WEIGHTS_BIN && call->n_placed > 0);
    if (call->is_guarded) {
        oribi_text guard = {0};
        oribi_emit_place(e->c, &guard, call->inputs[operands(call)]);
        oribi_writer_open(w, "if (*(%s) != 0) {", oribi_text_string(&guard));
        oribi_writer_end(w, &guard);
    } else if (is_block) {
        oribi_writer_open(w, "{");
    }
    const bool is_copied = oribi_emit_own_arguments(e->c, w, call, call->blocks != NULL);
    if (call->lists_inputs) {
        pointer_list(e, "const void", "from", call->inputs, operands(call));
    }
    if (call->lists_outputs) {
        pointer_list(e, "void", "to", call->node->outputs, call->n_outputs);
    }
    if (call->blocks != NULL) {
        blocks_lines(e, call, &e->c->scratch[index]);
    } else {
        plain_line(e, index, call, is_copied);
    }
    if (is_block || call->is_guarded) {
        oribi_writer_close(w, "}");
    }
}

static void copy_line(emitter *e, const oribi_copy *copy)
{
    const oribi_port *port = &e->c->outputs[copy->output];
    oribi_text text = {0};
    oribi_text_append(&text, "(void)memcpy(");
    if (e->c->ports_in_workspace) {
        oribi_emit_pool_place(e->c, &text, ORIBI_ELEMENT_U8, &e->c->locations[port->value]);
    } else {
        oribi_text_printf(&text, "outputs->%s", port->name);
    }
    oribi_text_append(&text, ", ");
    oribi_emit_place(e->c, &text, copy->from);
    oribi_text_printf(&text, ", TVMGEN_%s_%s_SIZE);", e->c->macro, port->macro);
    oribi_writer_statement(&e->w, &text);
}

static void kernel_line(void *arg, int32_t call)
{
    emitter *e = arg;
    if (e->c->calls[call].rings != NULL) {
        oribi_emit_rings_call(e->c, &e->w, call);
    } else {
        call_line(e, call, &e->c->calls[call]);
    }
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
        oribi_emit_device_kernel_cases(e->c, w, kernel_line, e);
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

/* run_operator; of a model with devices run_kernel, for its operators on the CPU. */
static void operator_function(emitter *e, const char *name, bool leaves_early)
{
    oribi_writer *w = &e->w;
    emitter body = {.c = e->c, .w = {.depth = 1}};
    cases(&body);
    const char *text = oribi_text_string(&body.w.text);
    oribi_writer_line(w, "static %s %s(int32_t index,", leaves_early ? "int32_t" : "void", name);
    oribi_emit_parameters(e->c, w, ")");
    oribi_writer_open(w, "{");
    oribi_emit_pools(e->c, w, text);
    oribi_writer_line(w, "switch (index) {");
    oribi_text_append(&w->text, text);
    oribi_writer_line(w, "}");
    if (leaves_early) {
        oribi_writer_line(w, "return 0;");
    }
    oribi_writer_close(w, "}");
    oribi_writer_blank(w);
    oribi_writer_end(w, &body.w.text);
}

static bool device_functions(emitter *e, TF_Status *status)
{
    oribi_device_table table;
    const bool is_made = oribi_device_table_make(e->c, &table);
    if (is_made) {
        oribi_emit_device_functions(e->c, &e->w);
        if ((table.kinds >> ORIBI_STEP_KERNEL & 1) != 0) {
            operator_function(e, "run_kernel", oribi_device_leaves_early(e->c));
        }
        oribi_emit_device_steps(e->c, &table, &e->w);
    }
    oribi_arena_destroy(&table.arena);
    return is_made || oribi_fail_memory(status);
}

/* The kernel's header, unless it is there; the map borrows its keys from `names`. */
static void include(oribi_writer *w, const oribi_call *call, oribi_map *seen, oribi_arena *names)
{
    const char *header = oribi_emit_kernel_header(call);
    const char *prefix = call->own != NULL ? call->own->prefix : "";
    const char *name = header != NULL ? oribi_arena_printf(names, "%s%s", prefix, header) : NULL;
    w->text.failed = w->text.failed || (header != NULL && name == NULL);
    if (name != NULL && oribi_map_get(seen, name) == NULL) {
        oribi_writer_line(w, "#include \"micro/%s.h\"", name);
        w->text.failed = w->text.failed || !oribi_map_put(seen, name, w);
    }
}

static void includes(emitter *e)
{
    const oribi_program *c = e->c;
    oribi_writer *w = &e->w;
    oribi_writer_line(w, "#include \"tvmgen_%s.h\"", c->name);
    oribi_writer_blank(w);
    oribi_writer_line(w, "#include <stddef.h>");
    oribi_writer_blank(w);
    oribi_map seen = {0};
    oribi_arena names = {0};
    bool has_rings = false, has_blocks = false;
    for (int32_t i = 0; i < c->n_calls; i++) {
        has_rings = has_rings || c->calls[i].rings != NULL;
        for (int32_t k = 0; k < oribi_call_n_parts(&c->calls[i]); k++) {
            include(w, oribi_call_part(&c->calls[i], k), &seen, &names);
            has_blocks = has_blocks || oribi_call_part(&c->calls[i], k)->blocks != NULL;
        }
    }
    oribi_map_destroy(&seen);
    oribi_arena_destroy(&names);
    oribi_writer_line(w, "#include \"micro/memory.h\"");
    if (has_blocks) {
        oribi_writer_line(w, "#include \"micro/nibbles.h\"");
    }
    oribi_writer_line(w, "#include \"micro/port.h\"");
    if (has_rings) {
        oribi_writer_line(w, "#include \"micro/ring.h\"");
    }
    oribi_writer_line(w, "#include \"tvmgen_%s_weights.h\"", c->name);
    oribi_writer_blank(w);
}

bool oribi_emit_operators(const oribi_program *c, oribi_files *files, TF_Status *status)
{
    emitter e = {.c = c};
    oribi_emit_banner(c, &e.w, "The operators of the model, in the order in which they run.");
    includes(&e);
    arguments(&e);
    for (int32_t i = 0; i < c->n_calls; i++) {
        if (c->calls[i].rings != NULL) {
            oribi_emit_rings(c, &e.w, i);
        }
    }
    if (c->devices.partition.n_devices == 0) {
        operator_function(&e, "run_operator", false);
    } else if (!device_functions(&e, status)) {
        oribi_text_destroy(&e.w.text);
        return false;
    }
    oribi_emit_entries(c, &e.w);
    return oribi_files_add(files, &e.w.text, status, "tvmgen_%s.c", c->name);
}
