/* SPDX-License-Identifier: Apache-2.0 */
/* Which functions may a driver have? TVM_DEVICE_HOOKS(EthosU, tvm_device_ethos_u_t) declares all
 * hooks of a device kind as generated code calls them; a driver implements those that its target
 * asks for, and a signature that is not so does not compile. When each is called:
 * docs/reference/device-hooks.md. All return 0 or a code that ends the run, and run on the thread
 * that runs the model, never in an interrupt.
 *
 * Power and who holds the device
 *   Activate, Deactivate   power; both nest, since models share a device
 *   Open, Close            in between no other run calls it
 *
 * Work
 *   Invoke                 one operator, done when it returns; call is borrowed until then
 *   Start, Wait, Cancel    the same, queued in order; calls and tensors are borrowed until Wait or
 *                          Cancel, after which the device writes nothing more
 *   Load                   (1.4) before Invoke or Start of an operator that has params: the device
 *                          is to keep them until it is switched off. Params that it has already, by
 *                          params_id, are not sent again. Sets call->resident to a place of the
 *                          driver's, which the call then has in place of sending params; it leaves
 *                          0 where it keeps nothing, which is no failure. What was started may
 *                          still be under way. The params are borrowed until it returns
 *
 * Copies, of a device with a memory of its own
 *   CopyTo, CopyFrom       between host memory and the device's, in order with what was started
 *   CopyToStart, -FromStart   the same; the host's bytes are borrowed until Wait or Cancel
 *   CopyPeer               from one device's memory to another's of its kind; both are open. It is
 *                          the next use of both memories: what was started on `from`, which may
 *                          write these bytes or copy them out, and on `to`, which may read what
 *                          lies there, may still be under way, and the driver waits for what it
 *                          needs. It is done when it returns; there is no Start of it
 *
 * Caches, of a device in memory that the CPU has a cache of. Data begins at a cache line, and has
 * its lines alone: bytes up to the next line may be touched, too
 *   CacheClean             what the CPU has written goes to memory: inputs, before the call
 *   CacheInvalidate        the CPU drops its lines: outputs and scratch before the call, outputs
 *                          after it
 *   Address                changes tensor->data from the CPU's address to the device's
 */
#ifndef TVM_RUNTIME_HOOKS_H_
#define TVM_RUNTIME_HOOKS_H_

#include "tvm/runtime/device.h"

#define TVM_DEVICE_HOOKS(X, type)                                                                  \
    int32_t TVMDevice##X##Activate(type *dev);                                                     \
    int32_t TVMDevice##X##Deactivate(type *dev);                                                   \
    int32_t TVMDevice##X##Open(type *dev);                                                         \
    int32_t TVMDevice##X##Close(type *dev);                                                        \
    int32_t TVMDevice##X##Invoke(type *dev, const struct tvm_device_call *call);                   \
    int32_t TVMDevice##X##Start(type *dev, const struct tvm_device_call *call);                    \
    int32_t TVMDevice##X##Wait(type *dev);                                                         \
    int32_t TVMDevice##X##Cancel(type *dev);                                                       \
    int32_t TVMDevice##X##Load(type *dev, struct tvm_device_call *call);                           \
    int32_t TVMDevice##X##CopyTo(const void *source, type *dev, uint32_t device_offset,            \
                                 uint32_t bytes);                                                  \
    int32_t TVMDevice##X##CopyToStart(const void *source, type *dev, uint32_t device_offset,       \
                                      uint32_t bytes);                                             \
    int32_t TVMDevice##X##CopyFrom(type *dev, uint32_t device_offset, void *destination,           \
                                   uint32_t bytes);                                                \
    int32_t TVMDevice##X##CopyFromStart(type *dev, uint32_t device_offset, void *destination,      \
                                        uint32_t bytes);                                           \
    int32_t TVMDevice##X##CopyPeer(type *from, uint32_t from_offset, type *to, uint32_t to_offset, \
                                   uint32_t bytes);                                                \
    int32_t TVMDevice##X##CacheClean(type *dev, const void *data, uint32_t bytes);                 \
    int32_t TVMDevice##X##CacheInvalidate(type *dev, void *data, uint32_t bytes);                  \
    int32_t TVMDevice##X##Address(type *dev, struct tvm_device_tensor *tensor);                    \
    extern const struct tvm_device_driver TVMDevice##X##Driver

#endif /* TVM_RUNTIME_HOOKS_H_ */
