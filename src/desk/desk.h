/* SPDX-License-Identifier: Apache-2.0 */
/* Desk inside: parts of a graph as sessions (part.c), drivers (desk_driver.c), runs (desk_run.c).
 * Read next: include/oribi/desk.h, ../compile/schedule/compile_steps.h.
 */
#ifndef ORIBI_DESK_DESK_INTERNAL_H_
#define ORIBI_DESK_DESK_INTERNAL_H_

#include "base/dynlib.h"
#include "compile/plan/planning.h"
#include "compile/schedule/compile_steps.h"
#include "oribi/desk.h"
#include "tvm/runtime/device.h"

/* Some nodes of a graph as a model of its own. */
typedef struct oribi_desk_part {
    oribi_session *session; /* NULL: not made yet */
    oribi_run *run;
    oribi_value_id *outer; /* what it reads from outside, in order, constants apart */
    int32_t *input;        /* by those: of the session; what is read twice is one input */
    int32_t n_outer, n_outputs;
} oribi_desk_part;

/* Makes it for the first use, of the nodes and outputs of the region. Without `inputs` there, nodes
 * read what they say themselves. */
bool oribi__desk_part_make(oribi_desk_part *part, const oribi_program *program, oribi_arena *arena,
                           const oribi_region *region, TF_Status *status);
/* inputs as `outer`, borrowed; outputs are the caller's to delete, none on failure. */
bool oribi__desk_part_run(oribi_desk_part *part, TF_Tensor *const *inputs, TF_Tensor **outputs,
                          TF_Status *status);
void oribi__desk_part_destroy(oribi_desk_part *part);

/* The hooks of a device, by the forms of their parameters; NULL: the target does not ask for it. */
typedef int32_t oribi_desk_hook(void *dev);
typedef int32_t oribi_desk_call_hook(void *dev, const struct tvm_device_call *call);
typedef int32_t oribi_desk_load_hook(void *dev, struct tvm_device_call *call);
typedef int32_t oribi_desk_to_hook(const void *source, void *dev, uint32_t offset, uint32_t bytes);
typedef int32_t oribi_desk_from_hook(void *dev, uint32_t offset, void *destination, uint32_t bytes);
typedef int32_t oribi_desk_peer_hook(void *from, uint32_t from_offset, void *to, uint32_t to_offset,
                                     uint32_t bytes);
typedef int32_t oribi_desk_clean_hook(void *dev, const void *data, uint32_t bytes);
typedef int32_t oribi_desk_invalidate_hook(void *dev, void *data, uint32_t bytes);
typedef int32_t oribi_desk_address_hook(void *dev, struct tvm_device_tensor *tensor);

typedef struct oribi_desk_driver {
    oribi_dynlib *library; /* NULL: none is loaded */
    void *dev;
    /* By number, those that want nothing but the device: Activate, Open, Wait, ... */
    oribi_desk_hook *hooks[TVM_DEVICE_HOOK_DEACTIVATE + 1];
    oribi_desk_hook *destroy;
    oribi_desk_call_hook *invoke, *start;
    oribi_desk_load_hook *load;
    oribi_desk_to_hook *copy_to, *copy_to_start;
    oribi_desk_from_hook *copy_from, *copy_from_start;
    oribi_desk_peer_hook *copy_peer;
    oribi_desk_clean_hook *clean;
    oribi_desk_invalidate_hook *invalidate;
    oribi_desk_address_hook *address;
} oribi_desk_driver;

void oribi__desk_driver_close(oribi_desk_driver *driver);

struct oribi_desk {
    oribi_arena arena;
    const oribi_program *program; /* of the compilation, which outlives the desk */
    oribi_desk_driver drivers[ORIBI_DEVICES_MAX];
    oribi_desk_part *regions, *calls; /* by index */
    int32_t *producer;                /* by value: the call that makes it, or -1 */
    TF_Tensor **states, **next;       /* as the last run left them, as this one does */
    /* The following belong to the run under way. */
    TF_Tensor **values;                   /* by value */
    TF_Tensor **outgrown;                 /* by value: what a copy of better alignment replaced */
    void **scratch, **params;             /* by call */
    struct tvm_device_call *device_calls; /* by call */
    struct tvm_device_tensor **tensors;   /* by call */
    uint32_t marks[ORIBI_MARKS];          /* a bit each device */
};

#endif
