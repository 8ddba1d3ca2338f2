/* SPDX-License-Identifier: Apache-2.0 */
/* The steps of a run with devices as const tables: a row a step, and what rows refer to, each thing
 * once. Who walks them: emit_device_steps.c.
 */
#include "compile/emit/emit_device_table.h"

#include <inttypes.h>

#include "base/ascii.h"
#include "compile/emit/emit_device.h"

/* --- Making ----------------------------------------------------------------------------------- */

bool oribi_device_step_is_own(const oribi_program *c, const oribi_step *step)
{
    const bool is_call =
        step->kind == TVM_DEVICE_HOOK_INVOKE || step->kind == TVM_DEVICE_HOOK_START;
    return is_call && c->calls[step->call].region->code.body != NULL;
}

/* The place of a range among those of the table. */
static int32_t range_of(oribi_device_table *t, int32_t memory, int64_t offset, int64_t bytes)
{
    for (int32_t i = 0; i < t->n_ranges; i++) {
        const oribi_device_range *r = &t->ranges[i];
        if (r->memory == memory && r->offset == offset && r->bytes == bytes) {
            return i;
        }
    }
    t->ranges[t->n_ranges] = (oribi_device_range){memory, offset, bytes};
    return t->n_ranges++;
}

/* A range of host memory: what the caller gives has a memory for each, of pools only parts are
 * meant. */
static int32_t host_range(const oribi_program *c, oribi_device_table *t, const oribi_location *at,
                          int64_t bytes)
{
    const bool is_part = at->storage == ORIBI_IN_WORKSPACE;
    const int32_t n_devices = c->devices.partition.n_devices;
    for (int32_t i = 0; i < t->n_memories; i++) {
        if (t->memories[i].storage == at->storage && t->memories[i].index == at->index) {
            return range_of(t, n_devices + i, is_part ? at->offset : 0, bytes);
        }
    }
    t->memories[t->n_memories] = *at;
    return range_of(t, n_devices + t->n_memories++, is_part ? at->offset : 0, bytes);
}

static const oribi_location *place_of(const oribi_program *c, const oribi_step *step)
{
    return step->place != NULL ? step->place : &c->locations[step->value];
}

static void add_row(oribi_device_table *t, const oribi_step *step, int32_t index, int32_t first,
                    int32_t second)
{
    t->rows[t->n_rows++] = (oribi_device_row){step, index, first, second};
    t->kinds |= (uint64_t)1 << (step != NULL ? step->kind : ORIBI_STEP_KERNEL);
}

/* The call is described when its first tensor is, and has a row for all of it. */
static void add_call(const oribi_program *c, oribi_device_table *t, const oribi_step *step,
                     int32_t index)
{
    if (t->n_calls == 0 || t->calls[t->n_calls - 1] != step->call) {
        t->first_tensor[t->n_calls] = t->n_tensors;
        t->calls[t->n_calls++] = step->call;
        add_row(t, step, index, t->n_calls - 1, 0);
    }
    if (step->kind == ORIBI_STEP_TENSOR) {
        t->tensors[t->n_tensors++] = step->offset >= 0
                                         ? range_of(t, step->device, step->offset, step->bytes)
                                         : host_range(c, t, place_of(c, step), step->bytes);
    }
}

static void add_step(const oribi_program *c, oribi_device_table *t, const oribi_step *step,
                     int32_t index)
{
    int32_t first = 0, second = 0;
    switch (step->kind) {
    case ORIBI_STEP_TENSOR:
    case ORIBI_STEP_DESCRIBE:
        add_call(c, t, step, index);
        return;
    case ORIBI_STEP_STAGE:
        first = host_range(c, t, &c->locations[step->value], step->bytes);
        second = host_range(c, t, place_of(c, step), step->bytes);
        break;
    case TVM_DEVICE_HOOK_COPY_TO:
        first = host_range(c, t, place_of(c, step), step->bytes);
        second = range_of(t, step->device, step->offset, step->bytes);
        break;
    case TVM_DEVICE_HOOK_COPY_FROM:
        first = range_of(t, step->device, step->offset, step->bytes);
        second = host_range(c, t, place_of(c, step), step->bytes);
        break;
    case TVM_DEVICE_HOOK_COPY_PEER:
        first = range_of(t, step->device, step->offset, step->bytes);
        second = range_of(t, step->peer, step->peer_offset, step->bytes);
        break;
    case TVM_DEVICE_HOOK_CACHE_CLEAN:
    case TVM_DEVICE_HOOK_CACHE_INVALIDATE:
        first = second = host_range(c, t, place_of(c, step), step->bytes);
        break;
    case TVM_DEVICE_HOOK_ADDRESS:
    case TVM_DEVICE_HOOK_LOAD:
    case TVM_DEVICE_HOOK_INVOKE:
    case TVM_DEVICE_HOOK_START:
        first = t->n_calls - 1;
        break;
    default:
        break;
    }
    add_row(t, step, index, first, second);
    if (oribi_device_step_is_own(c, step)) {
        t->has_own = true;
    } else if (step->kind <= TVM_DEVICE_HOOK_LOAD) {
        t->hooks[step->device] |= 1u << step->kind;
    }
}

static void add_unwinding(const oribi_program *c, oribi_device_table *t)
{
    for (int32_t i = 0; i < c->devices.n_unwinding; i++) {
        const oribi_step *step = &c->devices.unwinding[i];
        t->hooks[step->device] |= 1u << step->kind;
        if (step->kind == TVM_DEVICE_HOOK_CANCEL) { /* what cannot be cancelled is waited for */
            t->hooks[step->device] |= 1u << TVM_DEVICE_HOOK_WAIT;
        }
    }
}

bool oribi_device_table_make(const oribi_program *c, oribi_device_table *t)
{
    const oribi_devices *d = &c->devices;
    const size_t n = (size_t)d->n_steps + (size_t)c->n_copies + 1;
    *t = (oribi_device_table){0};
    t->rows = oribi_arena_array(&t->arena, n, sizeof *t->rows);
    t->ranges = oribi_arena_array(&t->arena, 2 * n, sizeof *t->ranges);
    t->memories = oribi_arena_array(&t->arena, 2 * n, sizeof *t->memories);
    t->tensors = oribi_arena_array(&t->arena, n, sizeof *t->tensors);
    t->calls = oribi_arena_array(&t->arena, n, sizeof *t->calls);
    t->first_tensor = oribi_arena_array(&t->arena, n, sizeof *t->first_tensor);
    if (t->rows == NULL || t->ranges == NULL || t->memories == NULL || t->tensors == NULL ||
        t->calls == NULL || t->first_tensor == NULL) {
        return false;
    }
    int32_t index = -1;
    for (int32_t i = 0; i < d->n_steps; i++) {
        index += i == 0 || d->steps[i].owner != d->steps[i - 1].owner ? 1 : 0;
        add_step(c, t, &d->steps[i], index);
    }
    for (int32_t i = 0; i < c->n_copies; i++) {
        add_row(t, NULL, ++index, 0, 0);
    }
    if (t->n_rows == 0) { /* C has no empty tables */
        add_row(t, NULL, 0, 0, 0);
    }
    add_unwinding(c, t);
    return true;
}

bool oribi_device_table_calls_any(const oribi_device_table *t)
{
    const uint64_t hooks = ((uint64_t)1 << (TVM_DEVICE_HOOK_LOAD + 1)) - 1;
    return (t->kinds & hooks) != 0;
}

bool oribi_device_table_has_hooks(const oribi_device_table *t)
{
    uint32_t hooks = 0;
    for (int32_t i = 0; i < ORIBI_DEVICES_MAX; i++) {
        hooks |= t->hooks[i];
    }
    return hooks != 0;
}

/* --- Structs ---------------------------------------------------------------------------------- */

static const char *number_type(int32_t n)
{
    return n <= UINT8_MAX ? "uint8_t" : n <= UINT16_MAX ? "uint16_t" : "uint32_t";
}

static const char *row_type(const oribi_device_table *t)
{
    return number_type(t->n_ranges > t->n_calls ? t->n_ranges : t->n_calls);
}

bool oribi_device_any_loads(const oribi_program *c)
{
    bool has = false;
    for (int32_t i = 0; i < c->devices.partition.n_devices; i++) {
        has = has || oribi_target_has_load(c->devices.partition.devices[i].target);
    }
    return has;
}

static void range_struct(oribi_writer *w)
{
    oribi_writer_comment(w, "Bytes in the memory of a device, or of the host: find_place() says "
                            "whose.");
    oribi_writer_open(w, "struct device_range {");
    oribi_writer_line(w, "uint32_t offset, bytes;");
    oribi_writer_line(w, "uint32_t memory;");
    oribi_writer_close(w, "};");
    oribi_writer_blank(w);
}

static void call_struct(const oribi_program *c, const oribi_device_table *t, oribi_writer *w)
{
    oribi_writer_comment(w, "An operator that a device computes.");
    oribi_writer_open(w, "struct device_operator {");
    if (c->options->weights == ORIBI_WEIGHTS_BIN) {
        oribi_writer_line(w, "uint32_t params; /* in the weights; 0: none */");
    } else {
        oribi_writer_line(w, "const void *params;");
    }
    oribi_writer_line(w, "uint32_t params_bytes;");
    if (oribi_device_any_loads(c)) {
        oribi_writer_line(w, "uint32_t params_id[2];");
    }
    oribi_writer_line(w, "int32_t op;");
    oribi_writer_line(w, "%s n_inputs, n_tensors;", number_type(c->devices.most_tensors));
    oribi_writer_line(w, "%s first;        /* of device_tensors */", number_type(t->n_tensors));
    oribi_writer_line(w, "%s slot, tensor; /* where the cursor has it */",
                      number_type(c->devices.most_tensors));
    oribi_writer_close(w, "};");
    oribi_writer_blank(w);
}

static void row_struct(const oribi_device_table *t, oribi_writer *w)
{
    oribi_writer_comment(w, "What is done for an operator, in order: a hook, or a STEP_... of the "
                            "CPU's. first and second are ranges, from and to; of a call, first is "
                            "its operator.");
    oribi_writer_line(w, "enum { STEP_KERNEL = 32, STEP_STAGE, STEP_SET_UP, STEP_OWN };");
    oribi_writer_open(w, "struct device_step {");
    oribi_writer_line(w, "uint8_t what, device;");
    oribi_writer_line(w, "%s first, second;", row_type(t));
    oribi_writer_close(w, "};");
    oribi_writer_blank(w);
}

/* --- Tables ----------------------------------------------------------------------------------- */

static void range_rows(const oribi_device_table *t, oribi_writer *w)
{
    oribi_writer_open(w, "static const struct device_range device_ranges[] = {");
    for (int32_t i = 0; i < t->n_ranges; i++) {
        const oribi_device_range *r = &t->ranges[i];
        oribi_writer_line(w, "{%" PRId64 "u, %" PRId64 "u, %du},", r->offset, r->bytes,
                          (int)r->memory);
    }
    oribi_writer_close(w, "};");
    oribi_writer_blank(w);
}

static void params(const oribi_program *c, const oribi_call *call, oribi_text *text)
{
    if (call->n_placed == 0) {
        oribi_text_append(text, c->options->weights == ORIBI_WEIGHTS_BIN ? "0u" : "NULL");
    } else if (c->options->weights == ORIBI_WEIGHTS_BIN) {
        oribi_text_printf(text, "%" PRId64 "u", c->arrays[call->first_array].offset);
    } else {
        oribi_emit_array(c, text, call->first_array);
    }
}

static void call_rows(const oribi_program *c, const oribi_device_table *t, oribi_writer *w)
{
    oribi_writer_open(w, "static const struct device_operator device_operators[] = {");
    for (int32_t i = 0; i < t->n_calls; i++) {
        const oribi_call *call = &c->calls[t->calls[i]];
        const oribi_target *target = c->devices.partition.devices[call->device - 1].target;
        const bool keeps = oribi_target_has_load(target);
        oribi_text text = {0};
        oribi_text_append(&text, "{");
        params(c, call, &text);
        oribi_text_printf(&text, ", %zuu, ", call->region->code.params_bytes);
        if (oribi_device_any_loads(c)) {
            oribi_text_printf(&text, "{0x%08" PRIx32 "u, 0x%08" PRIx32 "u}, ",
                              keeps ? call->params_id[0] : 0, keeps ? call->params_id[1] : 0);
        }
        oribi_text_printf(&text, "%d, %du, %du, %du, %du, %du},", (int)call->region->code.op,
                          (int)call->n_inputs, (int)oribi_device_tensors(call),
                          (int)t->first_tensor[i], (int)c->devices.slot[t->calls[i]],
                          (int)c->devices.first_tensor[t->calls[i]]);
        oribi_writer_statement(w, &text);
    }
    oribi_writer_close(w, "};");
    oribi_writer_blank(w);
    oribi_writer_comment(w, "Ranges of the tensors of operators: inputs, outputs, scratch.");
    oribi_writer_open(w, "static const %s device_tensors[] = {", number_type(t->n_ranges));
    oribi_text list = {0};
    for (int32_t i = 0; i < t->n_tensors; i++) {
        oribi_text_printf(&list, "%s%du,", i > 0 ? " " : "", (int)t->tensors[i]);
    }
    oribi_text_append(&list, t->n_tensors == 0 ? "0u," : "");
    oribi_writer_statement(w, &list);
    oribi_writer_close(w, "};");
    oribi_writer_blank(w);
}

void oribi_emit_hook_macro(oribi_text *text, int32_t hook)
{
    const char *const name = tvm_device_hook_name(hook);
    oribi_text_append(text, "TVM_DEVICE_HOOK_");
    for (const char *at = name; *at != 0; at++) {
        if (at > name && oribi_is_upper(*at)) { /* "COPY_TO" of "CopyTo" */
            oribi_text_append(text, "_");
        }
        const char upper = oribi_is_lower(*at) ? (char)(*at - 'a' + 'A') : *at;
        oribi_text_append_n(text, &upper, 1);
    }
}

static void what(const oribi_program *c, const oribi_device_row *row, oribi_text *text)
{
    const int32_t kind = row->step != NULL ? row->step->kind : ORIBI_STEP_KERNEL;
    if (row->step != NULL && oribi_device_step_is_own(c, row->step)) {
        oribi_text_append(text, "STEP_OWN");
    } else if (kind <= TVM_DEVICE_HOOK_LOAD) {
        oribi_emit_hook_macro(text, kind);
    } else {
        oribi_text_append(text, kind == ORIBI_STEP_KERNEL  ? "STEP_KERNEL"
                                : kind == ORIBI_STEP_STAGE ? "STEP_STAGE"
                                                           : "STEP_SET_UP");
    }
}

static void step_rows(const oribi_program *c, const oribi_device_table *t, oribi_writer *w)
{
    oribi_writer_open(w, "static const struct device_step device_steps[] = {");
    for (int32_t i = 0; i < t->n_rows; i++) {
        const oribi_device_row *row = &t->rows[i];
        const bool is_own = row->step != NULL && oribi_device_step_is_own(c, row->step);
        oribi_text text = {0};
        if (i == 0 || row->operator_index != t->rows[i - 1].operator_index) {
            oribi_writer_line(w, "/* Operator %d. */", (int)row->operator_index);
        }
        oribi_text_append(&text, "{");
        what(c, row, &text);
        oribi_text_printf(&text, ", %du, %du, ",
                          row->step != NULL && row->step->device > 0 ? (int)row->step->device : 0,
                          (int)row->first);
        if (is_own) { /* the hook that it stands for */
            oribi_emit_hook_macro(&text, row->step->kind);
        } else {
            oribi_text_printf(&text, "%du", (int)row->second);
        }
        oribi_writer_line(w, "%s},", oribi_text_string(&text));
        oribi_writer_end(w, &text);
    }
    oribi_writer_close(w, "};");
    oribi_writer_blank(w);
}

/* Where the rows of each operator begin; and where the last one's end. */
static void first_rows(const oribi_device_table *t, oribi_writer *w)
{
    oribi_text list = {0};
    oribi_writer_comment(w, "Where the steps of each operator begin.");
    oribi_writer_open(w, "static const %s device_first[] = {", number_type(t->n_rows));
    for (int32_t i = 0; i < t->n_rows; i++) {
        if (i == 0 || t->rows[i].operator_index != t->rows[i - 1].operator_index) {
            oribi_text_printf(&list, "%du, ", (int)i);
        }
    }
    oribi_text_printf(&list, "%du,", (int)t->n_rows);
    oribi_writer_statement(w, &list);
    oribi_writer_close(w, "};");
    oribi_writer_blank(w);
}

void oribi_emit_device_table(const oribi_program *c, const oribi_device_table *t, oribi_writer *w)
{
    if (t->n_ranges > 0) {
        range_struct(w);
        range_rows(t, w);
    }
    if (t->n_calls > 0) {
        call_struct(c, t, w);
        call_rows(c, t, w);
    }
    row_struct(t, w);
    step_rows(c, t, w);
    first_rows(t, w);
}
