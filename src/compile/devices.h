/* SPDX-License-Identifier: Apache-2.0 */
/* Devices of a compilation: which calls they run (devices.c), when hooks and copies happen
 * (device_steps.c), what is emitted for them (emit_device*.c). A compilation without devices has
 * n_devices 0 and nothing of this in its output. Read next: schedule.h, ../target/target.h.
 */
#ifndef ORIBI_COMPILE_DEVICES_H_
#define ORIBI_COMPILE_DEVICES_H_

#include "compile/lower.h"
#include "compile/schedule.h"
#include "target/target.h"

/* One member of the devices struct, in the spellings that C needs. */
typedef struct oribi_device_names {
    const char *member; /* "npu1" */
    const char *macro;  /* "NPU1" */
    const char *kind;   /* "ethos_u": tvm_device_ethos_u_t */
    const char *upper;  /* "ETHOS_U": TVM_DEVICE_ETHOS_U_HEADER */
    const char *camel;  /* "EthosU": TVMDeviceEthosUOpen */
    const char *header; /* "tvm/device/ethos_u/zephyr.h"; NULL: the application says */
} oribi_device_names;

typedef enum oribi_step_kind {
    ORIBI_STEP_EVENT,     /* of the schedule */
    ORIBI_STEP_COPY_TO,   /* a value into the device's memory */
    ORIBI_STEP_COPY_FROM, /* out of it */
    ORIBI_STEP_COPY_PEER  /* out of `device` into `peer` */
} oribi_step_kind;

/* What happens, in order. */
typedef struct oribi_step {
    oribi_step_kind kind;
    oribi_event event; /* of copies: device, and the call that they belong to */
    bool is_started;   /* of copies: a Wait comes later */
    oribi_value_id value;
    int32_t peer;
    int64_t offset, peer_offset, bytes;
} oribi_step;

/* A tensor of a call on a device with a memory of its own. */
typedef struct oribi_device_place {
    oribi_value_id value;
    int64_t offset;
} oribi_device_place;

typedef struct oribi_devices {
    oribi_partition partition;
    oribi_device_names names[ORIBI_DEVICES_MAX];
    int32_t host; /* the member that no operator runs on, or -1 */
    /* Of the present order of the calls: device_steps.c. */
    oribi_arena arena;
    oribi_schedule schedule;
    oribi_step *steps;
    int32_t n_steps;
    oribi_device_place **places;      /* by call: of its inputs, then outputs; NULL: host memory */
    bool *is_inside;                  /* by value: it never leaves a device's memory */
    int32_t *slot, *first_tensor;     /* by call: where in the cursor its descriptor lies */
    int32_t most_calls, most_tensors; /* of the cursor */
    int32_t *done;                    /* by call: the first call before which it has ended */
    int64_t memory_bytes[ORIBI_DEVICES_MAX]; /* of the device's own memory */
    /* Pools that a device sees, a bit for each, and those that the CPU does not see. All and none,
     * unless --pool says otherwise. */
    uint32_t pools[ORIBI_DEVICES_MAX], hidden_pools;
    uint32_t
        named_by_pools; /* a bit for each device: it sees its pools, and nothing of the caller's */
    /* By call: of its inputs, where the CPU copies them first because the device does not see where
     * they are; bytes 0: it does. NULL: none. memory.c. */
    struct oribi_location **staged;
} oribi_devices;

struct oribi_compile;

/* Tensors of a call's descriptor. */
static inline int32_t oribi_device_tensors(const oribi_call *call)
{
    return call->n_inputs + call->n_outputs + (call->scratch_bytes > 0 ? 1 : 0);
}

/* Adds the devices that the options ask for, and partitions the graph. */
bool oribi_compile_add_devices(struct oribi_compile *compile, TF_Status *status);
/* Makes the steps for the calls in their present order. RESOURCE_EXHAUSTED when a device's memory
 * is too small. */
bool oribi_compile_make_steps(struct oribi_compile *compile, TF_Status *status);
/* Estimated microseconds of a call: at --cpu-mhz, or what the target says of a device's. */
int64_t oribi_compile_estimate_us(const struct oribi_compile *compile, const oribi_call *call);
int64_t oribi_compile_mhz(const struct oribi_compile *compile);
void oribi_compile_destroy_devices(oribi_devices *devices);

/* Bytes of a cache line of the device: what it touches in the host's memory has its lines alone. */
int32_t oribi_device_line(const oribi_devices *devices, int32_t device);
/* Alignment of what it touches in the host's memory. */
int32_t oribi_device_alignment(const oribi_devices *devices, int32_t device);
/* Has the CPU no line of the value, before call `index`, that memory lacks? So it is with what a
 * device behind the same cache has written, perhaps is still about to write. */
bool oribi_device_is_clean(const struct oribi_compile *compile, int32_t index,
                           oribi_value_id value);
/* Does the device work in the host's memory, but only in some pools, or in lines of its own? */
bool oribi_device_is_bound(const struct oribi_compile *compile, int32_t device);

/* Has the device memory that the host does not see? */
static inline bool oribi_device_has_memory(const oribi_devices *devices, int32_t device)
{
    return devices->partition.devices[device].target->memory_bytes > 0;
}

#endif
