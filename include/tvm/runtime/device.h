/* SPDX-License-Identifier: Apache-2.0 */
/* The device contract: what generated code and the drivers of accelerators share. The functions
 * themselves are per device kind, tvm/device/<kind>.h; the struct of a device and its Init are per
 * platform, tvm/device/<kind>/<platform>.h. C99; no enum in a struct or prototype, so that every
 * compiler lays it out alike. How the functions are called: docs/reference/device-hooks.md.
 *
 * Drivers, generated code and this header may be of different ages. Structs grow at their ends, and
 * a driver says for which contract it was written: TVM_DEVICE_DRIVER below.
 */
#ifndef TVM_RUNTIME_DEVICE_H_
#define TVM_RUNTIME_DEVICE_H_

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* --- Version ---------------------------------------------------------------------------------- */

/* Of this contract: major * 100 + minor. 1.4 brought Load, and a version at all. */
#define TVM_DEVICE_CONTRACT 104

/* --- Codes ------------------------------------------------------------------------------------ */

/* Every hook returns int32_t, 0 is success. What a driver returns comes back from
 * tvmgen_<model>_run as it is; these codes are the contract's own, for drivers too. */
#define TVM_DEVICE_OK            0
#define TVM_DEVICE_E_NULL        (-32001) /* no devices, or a member that is NULL; no hook ran */
#define TVM_DEVICE_E_TIMEOUT     (-32002) /* the device did not answer in time */
#define TVM_DEVICE_E_IO          (-32003) /* the way to the device is broken or garbled */
#define TVM_DEVICE_E_CANCELLED   (-32004) /* started work was cancelled */
#define TVM_DEVICE_E_UNSUPPORTED (-32005) /* an operator, type or size that the device lacks */
#define TVM_DEVICE_E_RANGE       (-32006) /* an offset outside the device's memory */
#define TVM_DEVICE_E_STATE       (-32007) /* a hook out of order: Invoke without Open */
#define TVM_DEVICE_E_BUSY        (-32008) /* held by somebody else, and waiting is not allowed */
#define TVM_DEVICE_E_CONTRACT                                                                      \
    (-32009) /* the driver was built for another contract; no hook ran                             \
              */

/* --- Where a run failed ----------------------------------------------------------------------- */

#define TVM_DEVICE_HOOK_NONE             0 /* the failure was no hook's: a NULL member, an operator */
#define TVM_DEVICE_HOOK_ACTIVATE         1
#define TVM_DEVICE_HOOK_OPEN             2
#define TVM_DEVICE_HOOK_INVOKE           3
#define TVM_DEVICE_HOOK_START            4
#define TVM_DEVICE_HOOK_WAIT             5
#define TVM_DEVICE_HOOK_CANCEL           6
#define TVM_DEVICE_HOOK_COPY_TO          7
#define TVM_DEVICE_HOOK_COPY_FROM        8
#define TVM_DEVICE_HOOK_COPY_PEER        9
#define TVM_DEVICE_HOOK_CACHE_CLEAN      10
#define TVM_DEVICE_HOOK_CACHE_INVALIDATE 11
#define TVM_DEVICE_HOOK_ADDRESS          12
#define TVM_DEVICE_HOOK_CLOSE            13
#define TVM_DEVICE_HOOK_DEACTIVATE       14
#define TVM_DEVICE_HOOK_LOAD             15

/* What went wrong first, and how clearing up went. Owned by the caller of tvmgen_<model>_run, which
 * fills it when a run fails; strings are static. */
struct tvm_device_error {
    int32_t code;             /* what run returned */
    int32_t hook;             /* TVM_DEVICE_HOOK_... */
    int32_t device;           /* index in the devices struct; -1: none */
    int32_t operator_index;   /* as in the generated report; -1: none */
    int32_t cleanup_failures; /* hooks that failed while the run was unwound */
    const char *device_kind;  /* "npu"; NULL: none */
    const char *instance;     /* the member of the devices struct; NULL: none */
    const char *operator_name;
};

/* --- Calls ------------------------------------------------------------------------------------ */

/* A tensor of a call: host memory, or bytes of the device's own memory. */
struct tvm_device_tensor {
    void *data;             /* host memory; NULL: at device_offset. Inputs are not written. */
    uint32_t device_offset; /* in the device's memory, when data is NULL */
    uint32_t bytes;
};

/* One operator on a device. All that it points to stays as it is until the call has ended: until
 * Invoke returns, or Wait after Start. */
struct tvm_device_call {
    int32_t op; /* the target's number of the operator */
    int32_t n_inputs, n_outputs;
    const struct tvm_device_tensor *tensors; /* inputs, then outputs */
    const void *params;                      /* what the target's code writer made, in flash */
    uint32_t params_bytes;
    /* Since 1.4. Without Load they are 0. */
    uint32_t struct_size;  /* of this struct, as who calls knows it; 0: he is older */
    uint32_t params_id[2]; /* params of one id have the same bytes, whichever model they are of */
    uint32_t resident;     /* what Load has put here; 0: the params are to be sent with the call */
    uint32_t reserved;
};

/* --- Users of one device ---------------------------------------------------------------------- */

/* Counts who has activated a device, so that one model's Deactivate does not cut another's power.
 * A member of the driver's struct; both functions are called under the driver's lock. */
struct tvm_device_users {
    int32_t count;
};

/* Counts one in. Returns 1 for the first, who switches the device on; when that fails, the driver
 * calls tvm_device_users_leave again. */
static inline int32_t tvm_device_users_enter(struct tvm_device_users *users)
{
    users->count++;
    return users->count == 1;
}

/* Counts one out. Returns 1 for the last, who switches the device off; 0 also when nobody was in.
 */
static inline int32_t tvm_device_users_leave(struct tvm_device_users *users)
{
    if (users->count <= 0) {
        return 0;
    }
    users->count--;
    return users->count == 0;
}

/* --- Constants that stay ---------------------------------------------------------------------- */

/* What a driver's Load needs to know of what lies on its device: which params, and where. A member
 * of the driver's struct; its functions are called between Open and Close, and all is forgotten
 * when the device is switched on: under the lock of the first Activate. */
#define TVM_DEVICE_RESIDENTS 32

struct tvm_device_residents {
    uint32_t n;
    struct {
        uint32_t id[2], place; /* place: the driver's own, not 0 */
    } items[TVM_DEVICE_RESIDENTS];
};

/* The place of a call's params; 0: they are not there. */
static inline uint32_t tvm_device_residents_find(const struct tvm_device_residents *residents,
                                                 const struct tvm_device_call *call)
{
    for (uint32_t i = 0; i < residents->n; i++) {
        if (residents->items[i].id[0] == call->params_id[0] &&
            residents->items[i].id[1] == call->params_id[1]) {
            return residents->items[i].place;
        }
    }
    return 0;
}

/* Notes them. Returns the place; 0: there is no room for one more. */
static inline uint32_t tvm_device_residents_add(struct tvm_device_residents *residents,
                                                const struct tvm_device_call *call, uint32_t place)
{
    if (residents->n == TVM_DEVICE_RESIDENTS) {
        return 0;
    }
    residents->items[residents->n].id[0] = call->params_id[0];
    residents->items[residents->n].id[1] = call->params_id[1];
    residents->items[residents->n].place = place;
    residents->n++;
    return place;
}

/* --- Who meets whom --------------------------------------------------------------------------- */

/* For which contract a driver was compiled, and how large the structs are there. */
struct tvm_device_driver {
    uint32_t struct_size, contract;
    uint32_t call_bytes, tensor_bytes;
};

/* Defines the record of a driver, TVMDevice<X>Driver, at file scope of one of its sources. A target
 * that says `driver_contract` has generated code look at it before any hook; `oribi run --device`
 * always does. */
#define TVM_DEVICE_DRIVER(X)                                                                       \
    extern const struct tvm_device_driver TVMDevice##X##Driver;                                    \
    const struct tvm_device_driver TVMDevice##X##Driver = {                                        \
        (uint32_t)sizeof(struct tvm_device_driver), TVM_DEVICE_CONTRACT,                           \
        (uint32_t)sizeof(struct tvm_device_call), (uint32_t)sizeof(struct tvm_device_tensor)}

/* May who was compiled with this header call the driver? Not one that knows more than he fills in,
 * nor one to which tensors lie otherwise. */
static inline int32_t tvm_device_driver_fits(const struct tvm_device_driver *driver)
{
    return driver->contract / 100u == TVM_DEVICE_CONTRACT / 100u &&
           driver->contract <= TVM_DEVICE_CONTRACT &&
           driver->call_bytes <= sizeof(struct tvm_device_call) &&
           driver->tensor_bytes == sizeof(struct tvm_device_tensor);
}

/* "Open" of TVM_DEVICE_HOOK_OPEN; "" of what is none. */
static inline const char *tvm_device_hook_name(int32_t hook)
{
    static const char *const names[] = {"",         "Activate", "Open",       "Invoke",
                                        "Start",    "Wait",     "Cancel",     "CopyTo",
                                        "CopyFrom", "CopyPeer", "CacheClean", "CacheInvalidate",
                                        "Address",  "Close",    "Deactivate", "Load"};
    return hook > 0 && hook <= TVM_DEVICE_HOOK_LOAD ? names[hook] : "";
}

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* TVM_RUNTIME_DEVICE_H_ */
