/* SPDX-License-Identifier: Apache-2.0 */
/* Stands between a model and the hooks of the kind ORIBI_FAILING ("EthosU"), by the linker's
 * --wrap; compiled once for each kind, so what they share is weak. A hook that fails has not been
 * called, but for those that undo: they have done their work when they say so. */
#include "harness/failing.h"

#include "tvm/runtime/device.h"

__attribute__((weak)) int32_t oribi_failing_left; /* calls until one fails; 0: none will */

static int32_t is_hit(void)
{
    return oribi_failing_left > 0 && --oribi_failing_left == 0;
}

__attribute__((weak)) int32_t oribi_failing_run(int32_t (*run)(void))
{
    int32_t code = ORIBI_FAILING_CODE;
    for (int32_t n = 1; code == ORIBI_FAILING_CODE; n++) {
        oribi_failing_left = n;
        code = run();
        if (oribi_failing_left == 0 && code == 0) {
            code = TVM_DEVICE_E_STATE; /* it failed, and nobody was told */
        }
    }
    oribi_failing_left = 0;
    return code;
}

#define PASTE(before, kind, hook) before##kind##hook
#define NAME(before, kind, hook)  PASTE(before, kind, hook)
#define HOOK(hook, undoes, params, args)                                                           \
    int32_t NAME(__real_TVMDevice, ORIBI_FAILING, hook)                                            \
    params __attribute__((weak));                                                                  \
    int32_t NAME(__wrap_TVMDevice, ORIBI_FAILING, hook) params;                                    \
    int32_t NAME(__wrap_TVMDevice, ORIBI_FAILING, hook) params                                     \
    {                                                                                              \
        const int32_t fails = is_hit();                                                            \
        const int32_t code =                                                                       \
            fails && !(undoes) ? 0 : NAME(__real_TVMDevice, ORIBI_FAILING, hook) args;             \
        return fails ? ORIBI_FAILING_CODE : code;                                                  \
    }

HOOK(Activate, 0, (void *dev), (dev))
HOOK(Deactivate, 1, (void *dev), (dev))
HOOK(Open, 0, (void *dev), (dev))
HOOK(Close, 1, (void *dev), (dev))
HOOK(Invoke, 0, (void *dev, const struct tvm_device_call *call), (dev, call))
HOOK(Start, 0, (void *dev, const struct tvm_device_call *call), (dev, call))
HOOK(Wait, 0, (void *dev), (dev))
HOOK(Cancel, 1, (void *dev), (dev))
HOOK(Load, 0, (void *dev, struct tvm_device_call *call), (dev, call))
HOOK(CopyTo, 0, (const void *from, void *dev, uint32_t at, uint32_t n), (from, dev, at, n))
HOOK(CopyToStart, 0, (const void *from, void *dev, uint32_t at, uint32_t n), (from, dev, at, n))
HOOK(CopyFrom, 0, (void *dev, uint32_t at, void *to, uint32_t n), (dev, at, to, n))
HOOK(CopyFromStart, 0, (void *dev, uint32_t at, void *to, uint32_t n), (dev, at, to, n))
HOOK(CopyPeer, 0, (void *a, uint32_t from, void *b, uint32_t to, uint32_t n), (a, from, b, to, n))
HOOK(CacheClean, 0, (void *dev, const void *data, uint32_t n), (dev, data, n))
HOOK(CacheInvalidate, 0, (void *dev, void *data, uint32_t n), (dev, data, n))
HOOK(Address, 0, (void *dev, struct tvm_device_tensor *tensor), (dev, tensor))
