/* SPDX-License-Identifier: Apache-2.0 */
/* A driver on the desk: built as a shared object, the driver of a kind is loaded by `oribi run
 * --device KIND=driver.so[:OPTIONS]`, which calls its hooks as generated code would. Beside the
 * hooks it brings two functions, which stand for what an application does once: own the struct,
 * call Init and Destroy.
 *
 *   int32_t TVMDevice<X>DeskCreate(const char *options, uint32_t memory_bytes, void **out_dev);
 *   int32_t TVMDevice<X>DeskDestroy(void *dev);
 *
 *   options       what follows the file's name, "path=line.sock"; "" without
 *   memory_bytes  what the model was planned to need of the device's own memory
 *   out_dev       the struct of the device, as the hooks take it; the driver's until DeskDestroy
 *
 * Both return 0 or a code of tvm/runtime/device.h; TVM_DEVICE_DESK(X) declares them.
 * examples/accelerators has two.
 */
#ifndef TVM_RUNTIME_DESK_H_
#define TVM_RUNTIME_DESK_H_

#include "tvm/runtime/device.h"

#define TVM_DEVICE_DESK(X)                                                                         \
    int32_t TVMDevice##X##DeskCreate(const char *options, uint32_t memory_bytes, void **out_dev);  \
    int32_t TVMDevice##X##DeskDestroy(void *dev)

#endif /* TVM_RUNTIME_DESK_H_ */
