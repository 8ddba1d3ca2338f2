/* SPDX-License-Identifier: Apache-2.0 */
/* What a library may ask about a node while it creates a kernel, and later: it is kept with the
 * kernel. Not here: what attributes are in the file (ort_attr.c).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ort_adapter.h"

/* --- Making ----------------------------------------------------------------------------------- */

ORIBI_ORT_READ_ATTRS(TF_OpKernelConstruction)

/* Elements of parameter i: 1, or what its attribute says. */
static int count_elements(TF_OpKernelConstruction *ctx, const char *word, size_t i, int32_t kind,
                          TF_Status *status)
{
    char name[40];
    int32_t count = 1;
    if (kind == ORT_REQUIRED) {
        return 1;
    }
    snprintf(name, sizeof name, "n_%s%zu", word, i);
    TF_OpKernelConstruction_GetAttrInt32(ctx, name, &count, status);
    if (TF_GetCode(status) == TF_NOT_FOUND) { /* each of its elements has a type of its own */
        int32_t bytes;
        TF_SetStatus(status, TF_OK, "");
        snprintf(name, sizeof name, "T%zu", i);
        TF_OpKernelConstruction_GetAttrSize(ctx, name, &count, &bytes, status);
    }
    return count;
}

typedef struct ports {
    TF_OpKernelConstruction *ctx;
    bool is_input;
    size_t n_parameters;
    int32_t (*kind)(const ort_custom_op *op, size_t i);
    ort_port *items;
    size_t count;
} ports;

static ort_status *describe_port(const ports *p, int flat, ort_port *port)
{
    oribi_dims dims;
    int rank = -1;
    TF_DataType type;
    if (p->is_input) {
        type = TF_OpKernelConstruction_InputType(p->ctx, flat);
        rank = TF_OpKernelConstruction_InputShape(p->ctx, flat, dims.at, ORIBI_MAX_RANK);
    } else {
        type = TF_OpKernelConstruction_OutputType(p->ctx, flat);
    }
    const bool is_known = rank >= 0 && rank <= ORIBI_MAX_RANK;
    port->flat = flat;
    return oribi_ort_tensor_info_make(oribi_ort_type_from_tf(type), is_known ? dims.at : NULL,
                                      is_known ? (size_t)rank : 0, &port->info);
}

/* One port each parameter, absent ones too, and each element of a variadic one. Absent ones at the
 * end do not count, as the node does not name them. */
static ort_status *make_ports(ports *p, const ort_custom_op *op, size_t n_flat, TF_Status *status)
{
    int flat = 0;
    ort_status *failed = NULL;
    p->items = calloc(n_flat + p->n_parameters + 1, sizeof *p->items);
    if (!p->items) {
        return oribi_ort_fail_memory();
    }
    size_t n = 0;
    for (size_t i = 0; i < p->n_parameters && !failed; i++) {
        const int32_t kind = p->kind(op, i);
        const int count = count_elements(p->ctx, p->is_input ? "input" : "output", i, kind, status);
        failed = oribi_ort_from_status(status);
        if (!failed &&
            (count < 0 || (size_t)(flat + count) > n_flat || (kind == ORT_OPTIONAL && count > 1))) {
            failed = oribi_ort_fail(ORT_INVALID_ARGUMENT, "the node has more %s than %s takes",
                                    p->is_input ? "inputs" : "outputs", op->name(op));
        }
        if (!failed && count == 0) {
            p->items[n++].flat = -1;
        }
        for (int k = 0; k < count && !failed; k++) {
            failed = describe_port(p, flat++, &p->items[n++]);
            p->count = n;
        }
    }
    return failed;
}

/* Does this registration take the node's types? */
static bool is_match(const ort_kernel_info *info, const ort_custom_op *op)
{
    const size_t n = op->n_inputs ? op->n_inputs(op) : 0;
    const size_t m = op->n_outputs ? op->n_outputs(op) : 0;
    for (size_t i = 0; i < info->n_inputs; i++) {
        const int32_t wanted = op->input_type(op, i < n ? i : n - 1);
        if (info->inputs[i].flat >= 0 && wanted != ORT_TYPE_UNDEFINED &&
            wanted != info->inputs[i].info->type) {
            return false;
        }
    }
    for (size_t i = 0; i < info->n_outputs; i++) {
        const int32_t wanted = op->output_type(op, i < m ? i : m - 1);
        if (info->outputs[i].flat >= 0 && wanted != ORT_TYPE_UNDEFINED &&
            wanted != info->outputs[i].info->type) {
            return false;
        }
    }
    return true;
}

static ort_status *choose(ort_kernel_info *info)
{
    char types[256] = "";
    size_t length = 0;
    for (size_t m = 0; m < info->group->n_members; m++) {
        if (is_match(info, info->group->members[m])) {
            info->op = info->group->members[m];
            return NULL;
        }
    }
    for (size_t i = 0; i < info->n_inputs && length + 24 < sizeof types; i++) {
        const ort_port *port = &info->inputs[i];
        length +=
            (size_t)snprintf(types + length, sizeof types - length, "%s%s", length ? ", " : "",
                             port->flat < 0 ? "-" : oribi_ort_type_name(port->info->type));
    }
    return oribi_ort_fail(ORT_NOT_IMPLEMENTED,
                          "none of its %zu registrations takes inputs of types (%s)",
                          info->group->n_members, types);
}

static ort_status *fill(ort_kernel_info *info, TF_OpKernelConstruction *ctx, TF_Status *status)
{
    const ort_custom_op *first = info->group->members[0];
    const TF_StringView name = TF_OpKernelConstruction_GetName(ctx);
    ports in = {.ctx = ctx, .is_input = true, .kind = oribi_ort_input_kind};
    ports out = {.ctx = ctx, .is_input = false, .kind = oribi_ort_output_kind};
    in.n_parameters = first->n_inputs ? first->n_inputs(first) : 0;
    out.n_parameters = first->n_outputs ? first->n_outputs(first) : 0;
    info->node_name = malloc(name.len + 1);
    if (!info->node_name) {
        return oribi_ort_fail_memory();
    }
    memcpy(info->node_name, name.data, name.len);
    info->node_name[name.len] = '\0';
    ort_status *failed =
        make_ports(&in, first, (size_t)TF_OpKernelConstruction_NumInputs(ctx), status);
    info->inputs = in.items;
    info->n_inputs = in.count;
    if (!failed) {
        failed = make_ports(&out, first, (size_t)TF_OpKernelConstruction_NumOutputs(ctx), status);
        info->outputs = out.items;
        info->n_outputs = out.count;
    }
    failed = failed ? failed : read_attrs(ctx, &info->attrs, status);
    return failed ? failed : choose(info);
}

ort_status *oribi_ort_info_make(TF_OpKernelConstruction *ctx, const ort_group *group,
                                ort_kernel_info **out)
{
    ort_kernel_info *info = calloc(1, sizeof *info);
    TF_Status *status = TF_NewStatus();
    ort_status *failed = info && status ? NULL : oribi_ort_fail_memory();
    if (!failed) {
        *info = (ort_kernel_info){.n_references = 1, .group = group, .ctx = ctx};
        failed = fill(info, ctx, status);
    }
    TF_DeleteStatus(status);
    if (failed) {
        oribi_ort_ReleaseKernelInfo(info);
        info = NULL;
    }
    *out = info;
    return failed;
}

static void free_ports(ort_port *items, size_t count)
{
    for (size_t i = 0; items && i < count; i++) {
        oribi_ort_ReleaseTensorTypeAndShapeInfo(items[i].info);
    }
    free(items);
}

/* Copies are references: nothing changes an info but its constants, which are made while the kernel
 * is created. */
ort_status *oribi_ort_CopyKernelInfo(const ort_kernel_info *info, ort_kernel_info **out)
{
    *out = (ort_kernel_info *)(uintptr_t)info;
    __atomic_fetch_add(&(*out)->n_references, 1, __ATOMIC_RELAXED);
    return NULL;
}

void oribi_ort_ReleaseKernelInfo(ort_kernel_info *info)
{
    if (!info || __atomic_sub_fetch(&info->n_references, 1, __ATOMIC_ACQ_REL) > 0) {
        return;
    }
    for (size_t i = 0; info->constants && i < info->n_inputs; i++) {
        oribi_ort_ReleaseValue(info->constants[i]);
    }
    free(info->constants);
    free_ports(info->inputs, info->n_inputs);
    free_ports(info->outputs, info->n_outputs);
    oribi_ort_attrs_clear(&info->attrs);
    free(info->node_name);
    free(info);
}

/* --- Attributes ------------------------------------------------------------------------------- */

static ort_status *find(const ort_kernel_info *info, const char *name, int32_t kind,
                        const ort_op_attr **out)
{
    *out = oribi_ort_attrs_find(&info->attrs, name);
    if (*out && (*out)->kind == kind) {
        return NULL;
    }
    return oribi_ort_fail(
        ORT_FAIL, *out ? "attribute '%s' is of another kind" : "there is no attribute '%s'", name);
}

ort_status *oribi_ort_KernelInfoGetAttribute_float(const ort_kernel_info *info, const char *name,
                                                   float *out)
{
    const ort_op_attr *attr;
    ort_status *failed = find(info, name, ORT_ATTR_FLOAT, &attr);
    if (!failed) {
        *out = attr->floats[0];
    }
    return failed;
}

ort_status *oribi_ort_KernelInfoGetAttribute_int64(const ort_kernel_info *info, const char *name,
                                                   int64_t *out)
{
    const ort_op_attr *attr;
    ort_status *failed = find(info, name, ORT_ATTR_INT, &attr);
    if (!failed) {
        *out = attr->ints[0];
    }
    return failed;
}

ort_status *oribi_ort_KernelInfoGetAttribute_string(const ort_kernel_info *info, const char *name,
                                                    char *out, size_t *bytes)
{
    const ort_op_attr *attr;
    ort_status *failed = find(info, name, ORT_ATTR_STRING, &attr);
    return failed ? failed
                  : oribi_ort_give_text(attr->texts[0].data, attr->texts[0].length, out, bytes);
}

/* The count goes out; elements only to who has room for them all. */
static ort_status *give_array(const void *from, size_t n, size_t element, void *out, size_t *count)
{
    const size_t room = *count;
    *count = n;
    if (!out) {
        return NULL;
    }
    if (room < n) {
        return oribi_ort_fail(ORT_INVALID_ARGUMENT, "room for %zu values, there are %zu", room, n);
    }
    memcpy(out, from, n * element);
    return NULL;
}

ort_status *oribi_ort_KernelInfoGetAttributeArray_float(const ort_kernel_info *info,
                                                        const char *name, float *out, size_t *count)
{
    const ort_op_attr *attr;
    ort_status *failed = find(info, name, ORT_ATTR_FLOATS, &attr);
    return failed ? failed : give_array(attr->floats, attr->count, sizeof *out, out, count);
}

ort_status *oribi_ort_KernelInfoGetAttributeArray_int64(const ort_kernel_info *info,
                                                        const char *name, int64_t *out,
                                                        size_t *count)
{
    const ort_op_attr *attr;
    ort_status *failed = find(info, name, ORT_ATTR_INTS, &attr);
    return failed ? failed : give_array(attr->ints, attr->count, sizeof *out, out, count);
}

/* Array and texts come from the allocator, each freed by the caller. */
ort_status *oribi_ort_KernelInfoGetAttributeArray_string(const ort_kernel_info *info,
                                                         const char *name, ort_allocator *allocator,
                                                         char ***out, size_t *count)
{
    const ort_op_attr *attr;
    ort_status *failed = find(info, name, ORT_ATTR_STRINGS, &attr);
    *out = NULL;
    *count = 0;
    if (failed || attr->count == 0) {
        return failed;
    }
    char **texts = allocator->alloc(allocator, attr->count * sizeof *texts);
    size_t n = 0;
    for (; texts && n < attr->count; n++) {
        const size_t bytes = attr->texts[n].length + 1;
        texts[n] = allocator->alloc(allocator, bytes);
        if (!texts[n]) {
            break;
        }
        memcpy(texts[n], attr->texts[n].data, bytes);
    }
    if (!texts || n < attr->count) {
        while (n-- > 0) {
            allocator->free(allocator, texts[n]);
        }
        if (texts) {
            allocator->free(allocator, texts);
        }
        return oribi_ort_fail_memory();
    }
    *out = texts;
    *count = n;
    return NULL;
}

ort_status *oribi_ort_KernelInfoGetAttribute_tensor(const ort_kernel_info *info, const char *name,
                                                    ort_allocator *allocator, ort_value **out)
{
    const ort_op_attr *attr;
    TF_Tensor *tensor;
    ort_status *failed = find(info, name, ORT_ATTR_TENSOR, &attr);
    (void)allocator; /* a tensor brings its own memory */
    *out = NULL;
    if (!failed && attr->count != 1) {
        failed = oribi_ort_fail(ORT_FAIL, "attribute '%s' is empty", name);
    }
    failed = failed ? failed
                    : oribi_ort_tensor_read(attr->texts[0].data, attr->texts[0].length, &tensor);
    return failed ? failed : oribi_ort_value_new(tensor, out);
}
