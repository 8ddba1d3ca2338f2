/* SPDX-License-Identifier: Apache-2.0 */
/* The hooks of the device kind `woofles`, alike on every platform. A platform's header
 * (woofles/<platform>.h) declares tvm_device_woofles_t and Init, then includes this one; a new kind
 * copies both and changes the name. Every function returns 0, or a code that ends the run.
 *
 *   function     called by        from            may block
 *   Init         application      thread          yes   once, before the first run
 *   Activate     generated code   thread          yes   nests: models share a device
 *   Open         generated code   thread          yes   takes the device for this run: a lock
 *   Invoke       generated code   thread          yes   one operator, done when it returns
 *   Start        generated code   thread          no    the same, queued; order is kept
 *   Wait         generated code   thread          yes   until all that was started has ended
 *   Cancel       generated code   thread          yes   after it, the device writes nothing more
 *   Load         generated code   thread          yes   before Invoke or Start: the params stay
 *   CopyTo/From  generated code   thread          yes   in order with what was started
 *   Close        generated code   thread          yes   nothing is running then
 *   Deactivate   generated code   thread          yes
 *   Destroy      application      thread          yes   after the last run
 * None is called from an interrupt. Between Open and Close of a device no other run calls it.
 */
#ifndef TVM_DEVICE_WOOFLES_H_
#define TVM_DEVICE_WOOFLES_H_

#include "tvm/runtime/device.h"

#ifdef __cplusplus
extern "C" {
#endif

int32_t TVMDeviceWooflesActivate(tvm_device_woofles_t *dev);
int32_t TVMDeviceWooflesOpen(tvm_device_woofles_t *dev);
int32_t TVMDeviceWooflesClose(tvm_device_woofles_t *dev);
int32_t TVMDeviceWooflesDeactivate(tvm_device_woofles_t *dev);
int32_t TVMDeviceWooflesDestroy(tvm_device_woofles_t *dev);

/* One operator. call is borrowed until the function returns.
 * Errors: TVM_DEVICE_E_STATE when the device is not open, TVM_DEVICE_E_UNSUPPORTED, and what the
 * way to the device gives. */
int32_t TVMDeviceWooflesInvoke(tvm_device_woofles_t *dev, const struct tvm_device_call *call);

/* The asynchronous pair. call and its tensors are borrowed until Wait or Cancel has returned. Wait
 * gives the first error of what was started since the last one. */
int32_t TVMDeviceWooflesStart(tvm_device_woofles_t *dev, const struct tvm_device_call *call);
int32_t TVMDeviceWooflesWait(tvm_device_woofles_t *dev);
int32_t TVMDeviceWooflesCancel(tvm_device_woofles_t *dev);

/* Puts the params of a call behind the tensors, where they stay until the device is switched off or
 * their place is needed. */
int32_t TVMDeviceWooflesLoad(tvm_device_woofles_t *dev, struct tvm_device_call *call);
extern const struct tvm_device_driver TVMDeviceWooflesDriver;

/* Copies between host memory and the device's own: `bytes` of them, offsets into that memory.
 * The ...Start forms return at once; the host's bytes are borrowed until Wait or Cancel. */
int32_t TVMDeviceWooflesCopyTo(const void *source, tvm_device_woofles_t *dev,
                               uint32_t device_offset, uint32_t bytes);
int32_t TVMDeviceWooflesCopyFrom(tvm_device_woofles_t *dev, uint32_t device_offset,
                                 void *destination, uint32_t bytes);
int32_t TVMDeviceWooflesCopyToStart(const void *source, tvm_device_woofles_t *dev,
                                    uint32_t device_offset, uint32_t bytes);
int32_t TVMDeviceWooflesCopyFromStart(tvm_device_woofles_t *dev, uint32_t device_offset,
                                      void *destination, uint32_t bytes);
/* From one device's memory to another's of this kind, without the CPU. Both are open. */
int32_t TVMDeviceWooflesCopyPeer(tvm_device_woofles_t *from, uint32_t from_offset,
                                 tvm_device_woofles_t *to, uint32_t to_offset, uint32_t bytes);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* TVM_DEVICE_WOOFLES_H_ */
