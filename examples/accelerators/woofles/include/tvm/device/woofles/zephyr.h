/* SPDX-License-Identifier: Apache-2.0 */
/* `woofles` on Zephyr: a device of the devicetree, "oribi,woofles", whose driver knows the window,
 * the doorbell and the interrupt. The module zephyr/ builds the driver of common,
 * zephyr/woofles.c and that driver (CONFIG_ORIBI_WOOFLES). */
#ifndef TVM_DEVICE_WOOFLES_ZEPHYR_H_
#define TVM_DEVICE_WOOFLES_ZEPHYR_H_

#include <zephyr/device.h>
#include <zephyr/kernel.h>

#include "tvm/runtime/device.h"

struct woofles_window;

/* What a Zephyr driver of a woofles gives: `config` of its struct device begins with the first,
 * `api` is the second. A driver for hardware of another kind brings its own. */
struct woofles_zephyr_config {
    void *window;          /* aligned to 16, not cached */
    uint32_t bytes;        /* of the window */
    uint32_t memory_bytes; /* of it, for tensors: what `oribi compile` planned at most */
};

struct woofles_zephyr_api {
    /* Tells the device that a word in front of the window has changed: 0, or -errno. */
    int (*ring)(const struct device *zephyr_dev);
    /* Has `signalled` called from the device's interrupt; NULL: no more. 0, or -errno. */
    int (*attach)(const struct device *zephyr_dev, void (*signalled)(void *user), void *user);
};

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
    int32_t is_open;
    const struct device *dev;
    struct k_mutex lock;
    struct k_sem interrupt;
} tvm_device_woofles_t;

#ifdef __cplusplus
extern "C" {
#endif

/* Prepares a device that the application owns, over a Zephyr device, which is borrowed until
 * Destroy: DEVICE_DT_GET(DT_NODELABEL(woofles0)), or device_get_binding. From a thread.
 * Errors: TVM_DEVICE_E_NULL, also for a zephyr_dev that does not exist; TVM_DEVICE_E_STATE when it
 * is not ready; TVM_DEVICE_E_RANGE; TVM_DEVICE_E_IO when its driver refuses. */
int32_t TVMDeviceWooflesInit(tvm_device_woofles_t *dev, const struct device *zephyr_dev);

#ifdef __cplusplus
} /* extern "C" */
#endif

#include "tvm/device/woofles.h"

#endif /* TVM_DEVICE_WOOFLES_ZEPHYR_H_ */
