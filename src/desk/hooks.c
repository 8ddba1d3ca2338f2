/* SPDX-License-Identifier: Apache-2.0 */
/* The hooks of a run with drivers, and unwinding: in the order and with the bookkeeping of
 * generated code (../compile/emit/emit_device_steps.c, emit_device_hooks.c).
 */
#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "desk/desk_run.h"
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
        {TVM_DEVICE_E_CONTRACT, "built for another contract"},
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
static bool check(const oribi_desk *desk, const oribi_step *step, int32_t code, TF_Status *status)
{
    const oribi_device_instance *d = &desk->program->devices.partition.devices[step->device];
    return code == 0 ||
           oribi_fail(status, status_of(code),
                      "device '%s' (%s): %s failed at operator '%s' with code %" PRId32 ", %s",
                      d->name, d->target->name, tvm_device_hook_name(step->kind),
                      step->owner < 0 ? "" : desk->program->calls[step->owner].node->name, code,
                      code_text(code));
}

/* --- Marks ------------------------------------------------------------------------------------ */

static void mark(oribi_desk *desk, const oribi_step *step, bool is_early)
{
    const uint32_t bit = 1u << step->device;
    if (step->mark != ORIBI_MARK_NONE && step->is_early == is_early) {
        uint32_t *bits = &desk->marks[step->mark];
        *bits = step->sets ? *bits | bit : *bits & ~bit;
    }
}

static int32_t plain_hook(const oribi_desk_driver *d, int32_t hook)
{
    return d->hooks[hook](d->dev);
}

void oribi__desk_unwind(oribi_desk *desk, TF_Status *status)
{
    const oribi_devices *d = &desk->program->devices;
    int failures = 0;
    for (int32_t i = 0; i < d->n_unwinding; i++) {
        const oribi_step *step = &d->unwinding[i];
        const oribi_desk_driver *driver = &desk->drivers[step->device];
        const bool is_begun = (desk->marks[step->mark] >> step->device & 1) != 0;
        const bool has_failed = is_begun && plain_hook(driver, step->kind) != 0;
        failures += has_failed ? 1 : 0;
        if (has_failed && step->kind == TVM_DEVICE_HOOK_CANCEL) { /* then it is waited for */
            failures += plain_hook(driver, TVM_DEVICE_HOOK_WAIT) != 0 ? 1 : 0;
        }
    }
    memset(desk->marks, 0, sizeof desk->marks);
    if (failures > 0) {
        oribi_status_prefix(status, "(%d more %s failed while the run was unwound) ", failures,
                            failures == 1 ? "hook" : "hooks");
    }
}

/* --- Places ----------------------------------------------------------------------------------- */

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
    return (size_t)oribi_device_alignment(&desk->program->devices,
                                          desk->program->calls[index].device - 1);
}

static const oribi_target_scratch *shared_of(const oribi_desk *desk, int32_t index)
{
    return desk->program->calls[index].region != NULL
               ? desk->program->calls[index].region->code.shared
               : NULL;
}

/* The first call with the same scratch, and how much all of them need. */
static int32_t owner_of(const oribi_desk *desk, int32_t index, int64_t *out_bytes)
{
    const oribi_call *calls = desk->program->calls;
    const oribi_target_scratch *shared = shared_of(desk, index);
    int32_t owner = index;
    *out_bytes = calls[index].scratch_bytes;
    for (int32_t i = desk->program->n_calls - 1; i >= 0 && shared != NULL; i--) {
        const oribi_target_scratch *other = shared_of(desk, i);
        if (other != NULL && other->memory == shared->memory) {
            owner = i;
            *out_bytes = calls[i].scratch_bytes > *out_bytes ? calls[i].scratch_bytes : *out_bytes;
        }
    }
    return owner;
}

/* Memory that a call asks for beside its tensors; it stays for later runs. NULL: no memory. */
static uint8_t *scratch_of(oribi_desk *desk, int32_t index)
{
    int64_t bytes;
    const int32_t owner = owner_of(desk, index, &bytes);
    if (desk->scratch[owner] == NULL) {
        desk->scratch[owner] = alloc_aligned(desk, bytes, alignment_of(desk, index));
    }
    return desk->scratch[owner];
}

uint8_t *oribi__desk_shared_place(oribi_desk *desk, int32_t index, int32_t tensor)
{
    const oribi_target_scratch *shared = shared_of(desk, index);
    uint8_t *scratch =
        shared != NULL && shared->places[tensor] >= 0 ? scratch_of(desk, index) : NULL;
    return scratch != NULL ? scratch + shared->places[tensor] : NULL;
}

/* Returns the params that the target wrote for the call, aligned as it asked. NULL: no memory, or
 * none. */
static const void *params_of(oribi_desk *desk, int32_t index)
{
    const oribi_target_code *code = &desk->program->calls[index].region->code;
    if (desk->params[index] == NULL && code->params_bytes > 0) {
        desk->params[index] =
            alloc_aligned(desk, (int64_t)code->params_bytes, code->params_alignment);
        if (desk->params[index] != NULL) {
            memcpy(desk->params[index], code->params, code->params_bytes);
        }
    }
    return desk->params[index];
}

/* Copies a value that does not lie as the device wants it: the caller's inputs, constants and
 * results of the CPU. What it was copied from stays until the run ends, because another device that
 * was started may still read it; the copy suits all devices, so that there is one for each value.
 */
static bool align_value(oribi_desk *desk, const oribi_step *step, TF_Tensor **value,
                        TF_Status *status)
{
    if ((uintptr_t)TF_TensorData(*value) % alignment_of(desk, step->call) == 0) {
        return true;
    }
    TF_Tensor *given = *value;
    desk->values[step->value] = NULL;
    const bool is_made = oribi__desk_make_value(desk, step->value, value, status);
    if (is_made) {
        memcpy(TF_TensorData(*value), TF_TensorData(given), TF_TensorByteSize(given));
    }
    desk->outgrown[step->value] = given;
    return is_made;
}

/* Where a tensor of a call is in the host's memory. Every value is where each device sees it, so
 * what is staged on a board is not copied here. */
static bool place_of(oribi_desk *desk, const oribi_step *step, void **out, TF_Status *status)
{
    TF_Tensor *value;
    if (step->value < 0) {
        *out = scratch_of(desk, step->call);
        return *out != NULL || oribi_fail_memory(status);
    }
    uint8_t *fixed = oribi__desk_shared_place(desk, step->call, step->tensor);
    const bool is_input = step->tensor < desk->program->calls[step->call].n_inputs;
    if (fixed != NULL) {
        *out = fixed;
        ORIBI_TRY(!is_input || oribi__desk_value(desk, step->value, &value, status));
        if (is_input) {
            memcpy(fixed, TF_TensorData(value), TF_TensorByteSize(value));
        }
        return true;
    }
    if (is_input) {
        ORIBI_TRY(oribi__desk_value(desk, step->value, &value, status) &&
                  align_value(desk, step, &value, status));
    } else {
        ORIBI_TRY(oribi__desk_make_value(desk, step->value, &value, status));
    }
    *out = TF_TensorData(value);
    return true;
}

/* --- Descriptors ------------------------------------------------------------------------------ */

/* Returns the tensors of a call, made once for all runs. NULL: no memory. */
static struct tvm_device_tensor *tensors_of(oribi_desk *desk, int32_t index)
{
    const size_t n = (size_t)oribi_device_tensors(&desk->program->calls[index]);
    if (desk->tensors[index] == NULL) {
        desk->tensors[index] = oribi_arena_array(&desk->arena, n + 1, sizeof **desk->tensors);
    }
    return desk->tensors[index];
}

static bool set_tensor(oribi_desk *desk, const oribi_step *step, TF_Status *status)
{
    struct tvm_device_tensor *tensors = tensors_of(desk, step->call);
    void *data = NULL;
    ORIBI_TRY(tensors != NULL || oribi_fail_memory(status));
    ORIBI_TRY(step->offset >= 0 || place_of(desk, step, &data, status));
    tensors[step->tensor].data = data;
    tensors[step->tensor].device_offset = step->offset >= 0 ? (uint32_t)step->offset : 0u;
    tensors[step->tensor].bytes = (uint32_t)step->bytes;
    return true;
}

static bool describe(oribi_desk *desk, const oribi_step *step, TF_Status *status)
{
    const oribi_call *call = &desk->program->calls[step->call];
    const oribi_target_code *code = &call->region->code;
    const void *params = params_of(desk, step->call);
    if (params == NULL && code->params_bytes > 0) {
        return oribi_fail_memory(status);
    }
    desk->device_calls[step->call] = (struct tvm_device_call){
        .op = code->op,
        .n_inputs = call->n_inputs,
        .n_outputs = oribi_device_tensors(call) - call->n_inputs,
        .tensors = desk->tensors[step->call],
        .params = params,
        .params_bytes = (uint32_t)code->params_bytes,
        .struct_size = (uint32_t)sizeof(struct tvm_device_call),
        .params_id = {call->params_id[0], call->params_id[1]},
    };
    return true;
}

/* --- Hooks ------------------------------------------------------------------------------------ */

static bool copy(oribi_desk *desk, const oribi_step *step, int32_t *code, TF_Status *status)
{
    const oribi_desk_driver *d = &desk->drivers[step->device];
    const uint32_t offset = (uint32_t)step->offset, bytes = (uint32_t)step->bytes;
    const bool is_started = step->mark == ORIBI_MARK_STARTED;
    TF_Tensor *value;
    if (step->kind == TVM_DEVICE_HOOK_COPY_PEER) {
        *code = d->copy_peer(d->dev, offset, desk->drivers[step->peer].dev,
                             (uint32_t)step->peer_offset, bytes);
    } else if (step->kind == TVM_DEVICE_HOOK_COPY_TO) {
        ORIBI_TRY(oribi__desk_value(desk, step->value, &value, status));
        *code = (is_started ? d->copy_to_start : d->copy_to)(TF_TensorData(value), d->dev, offset,
                                                             bytes);
    } else {
        ORIBI_TRY(oribi__desk_make_value(desk, step->value, &value, status));
        *code = (is_started ? d->copy_from_start : d->copy_from)(d->dev, offset,
                                                                 TF_TensorData(value), bytes);
    }
    return true;
}

static bool cache(oribi_desk *desk, const oribi_step *step, int32_t *code, TF_Status *status)
{
    const oribi_desk_driver *d = &desk->drivers[step->device];
    void *data;
    ORIBI_TRY(place_of(desk, step, &data, status));
    *code = step->kind == TVM_DEVICE_HOOK_CACHE_CLEAN
                ? d->clean(d->dev, data, (uint32_t)step->bytes)
                : d->invalidate(d->dev, data, (uint32_t)step->bytes);
    return true;
}

/* The addresses under which the device sees the tensors of the call. */
static int32_t addresses(oribi_desk *desk, const oribi_step *step)
{
    const oribi_desk_driver *d = &desk->drivers[step->device];
    const int32_t n = oribi_device_tensors(&desk->program->calls[step->call]);
    int32_t code = 0;
    for (int32_t i = 0; i < n && code == 0; i++) {
        code = d->address(d->dev, &desk->tensors[step->call][i]);
    }
    return code;
}

/* False: it was not called. */
static bool call_hook(oribi_desk *desk, const oribi_step *step, int32_t *code, TF_Status *status)
{
    const oribi_desk_driver *d = &desk->drivers[step->device];
    switch (step->kind) {
    case TVM_DEVICE_HOOK_COPY_TO:
    case TVM_DEVICE_HOOK_COPY_FROM:
    case TVM_DEVICE_HOOK_COPY_PEER:
        return copy(desk, step, code, status);
    case TVM_DEVICE_HOOK_CACHE_CLEAN:
    case TVM_DEVICE_HOOK_CACHE_INVALIDATE:
        return cache(desk, step, code, status);
    case TVM_DEVICE_HOOK_ADDRESS:
        *code = addresses(desk, step);
        return true;
    case TVM_DEVICE_HOOK_INVOKE:
        *code = d->invoke(d->dev, &desk->device_calls[step->call]);
        return true;
    case TVM_DEVICE_HOOK_LOAD:
        *code = d->load(d->dev, &desk->device_calls[step->call]);
        return true;
    case TVM_DEVICE_HOOK_START:
        *code = d->start(d->dev, &desk->device_calls[step->call]);
        return true;
    default:
        *code = plain_hook(d, step->kind);
        return true;
    }
}

bool oribi__desk_step(oribi_desk *desk, const oribi_step *step, TF_Status *status)
{
    int32_t code = 0;
    switch (step->kind) {
    case ORIBI_STEP_STAGE:
        return true;
    case ORIBI_STEP_TENSOR:
        return set_tensor(desk, step, status);
    case ORIBI_STEP_DESCRIBE:
        return describe(desk, step, status);
    default:
        mark(desk, step, true);
        ORIBI_TRY(call_hook(desk, step, &code, status) && check(desk, step, code, status));
        mark(desk, step, false);
        return true;
    }
}
