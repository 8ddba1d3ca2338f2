/* SPDX-License-Identifier: Apache-2.0 */
/* The operators of a model with devices, each with the hooks and copies that stand before and after
 * it. A hook that fails ends the run; what it had begun is known from the cursor.
 */
#include <inttypes.h>
#include <string.h>

#include "compile/emit_device.h"

typedef struct stepper {
    const oribi_compile *c;
    oribi_writer *w;
    int32_t index; /* of the operator */
} stepper;

static const oribi_target *target_of(const stepper *s, int32_t device)
{
    return s->c->devices.partition.devices[device].target;
}

/* --- Hooks ------------------------------------------------------------------------------------ */

/* "if (code != 0) return failed(...)", after a statement that sets code. */
static void check(const stepper *s, const char *hook, int32_t device)
{
    oribi_writer_open(s->w, "if (code != 0) {");
    oribi_writer_line(s->w, "return failed(devices, TVM_DEVICE_HOOK_%s, %d, %d, code);", hook,
                      (int)device, (int)s->index);
    oribi_writer_close(s->w, "}");
}

/* A hook of the lifecycle. What ends something counts as ended, however it goes. */
static void hook(const stepper *s, int32_t device, const char *name, const char *upper,
                 const char *member, bool begins)
{
    const oribi_device_names *n = &s->c->devices.names[device];
    if (!oribi_device_has_hooks(&s->c->devices, device)) {
        return;
    }
    if (!begins && strcmp(member, "started") != 0) {
        oribi_writer_line(s->w, "cursor->%s &= ~%uu;", member, 1u << device);
    }
    oribi_writer_line(s->w, "code = TVMDevice%s%s(devices->%s);", n->camel, name, n->member);
    check(s, upper, device);
    if (begins) {
        oribi_writer_line(s->w, "cursor->%s |= %uu;", member, 1u << device);
    } else if (strcmp(member, "started") == 0) {
        oribi_writer_line(s->w, "cursor->started &= ~%uu;", 1u << device);
    }
}

static void started(const stepper *s, int32_t device)
{
    oribi_writer_line(s->w, "cursor->started |= %uu;", 1u << device);
}

/* --- Copies ----------------------------------------------------------------------------------- */

static void statement(const stepper *s, oribi_text *text)
{
    oribi_writer_wrapped(s->w, oribi_text_string(text));
    s->w->text.failed = s->w->text.failed || text->failed;
    oribi_text_destroy(text);
}

static void copy(const stepper *s, const oribi_step *step)
{
    const oribi_device_names *names = s->c->devices.names;
    const oribi_device_names *n = &names[step->event.device];
    const char *suffix = step->is_started && step->kind != ORIBI_STEP_COPY_PEER ? "Start" : "";
    oribi_text text = {0};
    if (step->kind == ORIBI_STEP_COPY_TO) {
        oribi_text_printf(&text, "code = TVMDevice%sCopyTo%s(", n->camel, suffix);
        oribi_emit_place(s->c, &text, step->value);
        oribi_text_printf(&text, ", devices->%s, %" PRId64 "u, %" PRId64 "u);", n->member,
                          step->offset, step->bytes);
    } else if (step->kind == ORIBI_STEP_COPY_FROM) {
        oribi_text_printf(&text, "code = TVMDevice%sCopyFrom%s(devices->%s, %" PRId64 "u, ",
                          n->camel, suffix, n->member, step->offset);
        oribi_emit_place(s->c, &text, step->value);
        oribi_text_printf(&text, ", %" PRId64 "u);", step->bytes);
    } else {
        oribi_text_printf(&text,
                          "code = TVMDevice%sCopyPeer(devices->%s, %" PRId64 "u, devices->%s, "
                          "%" PRId64 "u, %" PRId64 "u);",
                          n->camel, n->member, step->offset, names[step->peer].member,
                          step->peer_offset, step->bytes);
    }
    statement(s, &text);
    check(s,
          step->kind == ORIBI_STEP_COPY_TO     ? "COPY_TO"
          : step->kind == ORIBI_STEP_COPY_FROM ? "COPY_FROM"
                                               : "COPY_PEER",
          step->event.device);
    if (suffix[0] != '\0') {
        started(s, step->event.device);
    }
}

/* --- Operators -------------------------------------------------------------------------------- */

/* Where input k of a call is for its device: in the place of its value, or copied there. */
static void operand(const stepper *s, oribi_text *text, int32_t index, int32_t k)
{
    const oribi_location *staged = &s->c->devices.staged[index][k];
    if (staged->bytes > 0) {
        oribi_emit_pool_place(s->c, text, ORIBI_ELEMENT_U8, staged);
    } else {
        oribi_emit_place(s->c, text, s->c->calls[index].inputs[k]);
    }
}

/* Copies the inputs that the device does not see where they are. */
static void stage(const stepper *s, int32_t index)
{
    const oribi_call *call = &s->c->calls[index];
    for (int32_t k = 0; k < call->n_inputs; k++) {
        const oribi_location *staged = &s->c->devices.staged[index][k];
        oribi_text text = {0};
        if (staged->bytes > 0) {
            oribi_text_append(&text, "memcpy(");
            operand(s, &text, index, k);
            oribi_text_append(&text, ", ");
            oribi_emit_place(s->c, &text, call->inputs[k]);
            oribi_text_printf(&text, ", %" PRId64 "u);", staged->bytes);
            statement(s, &text);
        }
    }
}

/* Cleans or invalidates the lines at a place; takes the text over. */
static void cache_line(const stepper *s, int32_t device, bool is_clean, oribi_text *place,
                       int64_t bytes)
{
    const oribi_device_names *n = &s->c->devices.names[device];
    oribi_text text = {0};
    oribi_text_printf(&text, "code = TVMDevice%sCache%s(devices->%s, %s, %" PRId64 "u);", n->camel,
                      is_clean ? "Clean" : "Invalidate", n->member, oribi_text_string(place),
                      bytes);
    text.failed = text.failed || place->failed;
    oribi_text_destroy(place);
    statement(s, &text);
    check(s, is_clean ? "CACHE_CLEAN" : "CACHE_INVALIDATE", device);
}

/* What the CPU has written goes to memory, before the device reads it. */
static void clean(const stepper *s, int32_t index)
{
    const oribi_call *call = &s->c->calls[index];
    for (int32_t k = 0; k < call->n_inputs; k++) {
        const bool is_copied = s->c->devices.staged[index][k].bytes > 0;
        if (is_copied || !oribi_device_is_clean(s->c, index, call->inputs[k])) {
            oribi_text place = {0};
            operand(s, &place, index, k);
            cache_line(s, call->device - 1, true, &place,
                       oribi_lower_bytes(s->c->graph->values[call->inputs[k]]));
        }
    }
}

/* Drops the lines of what a call makes: before it, since one that the CPU wrote earlier could be
 * written back over the result; after it, since the CPU could have read one meanwhile. */
static void invalidate_results(const stepper *s, int32_t index, bool is_before)
{
    const oribi_call *call = &s->c->calls[index];
    const oribi_location *scratch = &s->c->scratch[index];
    if (target_of(s, call->device - 1)->has_cache_hooks == 0 ||
        s->c->devices.places[index] != NULL) {
        return;
    }
    for (int32_t k = 0; k < call->n_outputs; k++) {
        oribi_text place = {0};
        oribi_emit_place(s->c, &place, call->node->outputs[k]);
        cache_line(s, call->device - 1, false, &place,
                   oribi_lower_bytes(s->c->graph->values[call->node->outputs[k]]));
    }
    if (is_before && scratch->storage == ORIBI_IN_WORKSPACE) {
        oribi_text place = {0};
        oribi_emit_pool_place(s->c, &place, ORIBI_ELEMENT_U8, scratch);
        cache_line(s, call->device - 1, false, &place, scratch->bytes);
    }
}

static void tensor(const stepper *s, int32_t index, int32_t k, int32_t first)
{
    const oribi_call *call = &s->c->calls[index];
    const oribi_device_place *places = s->c->devices.places[index];
    const int32_t n = call->n_inputs + call->n_outputs;
    const oribi_value_id value = k < call->n_inputs ? call->inputs[k]
                                 : k < n            ? call->node->outputs[k - call->n_inputs]
                                                    : -1;
    oribi_text text = {0};
    oribi_text_printf(&text, "set_tensor(&cursor->tensors[%d], ", (int)(first + k));
    if (places != NULL) {
        oribi_text_printf(&text, "NULL, %" PRId64 "u", places[k].offset);
    } else if (k < call->n_inputs) {
        operand(s, &text, index, k);
        oribi_text_append(&text, ", 0u");
    } else if (value >= 0) {
        oribi_emit_place(s->c, &text, value);
        oribi_text_append(&text, ", 0u");
    } else {
        oribi_emit_pool_place(s->c, &text, ORIBI_ELEMENT_U8, &s->c->scratch[index]);
        oribi_text_append(&text, ", 0u");
    }
    oribi_text_printf(&text, ", %" PRId64 "u);",
                      value >= 0 ? oribi_lower_bytes(s->c->graph->values[value])
                                 : call->scratch_bytes);
    statement(s, &text);
}

/* The addresses under which the device sees the tensors. */
static void addresses(const stepper *s, int32_t index, int32_t first, int32_t n)
{
    const int32_t device = s->c->calls[index].device - 1;
    const oribi_device_names *names = &s->c->devices.names[device];
    if (target_of(s, device)->has_address == 0 || s->c->devices.places[index] != NULL) {
        return;
    }
    oribi_writer_open(s->w, "for (int32_t i = %d; i < %d; i++) {", (int)first, (int)(first + n));
    oribi_writer_line(s->w, "code = TVMDevice%sAddress(devices->%s, &cursor->tensors[i]);",
                      names->camel, names->member);
    check(s, "ADDRESS", device);
    oribi_writer_close(s->w, "}");
}

static void device_call(const stepper *s, int32_t index, bool is_started)
{
    const oribi_call *call = &s->c->calls[index];
    const oribi_target_code *code = &call->region->code;
    const int32_t device = call->device - 1;
    const oribi_device_names *n = &s->c->devices.names[device];
    const int32_t slot = s->c->devices.slot[index], first = s->c->devices.first_tensor[index];
    const int32_t n_tensors = oribi_device_tensors(call);
    stage(s, index);
    if (target_of(s, device)->has_cache_hooks != 0 && s->c->devices.places[index] == NULL) {
        clean(s, index);
    }
    invalidate_results(s, index, true);
    for (int32_t k = 0; k < n_tensors; k++) {
        tensor(s, index, k, first);
    }
    addresses(s, index, first, n_tensors);
    oribi_writer_line(s->w, "cursor->calls[%d].op = %d;", (int)slot, (int)code->op);
    oribi_writer_line(s->w, "cursor->calls[%d].n_inputs = %d;", (int)slot, (int)call->n_inputs);
    oribi_writer_line(s->w, "cursor->calls[%d].n_outputs = %d;", (int)slot,
                      (int)(n_tensors - call->n_inputs));
    oribi_writer_line(s->w, "cursor->calls[%d].tensors = &cursor->tensors[%d];", (int)slot,
                      (int)first);
    oribi_text params = {0};
    oribi_text_printf(&params, "cursor->calls[%d].params = ", (int)slot);
    if (call->n_placed > 0) {
        oribi_emit_array(s->c, &params, call->first_array);
    } else {
        oribi_text_append(&params, "NULL");
    }
    oribi_text_append(&params, ";");
    statement(s, &params);
    oribi_writer_line(s->w, "cursor->calls[%d].params_bytes = %zuu;", (int)slot,
                      code->params_bytes);
    if (is_started) {
        started(s, device);
    }
    if (code->body != NULL) {
        const bool has_handle = oribi_device_has_hooks(&s->c->devices, device);
        oribi_writer_line(s->w, "code = %s(&cursor->calls[%d], %s%s);", call->name, (int)slot,
                          has_handle ? "devices->" : "NULL", has_handle ? n->member : "");
    } else {
        oribi_writer_line(s->w, "code = %s_%s(&cursor->calls[%d], devices->%s);", n->kind,
                          is_started ? "start" : "invoke", (int)slot, n->member);
    }
    check(s, is_started ? "START" : "INVOKE", device);
    if (!is_started) {
        invalidate_results(s, index, false);
    }
}

/* After a wait: what the device has written is not to be read from the cache. */
static void invalidate(const stepper *s, const oribi_event *wait)
{
    for (int32_t i = 0; i < s->c->n_calls; i++) {
        if (s->c->calls[i].device - 1 == wait->device && s->c->devices.done[i] == wait->call) {
            invalidate_results(s, i, false);
        }
    }
}

static void event(const stepper *s, const oribi_event *e)
{
    switch (e->kind) {
    case ORIBI_EVENT_ACTIVATE:
        hook(s, e->device, "Activate", "ACTIVATE", "active", true);
        break;
    case ORIBI_EVENT_OPEN:
        hook(s, e->device, "Open", "OPEN", "open", true);
        break;
    case ORIBI_EVENT_WAIT:
        hook(s, e->device, "Wait", "WAIT", "started", false);
        invalidate(s, e);
        break;
    case ORIBI_EVENT_CLOSE:
        hook(s, e->device, "Close", "CLOSE", "open", false);
        break;
    case ORIBI_EVENT_DEACTIVATE:
        hook(s, e->device, "Deactivate", "DEACTIVATE", "active", false);
        break;
    default:
        device_call(s, e->call, e->kind == ORIBI_EVENT_START);
    }
}

/* --- Cases ------------------------------------------------------------------------------------ */

static bool is_call(const oribi_step *step)
{
    return step->kind == ORIBI_STEP_EVENT &&
           (step->event.kind == ORIBI_EVENT_CALL || step->event.kind == ORIBI_EVENT_START);
}

/* Does a later step belong to an operator? If not, the steps that are left end the last one. */
static bool has_operator_after(const oribi_compile *c, int32_t from)
{
    for (int32_t i = from; i < c->devices.n_steps; i++) {
        const oribi_step *step = &c->devices.steps[i];
        if (is_call(step) && oribi_emit_is_operator(&c->calls[step->event.call])) {
            return true;
        }
    }
    return false;
}

/* Does the step end what an operator before it has begun? Those belong to that operator. */
static bool is_end(const oribi_step *step)
{
    return step->kind == ORIBI_STEP_COPY_FROM ||
           (step->kind == ORIBI_STEP_EVENT &&
            (step->event.kind == ORIBI_EVENT_WAIT || step->event.kind == ORIBI_EVENT_CLOSE ||
             step->event.kind == ORIBI_EVENT_DEACTIVATE));
}

static void one_step(const stepper *s, const oribi_step *step,
                     void (*kernel_line)(void *arg, int32_t call), void *arg)
{
    const oribi_call *call = is_call(step) ? &s->c->calls[step->event.call] : NULL;
    if (step->kind != ORIBI_STEP_EVENT) {
        copy(s, step);
    } else if (call == NULL || call->region != NULL) {
        event(s, &step->event);
    } else if (call->kernel != NULL) {
        kernel_line(arg, step->event.call);
    }
}

void oribi_emit_device_cases(const oribi_compile *c, oribi_writer *w,
                             void (*kernel_line)(void *arg, int32_t call), void *arg)
{
    stepper s = {c, w, 0};
    const oribi_step *steps = c->devices.steps;
    for (int32_t i = 0; i < c->devices.n_steps;) {
        bool has_run = false;
        oribi_writer_line(w, "case %d:", (int)s.index);
        w->depth++;
        for (; i < c->devices.n_steps; i++) {
            if (has_run && !is_end(&steps[i]) && has_operator_after(c, i)) {
                break;
            }
            one_step(&s, &steps[i], kernel_line, arg);
            has_run = has_run || (is_call(&steps[i]) &&
                                  oribi_emit_is_operator(&c->calls[steps[i].event.call]));
        }
        oribi_writer_line(w, "break;");
        w->depth--;
        s.index++;
    }
}
