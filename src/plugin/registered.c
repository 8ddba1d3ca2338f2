/* SPDX-License-Identifier: Apache-2.0 */
/* What is registered, for plugins and applications that ask (c_api.h): the built-in ops and kernels
 * too, in a process that has done nothing yet. Names that begin with '_' are listed: plugins look
 * for internal ops of their host in the list. Not here: the messages (op_proto.c, kernel_list.c).
 */
#include "format/proto.h"
#include "op/op_proto.h"
#include "plugin/plugin_internal.h"
#include "tensorflow/c/c_api.h"

const char *TF_Version(void)
{
    return "2.16.1";
}

/* A plugin that asks while it is loaded comes after the built-ins; they ask for nothing. */
static bool load(TF_Status *status)
{
    TF_SetStatus(status, TF_OK, "");
    return oribi_plugin_load_built_ins(status);
}

static bool add_op(void *arg, const oribi_op_def *op)
{
    oribi_text def = {0};
    oribi_proto_op_def(&def, op);
    oribi_proto_message(arg, 1, &def);
    return true;
}

TF_Buffer *TF_GetAllOpList(void)
{
    oribi_text list = {0};
    TF_Status *status = TF_NewStatus();
    if (status != NULL && load(status)) {
        oribi_op_each(add_op, &list);
    }
    TF_DeleteStatus(status);
    return oribi_proto_finish(&list);
}

int TF_OpIsStateful(const char *op_type, TF_Status *status)
{
    const oribi_op_def *op = load(status) ? oribi_op_find(op_type) : NULL;
    if (op == NULL && oribi_ok(status)) {
        oribi_fail(status, TF_NOT_FOUND, "no op '%s' is registered", op_type);
    }
    return op != NULL && op->is_stateful;
}

static TF_Buffer *finish(oribi_text *list, TF_Status *status)
{
    TF_Buffer *buffer = oribi_proto_finish(list);
    if (buffer == NULL) {
        oribi_fail_memory(status);
    }
    return buffer;
}

TF_Buffer *TF_GetAllRegisteredKernels(TF_Status *status)
{
    oribi_text list = {0};
    if (!load(status)) {
        return NULL;
    }
    oribi_kernel_call_reserve();
    oribi_kernel_each(oribi_kernel_put, &list);
    return finish(&list, status);
}

TF_Buffer *TF_GetRegisteredKernelsForOp(const char *name, TF_Status *status)
{
    oribi_text list = {0};
    if (!load(status)) {
        return NULL;
    }
    oribi_kernel_each_of_op(name, oribi_kernel_put, &list);
    return finish(&list, status);
}
