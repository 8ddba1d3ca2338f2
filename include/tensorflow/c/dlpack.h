/* SPDX-License-Identifier: Apache-2.0 */
/* Tensors of other libraries without a copy: TF_Tensor to and from DLPack, which NumPy, PyTorch,
 * JAX and CuPy speak. Who includes DLPack's own dlpack.h does so before this header.
 *
 * Host memory only. Types: booleans, integers, floats of 16 to 64 bits, bfloat16, complex, float8
 * (e5m2, e4m3fn, e4m3fnuz, e4m3b11fnuz, e5m2fnuz), float4_e2m1fn, integers of 4 and 2 bits.
 * Elements below 8 bits have a byte each here, which DLPack calls padded. qint8 and its kin go out
 * as integers. Not here: strings, resources, variants. Since 1.3. Source   DLPack 1.1: the layouts
 * below, flags, numbers of types and devices.
 */
#ifndef ORIBI_TENSORFLOW_C_DLPACK_H_
#define ORIBI_TENSORFLOW_C_DLPACK_H_

#include "tensorflow/c/tf_tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

#if ORIBI_HAS_CONTRACT(1, 3)
#ifndef DLPACK_DLPACK_H_ /* DLPack's own header */
typedef struct {
    uint32_t major; /* layouts */
    uint32_t minor; /* numbers of types and devices */
} DLPackVersion;

typedef struct {
    int32_t device_type; /* 1: host memory; 3, 11: host memory that CUDA or ROCm pinned */
    int32_t device_id;
} DLDevice;

typedef struct {
    uint8_t
        code; /* 0 signed, 1 unsigned, 2 float, 4 bfloat, 5 complex, 6 bool, 7 .. 17 small floats */
    uint8_t bits;
    uint16_t lanes; /* 1, or elements of a vector */
} DLDataType;

typedef struct {
    void *data;
    DLDevice device;
    int32_t ndim;
    DLDataType dtype;
    int64_t *shape;   /* ndim entries */
    int64_t *strides; /* in elements; NULL: dense, row major */
    uint64_t byte_offset;
} DLTensor;

typedef struct DLManagedTensor { /* before DLPack 1.0 */
    DLTensor dl_tensor;
    void *manager_ctx;
    void (*deleter)(struct DLManagedTensor *self);
} DLManagedTensor;

#define DLPACK_FLAG_BITMASK_READ_ONLY              (1UL << 0UL)
#define DLPACK_FLAG_BITMASK_IS_COPIED              (1UL << 1UL)
#define DLPACK_FLAG_BITMASK_IS_SUBBYTE_TYPE_PADDED (1UL << 2UL)

typedef struct DLManagedTensorVersioned {
    DLPackVersion version;
    void *manager_ctx;
    void (*deleter)(struct DLManagedTensorVersioned *self);
    uint64_t flags;
    DLTensor dl_tensor;
} DLManagedTensorVersioned;
#endif /* DLPACK_DLPACK_H_ */

#define TF_DLPACK_COPY      1u /* out: always a copy, the consumer's alone */
#define TF_DLPACK_READ_ONLY 2u /* out: the consumer must not write */
#define TF_DLPACK_MAY_COPY  4u /* in: copy what cannot be used where it is */

/* The tensor for another library, over the same memory.
 * Shapes   as the tensor; strides are always written, byte_offset is 0.
 * Owns     the result holds the memory until its deleter is called, once, on any thread; the tensor
 *          may be deleted before. Flags tell: read-only when it came in so or with
 *          TF_DLPACK_READ_ONLY, copied with TF_DLPACK_COPY, padded for elements below 8 bits.
 * Context  any thread; allocates a few words, and the copy that was asked for. Kernels: memory of
 *          inputs is to be read only, and a result that outlives compute keeps the run's memory.
 * Errors   NULL: INVALID_ARGUMENT for a type that DLPack does not have, memory of a device, or an
 *          output that is written with a row stride; RESOURCE_EXHAUSTED.
 * Since    1.3
 */
TF_CAPI_EXPORT extern struct DLManagedTensorVersioned *
TF_TensorToDLPack(const TF_Tensor *tensor, unsigned flags, TF_Status *status);

/* A tensor over the memory of another library. It is used where it is when it is dense (row major),
 * 64-byte aligned at data + byte_offset, and not packed below 8 bits; else it is copied with
 * TF_DLPACK_MAY_COPY, and refused without.
 * Owns     takes `managed`: its deleter is called once, when the last tensor on the memory goes, or
 *          before this returns when a copy was made. On failure `managed` stays the caller's.
 * Range    the host trusts shape, strides and offset; it checks that sizes can be addressed. A
 *          tensor that came in read-only is not written here, and goes out read-only again.
 * Context  any thread; allocates a handle, and the copy.
 * Errors   NULL: INVALID_ARGUMENT for NULL, another major version (then nothing but the deleter may
 *          be touched), a type, rank or size that cannot be had, memory that is not the host's;
 *          FAILED_PRECONDITION: only a copy would do; RESOURCE_EXHAUSTED.
 * Since    1.3
 */
TF_CAPI_EXPORT extern TF_Tensor *TF_TensorFromDLPack(struct DLManagedTensorVersioned *managed,
                                                     unsigned flags, TF_Status *status);

/* The same for libraries that speak DLPack as it was before 1.0, which has no flags: nothing is
 * read-only, and there are no types below 8 bits going out; what comes in is packed. */
TF_CAPI_EXPORT extern struct DLManagedTensor *
TF_TensorToDLPackUnversioned(const TF_Tensor *tensor, unsigned flags, TF_Status *status);
TF_CAPI_EXPORT extern TF_Tensor *TF_TensorFromDLPackUnversioned(struct DLManagedTensor *managed,
                                                                unsigned flags, TF_Status *status);
#endif /* 1.3 */

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* ORIBI_TENSORFLOW_C_DLPACK_H_ */
