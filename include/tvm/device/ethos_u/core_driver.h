/* SPDX-License-Identifier: Apache-2.0 */
/* `ethos-u` over Arm's core driver, on bare metal as under an operating system: that driver has
 * locks and waiting as weak functions, which a system replaces. Build with
 * platform/ethos_u/ethos_u.c and the core driver, which is not here. Its interrupt handler, caches
 * (ethosu_flush_dcache, ethosu_invalidate_dcache) and addresses (ethosu_address_remap) are the
 * application's, as its own pages say.
 */
#ifndef TVM_DEVICE_ETHOS_U_CORE_DRIVER_H_
#define TVM_DEVICE_ETHOS_U_CORE_DRIVER_H_

#include <stddef.h>

#include "tvm/device/ethos_u/params.h"
#include "tvm/runtime/device.h"

struct ethosu_driver;

typedef struct tvm_device_ethos_u {
    struct ethosu_driver *driver;
    void *lock; /* who holds the device */
    struct tvm_device_users users;
    int32_t is_open, is_running;
    /* Of what is running, whose driver borrows them. */
    uint64_t bases[ETHOS_U_BASES];
    size_t sizes[ETHOS_U_BASES];
} tvm_device_ethos_u_t;

#ifdef __cplusplus
extern "C" {
#endif

/* Prepares a device that the application owns, over an NPU for which ethosu_init has been called;
 * both are borrowed until Destroy. Errors: TVM_DEVICE_E_NULL, TVM_DEVICE_E_STATE: no lock. */
int32_t TVMDeviceEthosUInit(tvm_device_ethos_u_t *dev, struct ethosu_driver *driver);

#ifdef __cplusplus
} /* extern "C" */
#endif

#include "tvm/device/ethos_u.h"

#endif /* TVM_DEVICE_ETHOS_U_CORE_DRIVER_H_ */
