/* SPDX-License-Identifier: Apache-2.0 */
/* `woofles` without an operating system: one thread of control, a window at an address that the
 * board gives, a doorbell as a function of the application; what is done is polled. Build with
 * common/woofles.c and baremetal/woofles.c. */
#ifndef TVM_DEVICE_WOOFLES_BAREMETAL_H_
#define TVM_DEVICE_WOOFLES_BAREMETAL_H_

#include "tvm/runtime/device.h"

struct woofles_window;

typedef struct tvm_device_woofles {
    int32_t timeout_ms; /* for one command; Init sets 10000 */
    /* From here on: the driver's. */
    struct woofles_window *window;
    uint32_t memory_bytes; /* for tensors; behind it, params */
    uint32_t params_bytes, params_used;
    uint32_t params_kept; /* in front of those that are used: what Load has put there */
    struct tvm_device_residents residents;
    uint32_t first_pending; /* commands posted from here on are not waited for yet */
    struct tvm_device_users users;
    int32_t is_open, is_locked;
    void *bell;
    int32_t (*ring)(void *bell);
    uint32_t polls_per_ms;
} tvm_device_woofles_t;

#ifdef __cplusplus
extern "C" {
#endif

/* Prepares a device that the application owns.
 *   window        the device's, aligned to 16, of `bytes`: a kilobyte for itself, then memory_bytes
 *                 for tensors (what `oribi compile` planned at most, a multiple of 4), the rest for
 *                 the params of calls under way. The device writes the words in front, not Init.
 *   ring          tells the device to look: 0, or a code of the contract
 *   polls_per_ms  how often the window can be looked at in a millisecond: the clock of time-outs
 * Errors: TVM_DEVICE_E_NULL, TVM_DEVICE_E_RANGE. */
int32_t TVMDeviceWooflesInit(tvm_device_woofles_t *dev, void *window, uint32_t bytes,
                             uint32_t memory_bytes, void *bell, int32_t (*ring)(void *bell),
                             uint32_t polls_per_ms);

#ifdef __cplusplus
} /* extern "C" */
#endif

#include "tvm/device/woofles.h"

#endif /* TVM_DEVICE_WOOFLES_BAREMETAL_H_ */
