/* SPDX-License-Identifier: Apache-2.0 */
/* The driver of `ethos-u` over the double of its NPU, for `oribi run --device ethos-u=FILE`. */
#include "npu_double.h"
#include "tvm/device/ethos_u/core_driver.h"
#include "tvm/runtime/desk.h"

struct ethosu_driver npu_double;
static tvm_device_ethos_u_t device;

TVM_DEVICE_DESK(EthosU);

int32_t TVMDeviceEthosUDeskCreate(const char *options, uint32_t memory_bytes, void **out_dev)
{
    (void)options;
    (void)memory_bytes;
    *out_dev = &device;
    return TVMDeviceEthosUInit(&device, &npu_double);
}

int32_t TVMDeviceEthosUDeskDestroy(void *dev)
{
    return TVMDeviceEthosUDestroy(dev);
}
