/* SPDX-License-Identifier: Apache-2.0 */
/* The operators of a model with devices: the C of each step, in the order of the schedule. A hook
 * that fails ends the run; what it had begun is known from the cursor, and unwound.
 */
#include <inttypes.h>

#include "base/ascii.h"
#include "compile/emit/emit_device.h"
#include "compile/schedule/compile_steps.h"

typedef struct stepper {
    const oribi_program *c;
    oribi_writer *w;
    int32_t index; /* of the operator */
} stepper;

static const char *const marks[ORIBI_MARKS] = {
    [ORIBI_MARK_ACTIVE] = "active", [ORIBI_MARK_OPEN] = "open", [ORIBI_MARK_STARTED] = "started"};

static const oribi_device_names *names_of(const stepper *s, const oribi_step *step)
{
    return &s->c->devices.names[step->device];
}

/* --- Statements ------------------------------------------------------------------------------- */

/* "if (code != 0) return failed(...)", after a statement that sets code. */
static void check(const stepper *s, const oribi_step *step)
{
    char hook[24] = "";
    size_t n = 0;
    for (const char *at = tvm_device_hook_name(step->kind); *at != 0 && n + 3 < sizeof hook; at++) {
        if (n > 0 && oribi_is_upper(*at)) { /* "COPY_TO" of "CopyTo" */
            hook[n++] = '_';
        }
        hook[n++] = oribi_is_lower(*at) ? (char)(*at - 'a' + 'A') : *at;
    }
    oribi_writer_open(s->w, "if (code != 0) {");
    oribi_writer_line(s->w, "return failed(devices, TVM_DEVICE_HOOK_%s, %d, %d, code);", hook,
                      (int)step->device, (int)s->index);
    oribi_writer_close(s->w, "}");
}

static void mark(const stepper *s, const oribi_step *step, bool is_early)
{
    if (step->mark != ORIBI_MARK_NONE && step->is_early == is_early) {
        oribi_writer_line(s->w, step->sets ? "cursor->%s |= %uu;" : "cursor->%s &= ~%uu;",
                          marks[step->mark], 1u << step->device);
    }
}

/* Where a value or scratch is for its device. */
static void place(const stepper *s, oribi_text *text, const oribi_step *step)
{
    if (step->place != NULL) {
        oribi_emit_pool_place(s->c, text, ORIBI_ELEMENT_U8, step->place);
    } else {
        oribi_emit_place(s->c, text, step->value);
    }
}

/* --- The CPU's ------------------------------------------------------------------------------- */

static void stage(const stepper *s, const oribi_step *step)
{
    oribi_text text = {0};
    oribi_text_append(&text, "memcpy(");
    place(s, &text, step);
    oribi_text_append(&text, ", ");
    oribi_emit_place(s->c, &text, step->value);
    oribi_text_printf(&text, ", %" PRId64 "u);", step->bytes);
    oribi_writer_statement(s->w, &text);
}

static void tensor(const stepper *s, const oribi_step *step)
{
    oribi_text text = {0};
    oribi_text_printf(&text, "set_tensor(&cursor->tensors[%d], ",
                      (int)(s->c->devices.first_tensor[step->call] + step->tensor));
    if (step->offset >= 0) {
        oribi_text_printf(&text, "NULL, %" PRId64 "u", step->offset);
    } else {
        place(s, &text, step);
        oribi_text_append(&text, ", 0u");
    }
    oribi_text_printf(&text, ", %" PRId64 "u);", step->bytes);
    oribi_writer_statement(s->w, &text);
}

static void describe(const stepper *s, const oribi_step *step)
{
    const oribi_call *call = &s->c->calls[step->call];
    const int slot = (int)s->c->devices.slot[step->call];
    oribi_writer_line(s->w, "cursor->calls[%d].op = %d;", slot, (int)call->region->code.op);
    oribi_writer_line(s->w, "cursor->calls[%d].n_inputs = %d;", slot, (int)call->n_inputs);
    oribi_writer_line(s->w, "cursor->calls[%d].n_outputs = %d;", slot,
                      (int)(oribi_device_tensors(call) - call->n_inputs));
    oribi_writer_line(s->w, "cursor->calls[%d].tensors = &cursor->tensors[%d];", slot,
                      (int)s->c->devices.first_tensor[step->call]);
    oribi_text params = {0};
    oribi_text_printf(&params, "cursor->calls[%d].params = ", slot);
    if (call->n_placed > 0) {
        oribi_emit_array(s->c, &params, call->first_array);
    } else {
        oribi_text_append(&params, "NULL");
    }
    oribi_text_append(&params, ";");
    oribi_writer_statement(s->w, &params);
    oribi_writer_line(s->w, "cursor->calls[%d].params_bytes = %zuu;", slot,
                      call->region->code.params_bytes);
    oribi_writer_line(s->w, "cursor->calls[%d].struct_size = (uint32_t)sizeof cursor->calls[0];",
                      slot);
    if (oribi_target_has_load(s->c->devices.partition.devices[step->device].target)) {
        oribi_writer_line(s->w, "cursor->calls[%d].params_id[0] = 0x%08" PRIx32 "u;", slot,
                          call->params_id[0]);
        oribi_writer_line(s->w, "cursor->calls[%d].params_id[1] = 0x%08" PRIx32 "u;", slot,
                          call->params_id[1]);
        oribi_writer_line(s->w, "cursor->calls[%d].resident = 0u;", slot); /* of the slot's last */
    }
}

/* --- Hooks ------------------------------------------------------------------------------------ */

static void copy(const stepper *s, const oribi_step *step)
{
    const oribi_device_names *n = names_of(s, step);
    const char *hook = tvm_device_hook_name(step->kind);
    const char *suffix = step->mark == ORIBI_MARK_STARTED ? "Start" : "";
    oribi_text text = {0};
    oribi_text_printf(&text, "code = TVMDevice%s%s%s(", n->camel, hook, suffix);
    if (step->kind == TVM_DEVICE_HOOK_COPY_TO) {
        oribi_emit_place(s->c, &text, step->value);
        oribi_text_printf(&text, ", devices->%s, %" PRId64 "u", n->member, step->offset);
    } else if (step->kind == TVM_DEVICE_HOOK_COPY_FROM) {
        oribi_text_printf(&text, "devices->%s, %" PRId64 "u, ", n->member, step->offset);
        oribi_emit_place(s->c, &text, step->value);
    } else {
        oribi_text_printf(&text, "devices->%s, %" PRId64 "u, devices->%s, %" PRId64 "u", n->member,
                          step->offset, s->c->devices.names[step->peer].member, step->peer_offset);
    }
    oribi_text_printf(&text, ", %" PRId64 "u);", step->bytes);
    oribi_writer_statement(s->w, &text);
}

static void cache(const stepper *s, const oribi_step *step)
{
    const oribi_device_names *n = names_of(s, step);
    oribi_text text = {0};
    oribi_text_printf(&text, "code = TVMDevice%s%s(devices->%s, ", n->camel,
                      tvm_device_hook_name(step->kind), n->member);
    place(s, &text, step);
    oribi_text_printf(&text, ", %" PRId64 "u);", step->bytes);
    oribi_writer_statement(s->w, &text);
}

/* The addresses under which the device sees the tensors. */
static void addresses(const stepper *s, const oribi_step *step)
{
    const oribi_device_names *n = names_of(s, step);
    const int32_t first = s->c->devices.first_tensor[step->call];
    const int32_t end = first + oribi_device_tensors(&s->c->calls[step->call]);
    oribi_writer_open(s->w, "for (int32_t i = %d; i < %d; i++) {", (int)first, (int)end);
    oribi_writer_line(s->w, "code = TVMDevice%sAddress(devices->%s, &cursor->tensors[i]);",
                      n->camel, n->member);
    check(s, step);
    oribi_writer_close(s->w, "}");
}

static void device_call(const stepper *s, const oribi_step *step)
{
    const oribi_call *call = &s->c->calls[step->call];
    const oribi_device_names *n = names_of(s, step);
    const int slot = (int)s->c->devices.slot[step->call];
    if (call->region->code.body != NULL) {
        const bool has_handle = oribi_device_has_hooks(&s->c->devices, step->device);
        oribi_writer_line(s->w, "code = %s(&cursor->calls[%d], %s%s);", call->name, slot,
                          has_handle ? "devices->" : "NULL", has_handle ? n->member : "");
    } else {
        oribi_writer_line(s->w, "code = %s_%s(&cursor->calls[%d], devices->%s);", n->kind,
                          step->kind == TVM_DEVICE_HOOK_START ? "start" : "invoke", slot,
                          n->member);
    }
}

/* A statement that sets code. */
static void hook(const stepper *s, const oribi_step *step)
{
    switch (step->kind) {
    case TVM_DEVICE_HOOK_COPY_TO:
    case TVM_DEVICE_HOOK_COPY_FROM:
    case TVM_DEVICE_HOOK_COPY_PEER:
        copy(s, step);
        break;
    case TVM_DEVICE_HOOK_CACHE_CLEAN:
    case TVM_DEVICE_HOOK_CACHE_INVALIDATE:
        cache(s, step);
        break;
    case TVM_DEVICE_HOOK_INVOKE:
    case TVM_DEVICE_HOOK_START:
        device_call(s, step);
        break;
    case TVM_DEVICE_HOOK_LOAD:
        oribi_writer_line(s->w, "code = TVMDevice%sLoad(devices->%s, &cursor->calls[%d]);",
                          names_of(s, step)->camel, names_of(s, step)->member,
                          (int)s->c->devices.slot[step->call]);
        break;
    default:
        oribi_writer_line(s->w, "code = TVMDevice%s%s(devices->%s);", names_of(s, step)->camel,
                          tvm_device_hook_name(step->kind), names_of(s, step)->member);
    }
}

/* --- Cases ------------------------------------------------------------------------------------ */

static void one_step(const stepper *s, const oribi_step *step,
                     void (*kernel_line)(void *arg, int32_t call), void *arg)
{
    switch (step->kind) {
    case ORIBI_STEP_KERNEL:
        kernel_line(arg, step->call);
        break;
    case ORIBI_STEP_STAGE:
        stage(s, step);
        break;
    case ORIBI_STEP_TENSOR:
        tensor(s, step);
        break;
    case ORIBI_STEP_DESCRIBE:
        describe(s, step);
        break;
    case TVM_DEVICE_HOOK_ADDRESS:
        addresses(s, step);
        break;
    default:
        mark(s, step, true);
        hook(s, step);
        check(s, step);
        mark(s, step, false);
    }
}

/* What devices do behind a loop is done when it has ended. */
static void leave_early(const stepper *s, int32_t call)
{
    if (oribi_program_loop_of(s->c, call) == NULL) {
        return;
    }
    oribi_text guard = {0};
    oribi_emit_place(s->c, &guard, s->c->calls[call].node->outputs[1]);
    oribi_writer_open(s->w, "if (*(%s) != 0) {", oribi_text_string(&guard));
    oribi_writer_line(s->w, "break;");
    oribi_writer_close(s->w, "}");
    oribi_writer_end(s->w, &guard);
}

void oribi_emit_device_cases(const oribi_program *c, oribi_writer *w,
                             void (*kernel_line)(void *arg, int32_t call), void *arg)
{
    const oribi_step *steps = c->devices.steps;
    stepper s = {c, w, 0};
    for (int32_t i = 0; i < c->devices.n_steps; s.index++) {
        const int32_t owner = steps[i].owner;
        oribi_writer_line(w, "case %d:", (int)s.index);
        w->depth++;
        for (; i < c->devices.n_steps && steps[i].owner == owner; i++) {
            one_step(&s, &steps[i], kernel_line, arg);
            if (steps[i].kind == ORIBI_STEP_KERNEL && i + 1 < c->devices.n_steps &&
                steps[i + 1].owner == owner) {
                leave_early(&s, steps[i].call);
            }
        }
        oribi_writer_line(w, "break;");
        w->depth--;
    }
}

/* --- Failure ---------------------------------------------------------------------------------- */

/* Work that cannot be cancelled is waited for: nothing may write after the run has returned. */
static void cancel(const stepper *s, const oribi_step *step)
{
    const oribi_device_names *n = names_of(s, step);
    oribi_writer_open(s->w, "if ((cursor->%s & %uu) != 0u &&", marks[step->mark],
                      1u << step->device);
    s->w->depth--;
    oribi_writer_line(s->w, "    TVMDevice%sCancel(devices->%s) != 0) {", n->camel, n->member);
    s->w->depth++;
    oribi_writer_line(s->w, "failures++;");
    oribi_writer_line(s->w, "failures += TVMDevice%sWait(devices->%s) != 0;", n->camel, n->member);
    oribi_writer_close(s->w, "}");
}

void oribi_emit_unwinding(const oribi_program *c, oribi_writer *w)
{
    const stepper s = {c, w, 0};
    for (int32_t i = 0; i < c->devices.n_unwinding; i++) {
        const oribi_step *step = &c->devices.unwinding[i];
        if (step->kind == TVM_DEVICE_HOOK_CANCEL) {
            cancel(&s, step);
            continue;
        }
        oribi_writer_open(w, "if ((cursor->%s & %uu) != 0u) {", marks[step->mark],
                          1u << step->device);
        oribi_writer_line(w, "failures += TVMDevice%s%s(devices->%s) != 0;",
                          names_of(&s, step)->camel, tvm_device_hook_name(step->kind),
                          names_of(&s, step)->member);
        oribi_writer_close(w, "}");
    }
}
