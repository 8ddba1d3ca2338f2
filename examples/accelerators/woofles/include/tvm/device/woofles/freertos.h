/* SPDX-License-Identifier: Apache-2.0 */
/* `woofles` on FreeRTOS: a window of memory, a doorbell that the board rings, an interrupt that it
 * passes on. Nothing is allocated: lock and semaphore lie in the struct, so the kernel's
 * configuration has configSUPPORT_STATIC_ALLOCATION and configUSE_MUTEXES. Build with
 * common/woofles.c, woofles_words.c and freertos/woofles.c. */
#ifndef TVM_DEVICE_WOOFLES_FREERTOS_H_
#define TVM_DEVICE_WOOFLES_FREERTOS_H_

#include "FreeRTOS.h"
#include "semphr.h"

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
    SemaphoreHandle_t lock, interrupt;
    StaticSemaphore_t lock_memory, interrupt_memory;
} tvm_device_woofles_t;

#ifdef __cplusplus
extern "C" {
#endif

/* Prepares a device that the application owns.
 *   window, bytes  what the device shows, aligned to 16, not cached; borrowed until Destroy
 *   memory_bytes   of it, for tensors: what `oribi compile` planned at most; params have the rest
 *   ring           tells the device that a word in front of the window has changed: 0, or a code
 * Called before or after the scheduler starts.
 * Errors: TVM_DEVICE_E_NULL, TVM_DEVICE_E_RANGE, TVM_DEVICE_E_STATE. */
int32_t TVMDeviceWooflesInit(tvm_device_woofles_t *dev, void *window, uint32_t bytes,
                             uint32_t memory_bytes, int32_t (*ring)(void *board), void *board);

/* The board's interrupt routine calls this when the device signals. out_woken: for
 * portYIELD_FROM_ISR. From an interrupt only, and only after Init. */
void TVMDeviceWooflesInterrupt(tvm_device_woofles_t *dev, BaseType_t *out_woken);

#ifdef __cplusplus
} /* extern "C" */
#endif

#include "tvm/device/woofles.h"

#endif /* TVM_DEVICE_WOOFLES_FREERTOS_H_ */
