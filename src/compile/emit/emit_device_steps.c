/* SPDX-License-Identifier: Apache-2.0 */
/* The functions that walk the const tables of a model with devices, row by row: a hook that fails
 * ends the run; what it had begun is known from the cursor. The tables: emit_device_table.c; the
 * hooks: emit_device_hooks.c.
 */
#include <inttypes.h>
#include <string.h>

#include "compile/emit/emit_device.h"
#include "compile/emit/emit_device_table.h"

typedef oribi_device_stepper stepper;

const char *const oribi_device_marks[ORIBI_MARKS] = {
    [ORIBI_MARK_ACTIVE] = "active", [ORIBI_MARK_OPEN] = "open", [ORIBI_MARK_STARTED] = "started"};

static bool has_rows(const stepper *s, int32_t kind)
{
    return (s->t->kinds >> kind & 1) != 0;
}

/* --- Places ----------------------------------------------------------------------------------- */

/* The start of host memory `at`. */
static void base(const stepper *s, const oribi_location *at, oribi_text *text)
{
    const oribi_program *c = s->c;
    switch (at->storage) {
    case ORIBI_IN_INPUT:
        oribi_text_printf(text, "inputs->%s", c->inputs[at->index].name);
        return;
    case ORIBI_IN_OUTPUT:
        oribi_text_printf(text, "outputs->%s", c->outputs[at->index].name);
        return;
    case ORIBI_IN_STATE:
        oribi_text_printf(text, "state->%s", c->states[at->index].name);
        return;
    case ORIBI_IN_FLASH:
        if (c->options->weights == ORIBI_WEIGHTS_BIN) {
            oribi_text_printf(text, "&workspace_pools->weights[%" PRId64 "]",
                              c->arrays[c->first_constant + at->index].offset);
        } else {
            oribi_emit_array(c, text, c->first_constant + at->index);
        }
        return;
    default:
        oribi_text_printf(text, "workspace_pools->%s", c->pools[at->index].name);
    }
}

static void place_cases(const stepper *s, oribi_writer *w)
{
    const int32_t n_devices = s->c->devices.partition.n_devices;
    oribi_writer_line(w, "switch (at->memory) {");
    for (int32_t i = 0; i < s->t->n_memories; i++) {
        oribi_text text = {0};
        base(s, &s->t->memories[i], &text);
        oribi_writer_line(w, "case %du:", (int)(n_devices + i));
        w->depth++;
        oribi_writer_line(w, "start = %s;", oribi_text_string(&text));
        oribi_writer_line(w, "break;");
        w->depth--;
        oribi_writer_end(w, &text);
    }
    oribi_writer_line(w, "default:");
    w->depth++;
    oribi_writer_line(w, "break;");
    w->depth--;
    oribi_writer_line(w, "}");
}

/* Marks the parameters that the body does without. */
static void mark_unused(const stepper *s, const char *body)
{
    static const char *const names[] = {"inputs", "outputs", "workspace_pools", "state", "devices"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const bool is_parameter = strcmp(names[i], "state") != 0 || s->c->n_states > 0;
        oribi_text member = {0};
        oribi_text_printf(&member, " %s->", names[i]);
        if (is_parameter && strstr(body, oribi_text_string(&member)) == NULL) {
            oribi_writer_line(s->w, "(void)%s;", names[i]);
        }
        oribi_writer_end(s->w, &member);
    }
}

static void find_place(const stepper *s)
{
    oribi_writer *w = s->w;
    oribi_writer body = {.depth = 1};
    if (s->t->n_memories > 0) {
        place_cases(s, &body);
    }
    oribi_writer_comment(w, "A range as a tensor is told of it: its address in the host's memory, "
                            "or its offset in that of a device.");
    oribi_writer_line(w, "static void find_place(struct tvm_device_tensor *place, uint32_t range,");
    oribi_emit_parameters(s->c, w, ")");
    oribi_writer_open(w, "{");
    oribi_writer_line(w, "const struct device_range *at = &device_ranges[range];");
    oribi_writer_line(w, "const void *start = NULL;");
    mark_unused(s, oribi_text_string(&body.text));
    oribi_text_append(&w->text, oribi_text_string(&body.text));
    oribi_writer_end(w, &body.text);
    oribi_writer_line(w, "place->bytes = at->bytes;");
    oribi_writer_line(w, "place->device_offset = start == NULL ? at->offset : 0u;");
    oribi_writer_line(
        w, "place->data = start == NULL ? NULL : (uint8_t *)(uintptr_t)start + at->offset;");
    oribi_writer_close(w, "}");
    oribi_writer_blank(w);
}

/* --- Calls ------------------------------------------------------------------------------------ */

/* Fills the call and its tensors, which lie in the cursor until the call has ended. */
static void set_up(const stepper *s)
{
    oribi_writer *w = s->w;
    const bool is_image = s->c->options->weights == ORIBI_WEIGHTS_BIN;
    oribi_writer_comment(w, "Describes an operator to its device.");
    oribi_writer_line(w,
                      "static void set_up(const struct device_operator *from, struct "
                      "tvmgen_%s_cursor *cursor,",
                      s->c->name);
    oribi_emit_parameters(s->c, w, ")");
    oribi_writer_open(w, "{");
    oribi_writer_line(w, "struct tvm_device_call *call = &cursor->calls[from->slot];");
    oribi_writer_line(w, "struct tvm_device_tensor *tensors = &cursor->tensors[from->tensor];");
    oribi_writer_open(w, "for (uint32_t i = 0; i < from->n_tensors; i++) {");
    oribi_text text = {0};
    oribi_text_printf(&text, "find_place(&tensors[i], device_tensors[from->first + i], %s);",
                      oribi_emit_forwarded(s->c));
    oribi_writer_statement(w, &text);
    oribi_writer_close(w, "}");
    oribi_writer_line(w, "call->op = from->op;");
    oribi_writer_line(w, "call->n_inputs = (int32_t)from->n_inputs;");
    oribi_writer_line(w, "call->n_outputs = (int32_t)from->n_tensors - (int32_t)from->n_inputs;");
    oribi_writer_line(w, "call->tensors = tensors;");
    oribi_writer_line(w, is_image ? "call->params = from->params == 0u ? NULL : "
                                    "&workspace_pools->weights[from->params];"
                                  : "call->params = from->params;");
    oribi_writer_line(w, "call->params_bytes = from->params_bytes;");
    oribi_writer_line(w, "call->struct_size = (uint32_t)sizeof *call;");
    if (oribi_device_any_loads(s->c)) {
        oribi_writer_line(w, "call->params_id[0] = from->params_id[0];");
        oribi_writer_line(w, "call->params_id[1] = from->params_id[1];");
        oribi_writer_line(w, "call->resident = 0u; /* that of the slot's last call */");
    }
    oribi_writer_close(w, "}");
    oribi_writer_blank(w);
}

/* --- Steps ------------------------------------------------------------------------------------ */

/* "case A:", "case B:" of those hooks that have a row. Were there any? */
static bool hook_cases(const stepper *s, const int32_t *which, size_t n)
{
    bool has_any = false;
    for (size_t i = 0; i < n; i++) {
        if (has_rows(s, which[i])) {
            oribi_text text = {0};
            has_any = true;
            oribi_emit_hook_macro(&text, which[i]);
            oribi_writer_line(s->w, "case %s:", oribi_text_string(&text));
            oribi_writer_end(s->w, &text);
        }
    }
    return has_any;
}

static void find_ranges(const stepper *s)
{
    oribi_writer_line(s->w, "find_place(&a.from, step->first, %s);", oribi_emit_forwarded(s->c));
    oribi_writer_line(s->w, "find_place(&a.to, step->second, %s);", oribi_emit_forwarded(s->c));
}

static void cpu_cases(const stepper *s)
{
    oribi_writer *w = s->w;
    if (has_rows(s, ORIBI_STEP_KERNEL)) {
        oribi_writer_line(w, "case STEP_KERNEL:");
        w->depth++;
        if (oribi_device_leaves_early(s->c)) {
            oribi_writer_open(w, "if (run_kernel(index, %s) != 0) {", oribi_emit_forwarded(s->c));
            oribi_writer_line(w, "return TVMGEN_%s_OK; /* the loop goes on */", s->c->macro);
            oribi_writer_close(w, "}");
        } else {
            oribi_writer_line(w, "run_kernel(index, %s);", oribi_emit_forwarded(s->c));
        }
        oribi_writer_line(w, "continue;");
        w->depth--;
    }
    if (s->t->n_calls > 0) {
        oribi_writer_line(w, "case STEP_SET_UP:");
        w->depth++;
        oribi_text text = {0};
        oribi_text_printf(&text, "set_up(&device_operators[step->first], cursor, %s);",
                          oribi_emit_forwarded(s->c));
        oribi_writer_statement(w, &text);
        oribi_writer_line(w, "continue;");
        w->depth--;
    }
    if (has_rows(s, ORIBI_STEP_STAGE)) {
        oribi_writer_line(w, "case STEP_STAGE:");
        w->depth++;
        find_ranges(s);
        oribi_writer_line(w, "(void)memcpy(a.to.data, a.from.data, a.to.bytes);");
        oribi_writer_line(w, "continue;");
        w->depth--;
    }
}

static void device_cases(const stepper *s)
{
    static const int32_t copies[] = {TVM_DEVICE_HOOK_COPY_TO, TVM_DEVICE_HOOK_COPY_FROM,
                                     TVM_DEVICE_HOOK_CACHE_CLEAN, TVM_DEVICE_HOOK_CACHE_INVALIDATE},
                         peer[] = {TVM_DEVICE_HOOK_COPY_PEER},
                         calls[] = {TVM_DEVICE_HOOK_INVOKE, TVM_DEVICE_HOOK_START,
                                    TVM_DEVICE_HOOK_LOAD, TVM_DEVICE_HOOK_ADDRESS};
    oribi_writer *w = s->w;
    if (hook_cases(s, copies, sizeof copies / sizeof copies[0])) {
        w->depth++;
        find_ranges(s);
        oribi_writer_line(w, "break;");
        w->depth--;
    }
    if (hook_cases(s, peer, 1)) {
        w->depth++;
        find_ranges(s);
        oribi_writer_line(w, "a.peer = device_handle(device_ranges[step->second].memory, "
                             "devices);");
        oribi_writer_line(w, "break;");
        w->depth--;
    }
    if (s->t->has_own) {
        oribi_writer_line(w, "case STEP_OWN:");
    }
    if (hook_cases(s, calls, sizeof calls / sizeof calls[0]) || s->t->has_own) {
        w->depth++;
        oribi_writer_line(w, "a.call = &cursor->calls[device_operators[step->first].slot];");
        if (has_rows(s, TVM_DEVICE_HOOK_ADDRESS)) {
            oribi_writer_line(w, "a.tensors = "
                                 "&cursor->tensors[device_operators[step->first].tensor];");
            oribi_writer_line(w, "a.n_tensors = "
                                 "(int32_t)device_operators[step->first].n_tensors;");
        }
        oribi_writer_line(w, "break;");
        w->depth--;
    }
    oribi_writer_line(w, "default:");
    oribi_writer_line(w, "    break;");
}

/* What hooks of a kind do to the cursor. */
typedef struct marking {
    oribi_mark mark;
    bool sets, is_early;
    bool is_whole;    /* of all devices */
    uint32_t devices; /* that it is for, a bit for each; 0: none */
} marking;

static marking marking_of(const stepper *s, int32_t kind, bool is_early)
{
    marking m = {.is_whole = true};
    for (int32_t i = 0; i < s->t->n_rows; i++) {
        const oribi_step *step = s->t->rows[i].step;
        if (step == NULL || step->kind != kind) {
            continue;
        }
        if (step->mark != ORIBI_MARK_NONE && step->is_early == is_early) {
            m.mark = step->mark;
            m.sets = step->sets;
            m.devices |= 1u << step->device;
        } else {
            m.is_whole = false;
        }
    }
    return m;
}

static bool is_same(const marking *a, const marking *b)
{
    return a->mark == b->mark && a->sets == b->sets && a->devices == b->devices &&
           a->is_whole == b->is_whole;
}

/* The cases of the hooks that do the same as `kind`, the first of them. */
static void marking_cases(const stepper *s, int32_t kind, const marking *m, bool is_early)
{
    oribi_writer *w = s->w;
    for (int32_t i = 1; i <= TVM_DEVICE_HOOK_LOAD; i++) {
        const marking other = marking_of(s, i, is_early);
        if (is_same(&other, m)) {
            if (i < kind) {
                return; /* they have been written */
            }
            oribi_text text = {0};
            oribi_emit_hook_macro(&text, i);
            oribi_writer_line(w, "case %s:", oribi_text_string(&text));
            oribi_writer_end(w, &text);
        }
    }
    w->depth++;
    oribi_text devices = {0};
    if (m->is_whole) {
        oribi_text_append(&devices, "bit");
    } else {
        oribi_text_printf(&devices, "(bit & %" PRIu32 "u)", m->devices);
    }
    oribi_writer_line(w, m->sets ? "cursor->%s |= %s;" : "cursor->%s &= ~%s;",
                      oribi_device_marks[m->mark], oribi_text_string(&devices));
    oribi_writer_end(w, &devices);
    oribi_writer_line(w, "break;");
    w->depth--;
}

/* What the cursor knows of it: before it is known how the hook went, or after it went well. */
static void mark(const stepper *s, bool is_early)
{
    oribi_writer *w = s->w;
    bool has_any = false;
    for (int32_t kind = 1; kind <= TVM_DEVICE_HOOK_LOAD; kind++) {
        const marking m = marking_of(s, kind, is_early);
        if (m.devices != 0) {
            if (!has_any) {
                oribi_writer_line(w, "switch (hook) {");
            }
            has_any = true;
            marking_cases(s, kind, &m, is_early);
        }
    }
    if (has_any) {
        oribi_writer_line(w, "default:");
        oribi_writer_line(w, "    break;");
        oribi_writer_line(w, "}");
    }
}

static bool has_marks(const stepper *s)
{
    bool has = false;
    for (int32_t i = 0; i < s->t->n_rows; i++) {
        const oribi_step *step = s->t->rows[i].step;
        has = has || (step != NULL && step->mark != ORIBI_MARK_NONE);
    }
    return has;
}

/* Calls the hook of a row; code is how it went. */
static void call_line(const stepper *s)
{
    oribi_writer *w = s->w;
    if (!s->t->has_own) {
        oribi_writer_line(w, "code = call_device(hook, step->device, &a, devices);");
        return;
    }
    oribi_writer_line(w, "code = step->what == STEP_OWN");
    oribi_writer_line(w, "    ? own_call(step->first, a.call, device_handle(step->device, "
                         "devices))");
    if (oribi_device_table_has_hooks(s->t)) {
        oribi_writer_line(w, "    : call_device(hook, step->device, &a, devices);");
    } else {
        oribi_writer_line(w, "    : TVM_DEVICE_E_STATE;");
    }
}

static void walk(const stepper *s)
{
    oribi_writer *w = s->w;
    oribi_writer_open(w, "for (uint32_t i = device_first[index]; i < device_first[index + 1]; i++) "
                         "{");
    oribi_writer_line(w, "const struct device_step *step = &device_steps[i];");
    if (oribi_device_table_calls_any(s->t)) {
        oribi_writer_line(w, s->t->has_own ? "const int32_t hook = step->what == STEP_OWN ? "
                                             "(int32_t)step->second : (int32_t)step->what;"
                                           : "const int32_t hook = (int32_t)step->what;");
        if (has_marks(s)) {
            oribi_writer_line(w, "const uint32_t bit = 1u << step->device;");
        }
        oribi_writer_line(w, "int32_t code;");
    }
    oribi_writer_line(w, "switch (step->what) {");
    cpu_cases(s);
    device_cases(s);
    oribi_writer_line(w, "}");
    if (oribi_device_table_calls_any(s->t)) {
        mark(s, true);
        call_line(s);
        oribi_writer_open(w, "if (code != 0) {");
        oribi_writer_line(w, "return failed(devices, hook, step->device, index, code);");
        oribi_writer_close(w, "}");
        mark(s, false);
    }
    oribi_writer_close(w, "}");
}

static void run_operator(const stepper *s)
{
    oribi_writer *w = s->w;
    const oribi_program *c = s->c;
    oribi_writer_comment(w, "The steps of an operator, one after the other.");
    oribi_writer_line(w, "static int32_t run_operator(int32_t index,");
    oribi_emit_parameters(c, w, ",");
    oribi_writer_line(w, "    struct tvmgen_%s_cursor *cursor)", c->name);
    oribi_writer_open(w, "{");
    if (oribi_device_table_calls_any(s->t)) {
        oribi_writer_line(w, "struct device_arguments a = {{NULL, 0u, 0u}, {NULL, 0u, 0u}, NULL, "
                             "NULL, NULL, 0};");
    }
    if (!has_marks(s) && s->t->n_calls == 0) {
        oribi_writer_line(w, "(void)cursor;");
    }
    walk(s);
    oribi_writer_line(w, "return TVMGEN_%s_OK;", c->macro);
    oribi_writer_close(w, "}");
    oribi_writer_blank(w);
}

/* --- Kernels ---------------------------------------------------------------------------------- */

/* What devices do behind a loop is done when it has ended. */
static bool leaves(const oribi_program *c, int32_t step)
{
    const oribi_step *steps = c->devices.steps;
    return steps[step].kind == ORIBI_STEP_KERNEL && step + 1 < c->devices.n_steps &&
           steps[step + 1].owner == steps[step].owner &&
           oribi_program_loop_of(c, steps[step].call) != NULL;
}

bool oribi_device_leaves_early(const oribi_program *c)
{
    bool any = false;
    for (int32_t i = 0; i < c->devices.n_steps; i++) {
        any = any || leaves(c, i);
    }
    return any;
}

void oribi_emit_device_kernel_cases(const oribi_program *c, oribi_writer *w,
                                    void (*kernel_line)(void *arg, int32_t call), void *arg)
{
    const oribi_step *steps = c->devices.steps;
    int32_t index = -1;
    for (int32_t i = 0; i < c->devices.n_steps; i++) {
        index += i == 0 || steps[i].owner != steps[i - 1].owner ? 1 : 0;
        if (steps[i].kind != ORIBI_STEP_KERNEL) {
            continue;
        }
        oribi_writer_line(w, "case %d:", (int)index);
        w->depth++;
        kernel_line(arg, steps[i].call);
        if (leaves(c, i)) {
            oribi_text guard = {0};
            oribi_emit_place(c, &guard, c->calls[steps[i].call].node->outputs[1]);
            oribi_writer_line(w, "return *(%s) != 0 ? 1 : 0;", oribi_text_string(&guard));
            oribi_writer_end(w, &guard);
        } else {
            oribi_writer_line(w, "break;");
        }
        w->depth--;
    }
}

/* --- All -------------------------------------------------------------------------------------- */

void oribi_emit_device_steps(const oribi_program *c, const oribi_device_table *table,
                             oribi_writer *w)
{
    const stepper s = {c, table, w};
    oribi_emit_device_table(c, table, w);
    if (table->n_ranges > 0) {
        find_place(&s);
    }
    if (table->n_calls > 0) {
        set_up(&s);
    }
    oribi_emit_device_hooks(&s);
    run_operator(&s);
}
