/* SPDX-License-Identifier: Apache-2.0 */
/* What a kernel asks about the run and the node; and the calls of TensorFlow that a host without
 * function libraries answers with an empty value.
 */
#include <string.h>

#include "kernel/context.h"
#include "op/op_proto.h"
#include "tensorflow/c/experimental/next_pluggable_device/c_api.h"

static TF_StringView view(const char *text)
{
    return (TF_StringView){text, strlen(text)};
}

SP_Stream TF_GetStream(TF_OpKernelContext *ctx, TF_Status *status)
{
    oribi_stream *stream = oribi_context_stream(ctx);
    if (stream == NULL) {
        oribi_fail(status, TF_FAILED_PRECONDITION,
                   "node '%s' runs on the CPU, which has no stream: register a kernel for the "
                   "device type of your plugin",
                   ctx->step->kernel->node->name);
        return NULL;
    }
    TF_SetStatus(status, TF_OK, "");
    return oribi_stream_handle(stream);
}

/* What tells devices apart: no function takes one. */
TF_Device *TF_GetDevice(TF_OpKernelContext *ctx)
{
    static char cpu;
    oribi_stream *stream = oribi_context_stream(ctx);
    return stream != NULL ? (TF_Device *)oribi_stream_device(stream) : (TF_Device *)&cpu;
}

/* A process that is in no cluster has none, in TensorFlow too. */
TF_CoordinationServiceAgent *TF_GetCoordinationServiceAgent(TF_OpKernelContext *ctx)
{
    (void)ctx;
    return NULL;
}

bool TF_CoordinationServiceIsInitialized(TF_CoordinationServiceAgent *agent)
{
    (void)agent;
    return false;
}

/* An empty message: block and deallocator are those of any buffer that the library fills. */
static void fill_empty(TF_Buffer *buffer, TF_Status *status)
{
    TF_SetStatus(status, TF_OK, "");
    if (buffer->data != NULL) {
        oribi_fail(status, TF_INVALID_ARGUMENT, "Passing non-empty TF_Buffer is invalid.");
        return;
    }
    (void)oribi_proto_fill(&(oribi_text){0}, buffer, status);
}

void TF_GetSerializedFunctionDefLibrary(TF_OpKernelContext *ctx,
                                        TF_Buffer *serialized_function_def_library,
                                        TF_Status *status)
{
    (void)ctx;
    fill_empty(serialized_function_def_library, status);
}

void TF_GetSerializedConfigProto(TF_OpKernelContext *ctx, TF_Buffer *serialized_config_proto,
                                 TF_Status *status)
{
    (void)ctx;
    fill_empty(serialized_config_proto, status);
}

int64_t TF_StepId(TF_OpKernelContext *ctx)
{
    return ctx->step_id;
}

int64_t TF_GetStepId(TF_OpKernelContext *ctx)
{
    return ctx->step_id;
}

uint64_t TF_GetFrameId(TF_OpKernelContext *ctx)
{
    (void)ctx;
    return 0; /* no loop frames here */
}

int64_t TF_GetIterId(TF_OpKernelContext *ctx)
{
    (void)ctx;
    return 0;
}

int TF_GetDeviceId(TF_OpKernelContext *ctx)
{
    const oribi_stream *stream = oribi_context_stream(ctx);
    return stream != NULL ? oribi_device_ordinal(oribi_stream_device(stream)) : 0;
}

TF_StringView TF_GetDeviceName(TF_OpKernelContext *ctx)
{
    const oribi_stream *stream = oribi_context_stream(ctx);
    return view(stream != NULL ? oribi_device_full_name(oribi_stream_device(stream))
                               : ORIBI_HOST_PLACE);
}

TF_RendezvousThunk TF_GetRendezvous(TF_OpKernelContext *ctx)
{
    (void)ctx;
    return (TF_RendezvousThunk){0};
}

int TF_GetGraphDefVersion(TF_OpKernelContext *ctx)
{
    return ctx->graph_version;
}

TF_StringView TF_GetOpKernelName(TF_OpKernelContext *ctx)
{
    return view(ctx->step->kernel->node->name);
}

TF_StringView TF_GetResourceMgrDefaultContainerName(TF_OpKernelContext *ctx)
{
    (void)ctx;
    return view("localhost");
}
