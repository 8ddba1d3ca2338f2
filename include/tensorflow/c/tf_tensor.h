/* SPDX-License-Identifier: Apache-2.0 */
/* Tensor: element type, dimensions and a counted buffer. Row major, 64-byte aligned.
 */
#ifndef ORIBI_TENSORFLOW_C_TF_TENSOR_H_
#define ORIBI_TENSORFLOW_C_TF_TENSOR_H_

#include "c_api_macros.h"
#include "tf_datatype.h"
#include "tf_status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Placement asked of TF_AllocateTemp. struct_size is TF_ALLOCATOR_ATTRIBUTES_STRUCT_SIZE (9). */
typedef struct TF_AllocatorAttributes {
    size_t struct_size;
    TF_Bool on_host;
} TF_AllocatorAttributes;
#define TF_ALLOCATOR_ATTRIBUTES_STRUCT_SIZE TF_OFFSET_OF_END(TF_AllocatorAttributes, on_host)

typedef struct TF_Tensor TF_Tensor;

/* Takes data; deallocator(data,len,arg) runs when last reference dies.
 * Errors  data not 64-byte (EIGEN_MAX_ALIGN_BYTES) aligned and dtype is plain -> bytes are
 *   copied to an aligned block and deallocator runs before return. len < elements*size ->
 *   returns NULL and deallocator has run. dims copied. deallocator must not be NULL.
 */
TF_CAPI_EXPORT extern TF_Tensor *TF_NewTensor(TF_DataType, const int64_t *dims, int num_dims,
                                              void *data, size_t len,
                                              void (*deallocator)(void *, size_t, void *),
                                              void *deallocator_arg);

/* Aligned host memory, contents undefined; caller deletes.
 * Errors  len too small -> NULL. For TF_STRING caller must TF_TString_Init each element.
 */
TF_CAPI_EXPORT extern TF_Tensor *TF_AllocateTensor(TF_DataType, const int64_t *dims, int num_dims,
                                                   size_t len);

/* Returns the same pointer when buffer is uniquely owned and library-allocated.
 * Errors  else NULL, tensor untouched. Tensors made by TF_NewTensor over caller memory: always
 *   NULL.
 * @context no-allocation
 */
TF_CAPI_EXPORT extern TF_Tensor *TF_TensorMaybeMove(TF_Tensor *tensor);

/* Drops one reference; frees buffer on last.
 * Errors  NULL ok. String elements are TF_TString_Dealloc-ed only when the buffer is uniquely
 *   owned and was library-allocated.
 * @context no-allocation
 */
TF_CAPI_EXPORT extern void TF_DeleteTensor(TF_Tensor *);

/* Errors  NULL crashes.
 * @context no-allocation
 */
TF_CAPI_EXPORT extern TF_DataType TF_TensorType(const TF_Tensor *);

/* Replaces dims only; no size check, no realloc. */
TF_CAPI_EXPORT extern void TF_SetShape(TF_Tensor *tensor, const int64_t *dims, int num_dims);

/* @context no-allocation */
TF_CAPI_EXPORT extern int TF_NumDims(const TF_Tensor *);

/* Errors  bad index: undefined (C++ DCHECK).
 * @context no-allocation
 */
TF_CAPI_EXPORT extern int64_t TF_Dim(const TF_Tensor *tensor, int dim_index);

/* Size of the buffer (as allocated), may exceed elements*size.
 * @context no-allocation
 */
TF_CAPI_EXPORT extern size_t TF_TensorByteSize(const TF_Tensor *);

/* Borrowed pointer into buffer.
 * Errors  device tensors: device address. Zero-element tensors from a kernel context: non-NULL
 *   dummy pointer, size 0.
 * @context no-allocation
 */
TF_CAPI_EXPORT extern void *TF_TensorData(const TF_Tensor *);

/* Product of dims; 1 for rank 0.
 * @context no-allocation
 */
TF_CAPI_EXPORT extern int64_t TF_TensorElementCount(const TF_Tensor *tensor);

/* To drops its buffer and shares from's; dims and dtype replaced.
 * Errors  INVALID_ARGUMENT when total bytes differ or an element size is 0.
 */
TF_CAPI_EXPORT extern void TF_TensorBitcastFrom(const TF_Tensor *from, TF_DataType type,
                                                TF_Tensor *to, const int64_t *new_dims,
                                                int num_new_dims, TF_Status *status);

/* True if data % EIGEN_MAX_ALIGN_BYTES == 0.
 * Errors  TF_STRING: true.
 * @context no-allocation
 */
TF_CAPI_EXPORT extern bool TF_TensorIsAligned(const TF_Tensor *);

/* Alignment in bytes that tensor data has: 64.
 * @context no-allocation
 */
TF_CAPI_EXPORT extern size_t TF_TensorDefaultAlignment(void);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* ORIBI_TENSORFLOW_C_TF_TENSOR_H_ */
