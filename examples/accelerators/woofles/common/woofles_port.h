/* SPDX-License-Identifier: Apache-2.0 */
/* What a platform brings for `woofles`: a lock, a doorbell, an interrupt, and the way of bytes into
 * the window and out of it. Each <platform>/woofles.c defines these, Init and Destroy;
 * common/woofles.c is the rest. All return a code of tvm/runtime/device.h.
 */
#ifndef ORIBI_EXAMPLE_WOOFLES_PORT_H_
#define ORIBI_EXAMPLE_WOOFLES_PORT_H_

#ifndef TVM_DEVICE_WOOFLES_HEADER
#define TVM_DEVICE_WOOFLES_HEADER "tvm/device/woofles/posix.h"
#endif
#include TVM_DEVICE_WOOFLES_HEADER

int32_t woofles_port_lock(tvm_device_woofles_t *dev);
int32_t woofles_port_unlock(tvm_device_woofles_t *dev);
/* Tells the device that a word in front of the window has changed. */
int32_t woofles_port_ring(tvm_device_woofles_t *dev);
/* Returns when the device may have finished a command since `done` was read, or
 * TVM_DEVICE_E_TIMEOUT. */
int32_t woofles_port_wait(tvm_device_woofles_t *dev, uint32_t done);
/* Words that the device writes or reads, with the order that the board needs. */
uint32_t woofles_port_load(const uint32_t *word);
void woofles_port_store(uint32_t *word, uint32_t value);

#endif
