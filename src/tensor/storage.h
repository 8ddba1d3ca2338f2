/* SPDX-License-Identifier: Apache-2.0 */
/* Storage over memory of a caller; the rest of oribi_buffer is in tensor.h. */
#ifndef ORIBI_TENSOR_STORAGE_H_
#define ORIBI_TENSOR_STORAGE_H_

#include "tensor/handle.h"
#include "tensor/tensor.h"

/* One reference on the caller's memory; the deallocator (NULL: none) runs once, with the last
 * reference. NULL: no memory, and the deallocator has not run. */
oribi_buffer *oribi_buffer_wrap(void *data, size_t bytes,
                                void (*deallocator)(void *data, size_t bytes, void *arg),
                                void *arg);

#endif
