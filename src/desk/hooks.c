/* SPDX-License-Identifier: Apache-2.0 */
/* The hooks of a run with drivers, and unwinding: in the order and with the bookkeeping of
 * generated code (../compile/emit_device_steps.c, emit_device.c).
 */
#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "desk/run.h"
#include "tensor/status.h"

/* --- Failure ---------------------------------------------------------------------------------- */

static const char *code_text(int32_t code)
{
    static const struct {
        int32_t code;
        const char *text;
    } known[] = {
        {TVM_DEVICE_E_NULL, "no device"},
        {TVM_DEVICE_E_TIMEOUT, "it did not answer in time"},
        {TVM_DEVICE_E_IO, "the way to it is broken or garbled"},
        {TVM_DEVICE_E_CANCELLED, "cancelled"},
        {TVM_DEVICE_E_UNSUPPORTED, "an operator, type or size that it lacks"},
        {TVM_DEVICE_E_RANGE, "outside its memory"},
        {TVM_DEVICE_E_STATE, "a hook out of order"},
        {TVM_DEVICE_E_BUSY, "held by somebody else"},
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (known[i].code == code) {
            return known[i].text;
        }
    }
    return "a code of the driver's own";
}

static TF_Code status_of(int32_t code)
{
    return code == TVM_DEVICE_E_TIMEOUT       ? TF_DEADLINE_EXCEEDED
           : code == TVM_DEVICE_E_CANCELLED   ? TF_CANCELLED
           : code == TVM_DEVICE_E_UNSUPPORTED ? TF_UNIMPLEMENTED
                                              : TF_UNAVAILABLE;
}

/* True when code is 0. */
static bool check(const oribi_desk *desk, int32_t hook, int32_t device, int32_t call, int32_t code,
                  TF_Status *status)
{
    const oribi_device_instance *d = &desk->model->devices.partition.devices[device];
    return code == 0 ||
           oribi_fail(status, status_of(code),
                      "device '%s' (%s): %s failed at operator '%s' with code %" PRId32 ", %s",
                      d->name, d->target->name, tvm_device_hook_name(hook),
                      desk->model->calls[call].node->name, code, code_text(code));
}

void oribi__desk_unwind(oribi_desk *desk, TF_Status *status)
{
    const oribi_devices *d = &desk->model->devices;
    const int32_t n = d->partition.n_devices;
    int failures = 0;
    for (int32_t i = n - 1; i >= 0; i--) {
        const oribi_desk_driver *driver = &desk->drivers[i];
        if ((desk->started & 1u << i) != 0u && driver->cancel(driver->dev) != 0) {
            failures += 1 + (driver->wait(driver->dev) != 0);
        }
    }
    for (int32_t i = n - 1; i >= 0; i--) {
        if ((desk->open & 1u << i) != 0u) {
            failures += desk->drivers[i].close(desk->drivers[i].dev) != 0;
        }
    }
    for (int32_t i = n - 1; i >= 0; i--) {
        const int32_t device = d->schedule.activation_order[i];
        if ((desk->active & 1u << device) != 0u) {
            failures += desk->drivers[device].deactivate(desk->drivers[device].dev) != 0;
        }
    }
    desk->started = desk->open = desk->active = 0u;
    if (failures > 0) {
        oribi_status_prefix(status, "(%d more %s failed while the run was unwound) ", failures,
                            failures == 1 ? "hook" : "hooks");
    }
}

/* --- Lifecycle -------------------------------------------------------------------------------- */

static const oribi_target *target_of(const oribi_desk *desk, int32_t device)
{
    return desk->model->devices.partition.devices[device].target;
}

/* Begins or ends something; what ends counts as ended, however it goes. */
static bool lifecycle(oribi_desk *desk, const oribi_event *e, uint32_t *bits, bool begins,
                      oribi_desk_hook *hook, int32_t number, int32_t call, TF_Status *status)
{
    const uint32_t bit = 1u << e->device;
    if (target_of(desk, e->device)->device_api == 0) {
        return true;
    }
    *bits = begins ? *bits : *bits & ~bit;
    ORIBI_TRY(check(desk, number, e->device, call, hook(desk->drivers[e->device].dev), status));
    *bits = begins ? *bits | bit : *bits;
    return true;
}

static bool invalidate_results(oribi_desk *desk, int32_t index, bool is_before, TF_Status *status);

/* After a wait: what the device has written is not to be read from the cache. */
static bool wait_for(oribi_desk *desk, const oribi_event *e, int32_t call, TF_Status *status)
{
    const oribi_desk_driver *d = &desk->drivers[e->device];
    ORIBI_TRY(check(desk, TVM_DEVICE_HOOK_WAIT, e->device, call, d->wait(d->dev), status));
    desk->started &= ~(1u << e->device);
    for (int32_t i = 0; i < desk->model->n_calls; i++) {
        if (desk->model->calls[i].device - 1 == e->device &&
            desk->model->devices.done[i] == e->call) {
            ORIBI_TRY(invalidate_results(desk, i, false, status));
        }
    }
    return true;
}

bool oribi__desk_event(oribi_desk *desk, const oribi_event *e, int32_t call, TF_Status *status)
{
    const oribi_desk_driver *d = &desk->drivers[e->device];
    switch (e->kind) {
    case ORIBI_EVENT_ACTIVATE:
        return lifecycle(desk, e, &desk->active, true, d->activate, TVM_DEVICE_HOOK_ACTIVATE, call,
                         status);
    case ORIBI_EVENT_OPEN:
        return lifecycle(desk, e, &desk->open, true, d->open, TVM_DEVICE_HOOK_OPEN, call, status);
    case ORIBI_EVENT_CLOSE:
        return lifecycle(desk, e, &desk->open, false, d->close, TVM_DEVICE_HOOK_CLOSE, call,
                         status);
    case ORIBI_EVENT_DEACTIVATE:
        return lifecycle(desk, e, &desk->active, false, d->deactivate, TVM_DEVICE_HOOK_DEACTIVATE,
                         call, status);
    default:
        return wait_for(desk, e, call, status);
    }
}

/* --- Copies ----------------------------------------------------------------------------------- */

bool oribi__desk_copy(oribi_desk *desk, const oribi_step *step, int32_t call, TF_Status *status)
{
    const int32_t device = step->event.device;
    const oribi_desk_driver *d = &desk->drivers[device];
    const uint32_t offset = (uint32_t)step->offset, bytes = (uint32_t)step->bytes;
    const bool is_started = step->is_started && step->kind != ORIBI_STEP_COPY_PEER;
    TF_Tensor *value;
    int32_t code, hook;
    if (step->kind == ORIBI_STEP_COPY_PEER) {
        hook = TVM_DEVICE_HOOK_COPY_PEER;
        code = d->copy_peer(d->dev, offset, desk->drivers[step->peer].dev,
                            (uint32_t)step->peer_offset, bytes);
    } else if (step->kind == ORIBI_STEP_COPY_TO) {
        ORIBI_TRY(oribi__desk_value(desk, step->value, &value, status));
        hook = TVM_DEVICE_HOOK_COPY_TO;
        code = (is_started ? d->copy_to_start : d->copy_to)(TF_TensorData(value), d->dev, offset,
                                                            bytes);
    } else {
        ORIBI_TRY(oribi__desk_make_value(desk, step->value, &value, status));
        hook = TVM_DEVICE_HOOK_COPY_FROM;
        code = (is_started ? d->copy_from_start : d->copy_from)(d->dev, offset,
                                                                TF_TensorData(value), bytes);
    }
    ORIBI_TRY(check(desk, hook, device, call, code, status));
    desk->started |= is_started ? 1u << device : 0u;
    return true;
}

/* --- Cache ------------------------------------------------------------------------------------ */

/* Does the call work in memory that the CPU has a cache of? */
static bool has_cache(const oribi_desk *desk, int32_t index)
{
    return target_of(desk, desk->model->calls[index].device - 1)->has_cache_hooks != 0 &&
           desk->model->devices.places[index] == NULL;
}

/* What the CPU has written goes to memory, before the device reads it. */
static bool clean_operands(oribi_desk *desk, int32_t index, TF_Status *status)
{
    const oribi_call *call = &desk->model->calls[index];
    const oribi_desk_driver *d = &desk->drivers[call->device - 1];
    for (int32_t k = 0; has_cache(desk, index) && k < call->n_inputs; k++) {
        const bool is_copied = desk->model->devices.staged[index][k].bytes > 0;
        TF_Tensor *value;
        ORIBI_TRY(oribi__desk_value(desk, call->inputs[k], &value, status));
        if (is_copied || !oribi_device_is_clean(desk->model, index, call->inputs[k])) {
            ORIBI_TRY(
                check(desk, TVM_DEVICE_HOOK_CACHE_CLEAN, call->device - 1, index,
                      d->clean(d->dev, TF_TensorData(value), (uint32_t)TF_TensorByteSize(value)),
                      status));
        }
    }
    return true;
}

/* Memory for as long as the desk is, at a multiple of the alignment and of no greater power of two:
 * a driver that needs more than its target asked for fails here as it would on a board. NULL: no
 * memory. */
static void *alloc_aligned(oribi_desk *desk, int64_t bytes, size_t alignment)
{
    size_t room;
    if (!oribi_size_add((size_t)bytes, 3 * alignment, &room)) {
        return NULL;
    }
    uint8_t *block = oribi_arena_alloc(&desk->arena, room);
    const size_t past = (size_t)((uintptr_t)block % (2 * alignment));
    return block == NULL ? NULL : block + (past > alignment ? 3 : 1) * alignment - past;
}

static size_t alignment_of(const oribi_desk *desk, int32_t index)
{
    return (size_t)oribi_device_alignment(&desk->model->devices,
                                          desk->model->calls[index].device - 1);
}

/* Memory that a call asks for beside its tensors; it stays for later runs. NULL: no memory. */
static void *scratch_of(oribi_desk *desk, int32_t index)
{
    if (desk->scratch[index] == NULL) {
        desk->scratch[index] =
            alloc_aligned(desk, desk->model->calls[index].scratch_bytes, alignment_of(desk, index));
    }
    return desk->scratch[index];
}

/* What the target wrote for the call, where it asked for it to lie. NULL: no memory, or nothing. */
static const void *params_of(oribi_desk *desk, int32_t index)
{
    const oribi_target_code *code = &desk->model->calls[index].region->code;
    if (desk->params[index] == NULL && code->params_bytes > 0) {
        desk->params[index] =
            alloc_aligned(desk, (int64_t)code->params_bytes, code->params_alignment);
        if (desk->params[index] != NULL) {
            memcpy(desk->params[index], code->params, code->params_bytes);
        }
    }
    return desk->params[index];
}

/* What the call reads of host memory lies as its device wants it: the caller's inputs, constants
 * and results of the CPU are copied where they do not. */
static bool align_operands(oribi_desk *desk, int32_t index, TF_Status *status)
{
    const oribi_call *call = &desk->model->calls[index];
    for (int32_t k = 0; k < call->n_inputs && desk->model->devices.places[index] == NULL; k++) {
        TF_Tensor *value, *copy = NULL;
        ORIBI_TRY(oribi__desk_value(desk, call->inputs[k], &value, status));
        if ((uintptr_t)TF_TensorData(value) % alignment_of(desk, index) != 0) {
            desk->values[call->inputs[k]] = NULL;
            const bool is_made = oribi__desk_make_value(desk, call->inputs[k], &copy, status);
            if (is_made) {
                memcpy(TF_TensorData(copy), TF_TensorData(value), TF_TensorByteSize(value));
            }
            TF_DeleteTensor(value);
            ORIBI_TRY(is_made);
        }
    }
    return true;
}

/* Drops the lines of what a call makes: before it, since one that the CPU wrote earlier could be
 * written back over the result; after it, since the CPU could have read one meanwhile. */
static bool invalidate_results(oribi_desk *desk, int32_t index, bool is_before, TF_Status *status)
{
    const oribi_call *call = &desk->model->calls[index];
    const oribi_desk_driver *d = &desk->drivers[call->device - 1];
    for (int32_t k = 0; has_cache(desk, index) && k < call->n_outputs; k++) {
        TF_Tensor *value;
        ORIBI_TRY(oribi__desk_make_value(desk, call->node->outputs[k], &value, status));
        ORIBI_TRY(
            check(desk, TVM_DEVICE_HOOK_CACHE_INVALIDATE, call->device - 1, index,
                  d->invalidate(d->dev, TF_TensorData(value), (uint32_t)TF_TensorByteSize(value)),
                  status));
    }
    if (has_cache(desk, index) && is_before && call->scratch_bytes > 0) {
        void *scratch = scratch_of(desk, index);
        return scratch == NULL
                   ? oribi_fail_memory(status)
                   : check(desk, TVM_DEVICE_HOOK_CACHE_INVALIDATE, call->device - 1, index,
                           d->invalidate(d->dev, scratch, (uint32_t)call->scratch_bytes), status);
    }
    return true;
}

/* --- Operators -------------------------------------------------------------------------------- */

/* Tensors of the call: in host memory, or at an offset of the device's. */
static bool set_tensors(oribi_desk *desk, int32_t index, struct tvm_device_tensor *tensors,
                        TF_Status *status)
{
    const oribi_call *call = &desk->model->calls[index];
    const oribi_device_place *places = desk->model->devices.places[index];
    const int32_t n = call->n_inputs + call->n_outputs;
    for (int32_t i = 0; i < n; i++) {
        const bool is_input = i < call->n_inputs;
        const oribi_value_id id =
            is_input ? call->inputs[i] : call->node->outputs[i - call->n_inputs];
        TF_Tensor *value = NULL;
        if (places == NULL) {
            ORIBI_TRY(is_input ? oribi__desk_value(desk, id, &value, status)
                               : oribi__desk_make_value(desk, id, &value, status));
        }
        tensors[i].data = value != NULL ? TF_TensorData(value) : NULL;
        tensors[i].device_offset = places != NULL ? (uint32_t)places[i].offset : 0u;
        tensors[i].bytes = (uint32_t)oribi_lower_bytes(desk->model->graph->values[id]);
    }
    if (call->scratch_bytes > 0) {
        tensors[n].device_offset = places != NULL ? (uint32_t)places[n].offset : 0u;
        tensors[n].bytes = (uint32_t)call->scratch_bytes;
        tensors[n].data = places != NULL ? NULL : scratch_of(desk, index);
        return places != NULL || tensors[n].data != NULL || oribi_fail_memory(status);
    }
    return true;
}

/* The addresses under which the device sees host memory. */
static bool set_addresses(oribi_desk *desk, int32_t index, struct tvm_device_tensor *tensors,
                          int32_t n, TF_Status *status)
{
    const int32_t device = desk->model->calls[index].device - 1;
    const oribi_desk_driver *d = &desk->drivers[device];
    if (target_of(desk, device)->has_address == 0 || desk->model->devices.places[index] != NULL) {
        return true;
    }
    for (int32_t i = 0; i < n; i++) {
        ORIBI_TRY(check(desk, TVM_DEVICE_HOOK_ADDRESS, device, index,
                        d->address(d->dev, &tensors[i]), status));
    }
    return true;
}

bool oribi__desk_device_call(oribi_desk *desk, int32_t index, bool is_started, TF_Status *status)
{
    const oribi_call *call = &desk->model->calls[index];
    const oribi_target_code *code = &call->region->code;
    const int32_t device = call->device - 1, n = oribi_device_tensors(call);
    const oribi_desk_driver *d = &desk->drivers[device];
    struct tvm_device_call *made = &desk->device_calls[index];
    struct tvm_device_tensor *tensors =
        made->tensors != NULL ? (struct tvm_device_tensor *)made->tensors
                              : oribi_arena_array(&desk->arena, (size_t)n + 1, sizeof *tensors);
    if (tensors == NULL) {
        return oribi_fail_memory(status);
    }
    const void *params = params_of(desk, index);
    ORIBI_TRY(params != NULL || code->params_bytes == 0 || oribi_fail_memory(status));
    ORIBI_TRY(align_operands(desk, index, status) && clean_operands(desk, index, status) &&
              invalidate_results(desk, index, true, status) &&
              set_tensors(desk, index, tensors, status) &&
              set_addresses(desk, index, tensors, n, status));
    *made = (struct tvm_device_call){
        .op = code->op,
        .n_inputs = call->n_inputs,
        .n_outputs = n - call->n_inputs,
        .tensors = tensors,
        .params = params,
        .params_bytes = (uint32_t)code->params_bytes,
    };
    desk->started |= is_started ? 1u << device : 0u;
    const int32_t ended = (is_started ? d->start : d->invoke)(d->dev, made);
    ORIBI_TRY(check(desk, is_started ? TVM_DEVICE_HOOK_START : TVM_DEVICE_HOOK_INVOKE, device,
                    index, ended, status));
    return is_started || invalidate_results(desk, index, false, status);
}
