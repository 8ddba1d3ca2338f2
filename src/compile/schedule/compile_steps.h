/* SPDX-License-Identifier: Apache-2.0 */
/* When things happen: the order of the calls, and all that a run with devices does as one list of
 * steps. What is emitted, what the desk runs and the timeline of the reports walk that list and
 * decide nothing. Read next: schedule.h, device_spans.c, compile_steps.c, compile_choose.c.
 */
#ifndef ORIBI_COMPILE_SCHEDULE_COMPILE_STEPS_H_
#define ORIBI_COMPILE_SCHEDULE_COMPILE_STEPS_H_

#include "compile/plan/program.h"
#include "tvm/runtime/device.h"

/* What a step is: a hook of a device, which the contract numbers (TVM_DEVICE_HOOK_...), or one of
 * these, which the CPU does by itself. */
enum oribi_step_kind {
    ORIBI_STEP_KERNEL = 32, /* computes the call */
    ORIBI_STEP_STAGE,       /* copies an input to where the device sees it */
    ORIBI_STEP_TENSOR,      /* describes a tensor of the call, */
    ORIBI_STEP_DESCRIBE     /* and what else the device is to know of it */
};

/* What a run has begun and must end: a bit a device of each. */
typedef enum oribi_mark {
    ORIBI_MARK_NONE,
    ORIBI_MARK_ACTIVE,
    ORIBI_MARK_OPEN,
    ORIBI_MARK_STARTED,
    ORIBI_MARKS
} oribi_mark;

typedef struct oribi_step {
    int32_t kind;
    int32_t device; /* -1: the CPU's */
    int32_t call;   /* that it belongs to; of what begins or ends something the call before which it
                       stands, n_calls at the end */
    int32_t
        owner; /* the operator that it is a part of, and a failure is told of: its call, or -1 */
    oribi_mark mark; /* that it sets or clears for the device, */
    bool sets;
    bool is_early;   /* before it is known how the hook went */
    bool is_started; /* of copies: a Wait comes later */
    /* What a step of copies, the cache or tensors is about. */
    int32_t tensor;              /* of the call: inputs, outputs, scratch */
    oribi_value_id value;        /* -1: scratch */
    const oribi_location *place; /* in the host's memory; NULL: that of the value */
    int64_t offset, bytes;       /* in the device's memory; -1: it is not there */
    int32_t peer;                /* of a copy from device to device, where it goes */
    int64_t peer_offset;
} oribi_step;

static inline bool oribi_step_is_copy(const oribi_step *step)
{
    return step->kind >= TVM_DEVICE_HOOK_COPY_TO && step->kind <= TVM_DEVICE_HOOK_COPY_PEER;
}

/* device_spans.c: when devices work and what lies in their memories, for the calls in their present
 * order. RESOURCE_EXHAUSTED when a device's memory is too small. */
bool oribi_program_schedule(oribi_program *program, TF_Status *status);
/* compile_steps.c: once all is planned, the steps of a run and those that end one that failed: of
 * the latter each is done if its mark is set. */
bool oribi_program_make_steps(oribi_program *program, TF_Status *status);
/* Estimated microseconds of a call: at --cpu-mhz, or what the target says of a device's. */
int64_t oribi_program_estimate_us(const oribi_program *program, const oribi_call *call);
/* The same as cycles of the CPU. */
int64_t oribi_program_estimate_cycles(const oribi_program *program, const oribi_call *call);
int64_t oribi_program_mhz(const oribi_program *program);
/* assign_instances.c: puts all operators on the first device of their kind, or on as few as have
 * the memory for them; */
bool oribi_program_gather(oribi_program *program, TF_Status *status);
/* and, once all is planned so, on more of them where that costs neither time nor copies. */
bool oribi_program_spread(oribi_program *program, TF_Status *status);
/* compile_choose.c: makes the calls and their order such that they need little memory, and plans.
 */
bool oribi_program_choose(oribi_program *program, oribi_lowering *lowering, TF_Status *status);
/* compile_order.c: an order of the calls with a lower peak than the present one, if it finds one.
 */
bool oribi_program_order(const oribi_program *program, int32_t *out_order, bool *out_is_other,
                         TF_Status *status);

#endif
