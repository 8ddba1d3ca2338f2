/* SPDX-License-Identifier: Apache-2.0 */
/* Eigen's devices as kernels see them (eigen_device.h). An allocator is the context itself; a block
 * is a temporary tensor of the run, whose handle stands before the bytes. Eigen writes to what it
 * asked for without looking, so where the run refuses, the system's memory is taken for what is
 * left of the computation, and no handle stands there.
 */
#include "tensorflow/c/eigen_device.h"

#include "base/alloc.h"
#include "base/thread.h"
#include "kernel/context.h"
#include "tensor/status.h"

#include <string.h>

enum { BLOCK_HEADER = 64 }; /* keeps the alignment */

TF_EigenAllocator *TF_GetEigenAllocatorHandle(TF_OpKernelContext *ctx)
{
    return (TF_EigenAllocator *)ctx;
}

void TF_DeleteEigenAllocatorHandle(TF_EigenAllocator *allocator)
{
    (void)allocator;
}

static TF_Tensor *allocate_block(TF_OpKernelContext *ctx, size_t num_bytes, TF_Status *status)
{
    TF_AllocatorAttributes on_host = {TF_ALLOCATOR_ATTRIBUTES_STRUCT_SIZE, 1};
    if (num_bytes > INT64_MAX - BLOCK_HEADER) {
        oribi_fail(status, TF_RESOURCE_EXHAUSTED,
                   "%zu bytes for Eigen are more than can be addressed", num_bytes);
        return NULL;
    }
    const int64_t dims[1] = {(int64_t)(num_bytes + BLOCK_HEADER)};
    return TF_AllocateTemp(ctx, TF_UINT8, dims, 1, &on_host, status);
}

void *TF_EigenAllocator_Allocate(TF_EigenAllocator *allocator, size_t num_bytes)
{
    TF_OpKernelContext *ctx = (TF_OpKernelContext *)allocator;
    TF_Status *status = TF_NewStatus();
    TF_Tensor *tensor = allocate_block(ctx, num_bytes, status);
    char *bytes = tensor != NULL ? TF_TensorData(tensor) : NULL;
    if (bytes == NULL) {
        TF_OpKernelContext_Failure(ctx, status);
        bytes = num_bytes < oribi_memory_limit_bytes()
                    ? oribi_alloc_aligned(num_bytes + BLOCK_HEADER, BLOCK_HEADER)
                    : NULL;
    }
    TF_DeleteStatus(status);
    if (bytes == NULL) {
        return NULL;
    }
    memcpy(bytes, &tensor, sizeof tensor);
    return bytes + BLOCK_HEADER;
}

void TF_EigenAllocator_Deallocate(TF_EigenAllocator *allocator, void *buffer)
{
    (void)allocator;
    if (buffer == NULL) {
        return;
    }
    TF_Tensor *tensor;
    char *block = (char *)buffer - BLOCK_HEADER;
    memcpy(&tensor, block, sizeof tensor);
    if (tensor != NULL) {
        TF_DeleteTensor(tensor);
    } else {
        oribi_free(block);
    }
}
