/* SPDX-License-Identifier: Apache-2.0 */
/* Planning: what C calls the parts of a program, and where they lie. It takes as given when calls
 * have ended (oribi_devices.done), which ../schedule finds out before each plan that it tries.
 */
#ifndef ORIBI_COMPILE_PLAN_PLANNING_H_
#define ORIBI_COMPILE_PLAN_PLANNING_H_

#include "compile/common/c_names.h"
#include "compile/plan/program.h"

/* Adds the devices that the options ask for, and partitions the graph. */
bool oribi_program_add_devices(oribi_program *program, TF_Status *status);
void oribi_devices_destroy(oribi_devices *devices);

/* Bytes of a cache line of the device: what it touches in the host's memory has its lines alone. */
int32_t oribi_device_line(const oribi_devices *devices, int32_t device);
/* Alignment of what it touches in the host's memory. */
int32_t oribi_device_alignment(const oribi_devices *devices, int32_t device);
/* Does the device work in the host's memory, but only in some pools, or in lines of its own? */
bool oribi_device_is_bound(const oribi_program *program, int32_t device);

/* Has it a member of the devices struct, and hooks? */
static inline bool oribi_device_has_hooks(const oribi_devices *devices, int32_t device)
{
    return devices->partition.devices[device].target->device_api != 0;
}
/* Has the device memory that the host does not see? */
static inline bool oribi_device_has_memory(const oribi_devices *devices, int32_t device)
{
    return devices->partition.devices[device].target->memory_bytes > 0;
}
/* Tensors of a call's descriptor. */
static inline int32_t oribi_device_tensors(const oribi_call *call)
{
    return call->n_inputs + call->n_outputs + (call->scratch_bytes > 0 ? 1 : 0);
}

/* pools.c: the pools that the options ask for; one, "workspace", without. */
bool oribi_program_pools(oribi_program *program, TF_Status *status);
uint32_t oribi_program_all_pools(const oribi_program *program); /* a bit for each */
uint32_t oribi_program_cpu_pools(const oribi_program *program); /* those that the CPU sees */
/* The alignment that each pool needs: of what lies in it. */
int32_t oribi_program_pool_alignment(const oribi_program *program);
/* loops.c: finds the loops among the calls, whose order stays as it is from then on. */
bool oribi_program_find_loops(oribi_program *program, TF_Status *status);
/* The first call of the outermost loop that the call stands in, or the call itself. */
int32_t oribi_program_block(const oribi_program *program, int32_t call);
/* The loop whose iterations this call ends; NULL: none. */
const oribi_loop *oribi_program_loop_of(const oribi_program *program, int32_t next);
/* compile_budget.c: what --max-ram counts, as planned; RESOURCE_EXHAUSTED with what is largest. */
int64_t oribi_program_ram(const oribi_program *program);
bool oribi_program_check_budget(const oribi_program *program, TF_Status *status);
bool oribi_compile_check_budgets(const oribi_compile *all, TF_Status *status); /* of all models */
/* compile_memory.c: places values and scratch; sets locations, copies, bounds and workspace_bytes.
 * effort is the planner's. */
bool oribi_program_plan(oribi_program *program, int64_t effort, TF_Status *status);

/* compile_constants.c: places the constants that calls and copies read; sets their locations. */
bool oribi_program_place_constants(oribi_program *program, TF_Status *status);

/* ports.c: names, sizes and quantisation of inputs, outputs and state. */
bool oribi_program_ports(oribi_program *program, TF_Status *status);
/* "int8 [1,8,8,1]" */
void oribi_program_print_type(const oribi_program *program, oribi_text *text, oribi_value_id value);
/* Once everything is placed: has each output a place of its own kind? */
bool oribi_program_check_outputs(const oribi_program *program, TF_Status *status);
/* state.c: takes what is state out of the inputs and outputs of a compilation that has just made
 * them; afterwards, once everything is placed, puts states into an order in which they can be
 * overwritten one after the other. */
bool oribi_program_take_states(oribi_program *program, TF_Status *status);
bool oribi_program_order_states(oribi_program *program, TF_Status *status);
/* compile_weights.c: lists all constants; sets arrays and image_bytes. */
bool oribi_program_list_arrays(oribi_program *program, TF_Status *status);
enum { ORIBI_WEIGHTS_ALIGNMENT = 4, ORIBI_WEIGHTS_HEAD = 32 };
/* Padded to its alignment before it and to ORIBI_WEIGHTS_ALIGNMENT behind it; little-endian. */
void oribi_weights_append(oribi_text *text, const oribi_placed *placed);
int32_t oribi_weights_alignment(const oribi_placed *placed);
int32_t oribi_weights_most_alignment(const oribi_program *program); /* of the image */
/* The image: a head of 32 bytes ("ORIBIW01", the bytes that follow it as 64 bits, the first half of
 * their SHA-256), then the arrays; little-endian. */
bool oribi_weights_image(const oribi_program *program, oribi_text *text);

/* The bytes of a state before the first run. */
void oribi_state_first(const oribi_state *state, void *bytes);

/* Bytes that a call places in flash: its arrays and its arguments. */
int64_t oribi_call_flash(const oribi_call *call);

#endif
