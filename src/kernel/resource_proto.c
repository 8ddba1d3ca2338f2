/* SPDX-License-Identifier: Apache-2.0 */
/* A resource handle as a message, for plugins that pass handles on. The resource itself and its
 * names: resource.c.
 * Source   field numbers of resource_handle.proto. hash_code, a number of the C++ type there, is
 *          the number of the resource here.
 */
#include "kernel/context.h"
#include "kernel/resource.h"
#include "format/proto.h"
#include "op/op_proto.h"

enum { FIELD_DEVICE = 1, FIELD_CONTAINER, FIELD_NAME, FIELD_HASH_CODE, FIELD_TYPE_NAME };

static void write_handle(TF_OpKernelContext *ctx, const TF_Resource *resource, TF_Buffer *out,
                         TF_Status *status)
{
    const oribi_resource_names names = oribi_resource_names_of(resource);
    oribi_text text = {0};

    oribi_proto_string(&text, FIELD_DEVICE, TF_GetDeviceName(ctx).data);
    oribi_proto_string(&text, FIELD_CONTAINER, names.container);
    oribi_proto_string(&text, FIELD_NAME, names.name);
    oribi_proto_number(&text, FIELD_HASH_CODE, names.id);
    oribi_proto_string(&text, FIELD_TYPE_NAME, names.type);
    (void)oribi_proto_fill(&text, out, status);
}

void TF_GetSerializedResourceHandleProto(TF_OpKernelContext *ctx, int i,
                                         TF_Buffer *serialized_resource_handle_proto,
                                         TF_Status *status)
{
    TF_Tensor *handle = NULL;
    TF_Resource *resource = NULL;

    TF_SetStatus(status, TF_OK, "");
    if (serialized_resource_handle_proto->data != NULL) {
        oribi_fail(status, TF_INVALID_ARGUMENT, "Passing non-empty TF_Buffer is invalid.");
        return;
    }
    TF_GetInput(ctx, i, &handle, status);
    if (oribi_ok(status) && handle == NULL) {
        oribi_fail(status, TF_INVALID_ARGUMENT, "input %d is absent, but should be a resource", i);
    }
    if (oribi_ok(status)) {
        resource = TF_ResourceFromTensor(ctx, handle, 0, NULL, status);
    }
    if (resource != NULL) {
        write_handle(ctx, resource, serialized_resource_handle_proto, status);
    }
    TF_DeleteResource(resource);
    TF_DeleteTensor(handle);
}
