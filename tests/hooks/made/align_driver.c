/* SPDX-License-Identifier: Apache-2.0 */
/* The kinds al16, al64, al128 and al4096 of made_targets.c as drivers for the desk: Invoke fails
 * with a code of its own for memory that is not where the target asked for it, and for params and
 * scratch that lie better than that, which no board would do. It computes nothing but zeros.
 */
#include <stdio.h>
#include <string.h>

#include "tvm/runtime/desk.h"
#include "tvm/runtime/device.h"

enum { PARAMS = 101, PARAMS_TOO_GOOD, TENSOR, SCRATCH_TOO_GOOD, CONTENT };

static int is_at(const void *data, uintptr_t alignment)
{
    return data != NULL && (uintptr_t)data % alignment == 0;
}

static int32_t invoke(const struct tvm_device_call *call, uintptr_t alignment)
{
    static const uint8_t wanted[5] = {1, 2, 3, 4, 5};
    const int32_t n = call->n_inputs + call->n_outputs;
    if (!is_at(call->params, alignment)) {
        return PARAMS;
    }
    if (is_at(call->params, 2 * alignment)) {
        return PARAMS_TOO_GOOD;
    }
    for (int32_t i = 0; i < n; i++) {
        if (!is_at(call->tensors[i].data, alignment)) {
            return TENSOR + 100 * (i + 1);
        }
    }
    if (is_at(call->tensors[n - 1].data, 2 * alignment)) {
        return SCRATCH_TOO_GOOD;
    }
    if (call->params_bytes != sizeof wanted || memcmp(call->params, wanted, sizeof wanted) != 0) {
        return CONTENT;
    }
    memset(call->tensors[call->n_inputs].data, 0, call->tensors[call->n_inputs].bytes);
    printf("%d bytes\n", (int)alignment);
    return 0;
}

#define HOOK(bytes, what)                                                                          \
    int32_t TVMDeviceAl##bytes##what(void *dev);                                                   \
    int32_t TVMDeviceAl##bytes##what(void *dev)                                                    \
    {                                                                                              \
        (void)dev;                                                                                 \
        return 0;                                                                                  \
    }
#define KIND(bytes)                                                                                \
    HOOK(bytes, Activate)                                                                          \
    HOOK(bytes, Open)                                                                              \
    HOOK(bytes, Close)                                                                             \
    HOOK(bytes, Deactivate)                                                                        \
    HOOK(bytes, DeskDestroy)                                                                       \
    int32_t TVMDeviceAl##bytes##Invoke(void *dev, const struct tvm_device_call *call);             \
    int32_t TVMDeviceAl##bytes##Invoke(void *dev, const struct tvm_device_call *call)              \
    {                                                                                              \
        (void)dev;                                                                                 \
        return invoke(call, bytes);                                                                \
    }                                                                                              \
    int32_t TVMDeviceAl##bytes##DeskCreate(const char *options, uint32_t memory, void **out_dev);  \
    int32_t TVMDeviceAl##bytes##DeskCreate(const char *options, uint32_t memory, void **out_dev)   \
    {                                                                                              \
        static char some;                                                                          \
        (void)options;                                                                             \
        *out_dev = &some;                                                                          \
        return memory == 0 ? 0 : TVM_DEVICE_E_RANGE;                                               \
    }
KIND(16)
KIND(64)
KIND(128)
KIND(4096)
