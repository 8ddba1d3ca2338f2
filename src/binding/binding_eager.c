/* SPDX-License-Identifier: Apache-2.0 */
/* Contexts and handles of tensors as bindings have them beside sessions: the host's memory is the
 * only place, and no op is run by them.
 */
#include <string.h>

#include "base/alloc.h"
#include "binding/binding_device.h"
#include "format/wire.h"
#include "tensor/status.h"
#include "tensor/tensor.h"
#include "tensorflow/c/eager/c_api.h"

struct TFE_ContextOptions {
    bool is_async;
};

struct TFE_Context {
    TFE_ContextOptions options;
};

struct TFE_TensorHandle {
    TF_Tensor *tensor;
};

TFE_ContextOptions *TFE_NewContextOptions(void)
{
    TFE_ContextOptions *options = oribi_alloc_zero(1, sizeof *options);
    return options;
}

void TFE_ContextOptionsSetConfig(TFE_ContextOptions *options, const void *proto, size_t proto_len,
                                 TF_Status *status)
{
    oribi_wire wire = oribi_wire_over(proto, proto_len);
    oribi_wire_field field;
    (void)options;
    TF_SetStatus(status, TF_OK, "");
    while (oribi_wire_next(&wire, &field, status)) {
    }
    if (!oribi_ok(status)) {
        oribi_fail(status, TF_INVALID_ARGUMENT, "Unparseable ConfigProto");
    }
}

void TFE_ContextOptionsSetAsync(TFE_ContextOptions *options, unsigned char enable)
{
    options->is_async = enable != 0;
}

void TFE_DeleteContextOptions(TFE_ContextOptions *options)
{
    oribi_free(options);
}

TFE_Context *TFE_NewContext(const TFE_ContextOptions *opts, TF_Status *status)
{
    TFE_Context *context = oribi_alloc_zero(1, sizeof *context);
    TF_SetStatus(status, TF_OK, "");
    if (context == NULL) {
        oribi_fail_memory(status);
    } else if (opts != NULL) {
        context->options = *opts;
    }
    return context;
}

void TFE_DeleteContext(TFE_Context *ctx)
{
    oribi_free(ctx);
}

TF_DeviceList *TFE_ContextListDevices(TFE_Context *ctx, TF_Status *status)
{
    (void)ctx;
    return oribi_binding_list_devices(status);
}

/* --- Tensors -------------------------------------------------------------------------------- */

TFE_TensorHandle *TFE_NewTensorHandle(const TF_Tensor *t, TF_Status *status)
{
    TFE_TensorHandle *handle = oribi_alloc_zero(1, sizeof *handle);
    TF_SetStatus(status, TF_OK, "");
    if (handle != NULL) {
        handle->tensor = oribi_tensor_share(t);
    }
    if (handle == NULL || handle->tensor == NULL) {
        oribi_free(handle);
        oribi_fail_memory(status);
        return NULL;
    }
    return handle;
}

void TFE_DeleteTensorHandle(TFE_TensorHandle *h)
{
    if (h != NULL) {
        TF_DeleteTensor(h->tensor);
        oribi_free(h);
    }
}

TF_DataType TFE_TensorHandleDataType(TFE_TensorHandle *h)
{
    return TF_TensorType(h->tensor);
}

int TFE_TensorHandleNumDims(TFE_TensorHandle *h, TF_Status *status)
{
    TF_SetStatus(status, TF_OK, "");
    return TF_NumDims(h->tensor);
}

int64_t TFE_TensorHandleDim(TFE_TensorHandle *h, int dim_index, TF_Status *status)
{
    TF_SetStatus(status, TF_OK, "");
    if (dim_index < 0 || dim_index >= TF_NumDims(h->tensor)) {
        oribi_fail(status, TF_INVALID_ARGUMENT, "there is no dimension %d of %d", dim_index,
                   TF_NumDims(h->tensor));
        return -1;
    }
    return TF_Dim(h->tensor, dim_index);
}

const char *TFE_TensorHandleDeviceName(TFE_TensorHandle *h, TF_Status *status)
{
    (void)h;
    TF_SetStatus(status, TF_OK, "");
    return ORIBI_BINDING_CPU;
}

const char *TFE_TensorHandleBackingDeviceName(TFE_TensorHandle *h, TF_Status *status)
{
    return TFE_TensorHandleDeviceName(h, status);
}

TF_Tensor *TFE_TensorHandleResolve(TFE_TensorHandle *h, TF_Status *status)
{
    TF_SetStatus(status, TF_OK, "");
    TF_Tensor *tensor = oribi_tensor_share(h->tensor);
    if (tensor == NULL) {
        oribi_fail_memory(status);
    }
    return tensor;
}

TFE_TensorHandle *TFE_TensorHandleCopyToDevice(TFE_TensorHandle *h, TFE_Context *ctx,
                                               const char *device_name, TF_Status *status)
{
    static const char *const names[] = {ORIBI_BINDING_CPU, "/device:CPU:0", "CPU:0", "/cpu:0", ""};
    (void)ctx;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(device_name, names[i]) == 0) {
            return TFE_NewTensorHandle(h->tensor, status);
        }
    }
    oribi_fail(status, TF_INVALID_ARGUMENT, "%s unknown device", device_name);
    return NULL;
}
