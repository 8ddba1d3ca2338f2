/* SPDX-License-Identifier: Apache-2.0 */
/* `woofles` on CMSIS-RTOS2 (RTX5, or FreeRTOS beneath CMSIS-FreeRTOS): a window of memory, a
 * doorbell that the board rings, an interrupt that it passes on. Build with
 * common/woofles.c, woofles_words.c and cmsis/woofles.c. */
#ifndef TVM_DEVICE_WOOFLES_CMSIS_H_
#define TVM_DEVICE_WOOFLES_CMSIS_H_

#include "cmsis_os2.h"

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
    int32_t is_open;
    int32_t (*ring)(void *board);
    void *board;
    osMutexId_t lock;
    osSemaphoreId_t interrupt;
} tvm_device_woofles_t;

#ifdef __cplusplus
extern "C" {
#endif

/* Prepares a device that the application owns.
 *   window, bytes  what the device shows, aligned to 16, not cached; borrowed until Destroy
 *   memory_bytes   of it, for tensors: what `oribi compile` planned at most; params have the rest
 *   ring           tells the device that a word in front of the window has changed: 0, or a code
 *   lock, interrupt  where the system keeps the mutex and the semaphore: how large these are is the
 *                  system's own (osRtxMutexCbSize); NULL: in memory of the system's
 * Called from a thread, or between osKernelInitialize and osKernelStart.
 * Errors: TVM_DEVICE_E_NULL, TVM_DEVICE_E_RANGE, TVM_DEVICE_E_STATE when no mutex can be made. */
int32_t TVMDeviceWooflesInit(tvm_device_woofles_t *dev, void *window, uint32_t bytes,
                             uint32_t memory_bytes, int32_t (*ring)(void *board), void *board,
                             const osMutexAttr_t *lock, const osSemaphoreAttr_t *interrupt);

/* The board's interrupt routine calls this when the device signals. After Init. */
void TVMDeviceWooflesInterrupt(tvm_device_woofles_t *dev);

#ifdef __cplusplus
} /* extern "C" */
#endif

#include "tvm/device/woofles.h"

#endif /* TVM_DEVICE_WOOFLES_CMSIS_H_ */
