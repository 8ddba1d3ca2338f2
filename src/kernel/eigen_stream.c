/* SPDX-License-Identifier: Apache-2.0 */
/* Streams of devices as Eigen's GPU device sees them (eigen_device.h). */
#include "tensorflow/c/eigen_device.h"

#include "base/alloc.h"
#include "device/device.h"
#include "kernel/context.h"

typedef struct stream_block {
    oribi_buffer *buffer;
    struct stream_block *next;
} stream_block;

struct TF_EigenStream {
    TF_OpKernelContext *ctx;
    oribi_stream *stream;
    stream_block *blocks; /* allocated, scratch and semaphore among them */
    void *scratch;
    unsigned int *semaphore;
};

static void fail_context(TF_OpKernelContext *ctx, TF_Status *status)
{
    TF_OpKernelContext_Failure(ctx, status);
    TF_DeleteStatus(status);
}

TF_EigenStream *TF_GetEigenStreamHandle(TF_OpKernelContext *ctx)
{
    oribi_stream *stream = oribi_context_stream(ctx);
    TF_EigenStream *self = stream != NULL ? oribi_alloc_zero(1, sizeof *self) : NULL;
    if (self == NULL) {
        TF_Status *status = TF_NewStatus();
        if (stream == NULL) {
            oribi_fail(status, TF_FAILED_PRECONDITION,
                       "node '%s' runs on the CPU, which has no stream: register the kernel for a "
                       "device's type, or use eigen_cpu_device.h",
                       ctx->step->kernel->node->name);
        } else {
            oribi_fail_memory(status);
        }
        fail_context(ctx, status);
        return NULL;
    }
    self->ctx = ctx;
    self->stream = stream;
    oribi_stream_touch(stream); /* Eigen enqueues what we do not see */
    return self;
}

TF_EigenStream *TF_GetEigenStream(TF_OpKernelContext *ctx)
{
    return TF_GetEigenStreamHandle(ctx);
}

void TF_DeleteEigenStreamHandle(TF_EigenStream *stream)
{
    if (stream == NULL) {
        return;
    }
    oribi_stream_touch(stream->stream); /* before the blocks: they are used until then */
    while (stream->blocks != NULL) {
        stream_block *block = stream->blocks;
        stream->blocks = block->next;
        oribi_buffer_release(block->buffer);
        oribi_free(block);
    }
    oribi_free(stream);
}

const void *TF_EigenStream_GetCudaStream(TF_EigenStream *stream)
{
    const oribi_device *device = oribi_stream_device(stream->stream);
    const TF_DeviceExtension *extension = oribi_platform_extension(oribi_device_platform(device));
    return extension->native_stream != NULL
               ? extension->native_stream(oribi_device_handle(device),
                                          oribi_stream_handle(stream->stream))
               : NULL;
}

const void *TF_EigenStream_GetDeviceProperties(TF_EigenStream *stream)
{
    const oribi_device *device = oribi_stream_device(stream->stream);
    const TF_DeviceExtension *extension = oribi_platform_extension(oribi_device_platform(device));
    return extension->native_properties != NULL
               ? extension->native_properties(oribi_device_handle(device))
               : NULL;
}

int TF_EigenStream_GetDeviceOrdinal(TF_EigenStream *stream)
{
    return oribi_device_ordinal(oribi_stream_device(stream->stream));
}

void *TF_EigenStream_Allocate(TF_EigenStream *stream, size_t num_bytes)
{
    TF_Status *status = TF_NewStatus();
    stream_block *block = oribi_alloc_zero(1, sizeof *block);
    if (block == NULL) {
        oribi_fail_memory(status);
    } else {
        block->buffer = oribi_device_allocate(oribi_stream_device(stream->stream), stream->stream,
                                              oribi_stream_account(stream->stream),
                                              num_bytes > 0 ? num_bytes : 1, status);
    }
    if (block == NULL || block->buffer == NULL) {
        oribi_free(block);
        fail_context(stream->ctx, status);
        return NULL;
    }
    block->next = stream->blocks;
    stream->blocks = block;
    TF_DeleteStatus(status);
    return block->buffer->data;
}

void TF_EigenStream_Deallocate(TF_EigenStream *stream, void *buffer)
{
    for (stream_block **at = &stream->blocks; buffer != NULL && *at != NULL; at = &(*at)->next) {
        stream_block *block = *at;
        if (block->buffer->data == buffer) {
            *at = block->next;
            oribi_stream_touch(stream->stream);
            oribi_buffer_release(block->buffer);
            oribi_free(block);
            return;
        }
    }
}

void *TF_EigenStream_Scratchpad(TF_EigenStream *stream)
{
    if (stream->scratch == NULL) {
        stream->scratch = TF_EigenStream_Allocate(stream, TF_EIGEN_SCRATCH_BYTES);
    }
    return stream->scratch;
}

unsigned int *TF_EigenStream_Semaphore(TF_EigenStream *stream)
{
    static const uint32_t zero;
    if (stream->semaphore != NULL) {
        return stream->semaphore;
    }
    void *made = TF_EigenStream_Allocate(stream, sizeof(unsigned int));
    if (made == NULL) {
        return NULL;
    }
    TF_Status *status = TF_NewStatus();
    const oribi_buffer *buffer = stream->blocks->buffer; /* the newest */
    bool done = false;
    bool ok = oribi_stream_fill(stream->stream, buffer, made, &zero, sizeof zero,
                                sizeof(unsigned int), &done, status) &&
              (done || oribi_stream_to_device(stream->stream, buffer, made, &zero,
                                              sizeof(unsigned int), status));
    if (!ok) {
        fail_context(stream->ctx, status);
        return NULL;
    }
    TF_DeleteStatus(status);
    stream->semaphore = made;
    return made;
}
