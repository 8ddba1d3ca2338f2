/* SPDX-License-Identifier: Apache-2.0 */
/* Elements of TF_VARIANT tensors: reading, setting and copying the objects in them, tensors among
 * them. They are freed with their buffer: oribi_elements_free in storage.c.
 */
#include "tensorflow/c/variant.h"

#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "tensor/status.h"
#include "tensor/tensor.h"

/* The element, or NULL with status set. */
static TF_VariantHead **element_of(const TF_Tensor *tensor, int64_t index, TF_Status *status)
{
    TF_SetStatus(status, TF_OK, "");
    if (tensor->dtype != TF_VARIANT) {
        oribi_fail(status, TF_INVALID_ARGUMENT, "the tensor is of type %s, not of variants",
                   oribi_dtype_name(tensor->dtype));
        return NULL;
    }
    if (index < 0 || index >= TF_TensorElementCount(tensor) ||
        (size_t)index >= tensor->bytes / sizeof(TF_VariantHead *)) {
        oribi_fail(status, TF_INVALID_ARGUMENT,
                   "element %" PRId64 " is not in a tensor of %" PRId64 " variants", index,
                   TF_TensorElementCount(tensor));
        return NULL;
    }
    return (TF_VariantHead **)tensor->data + index;
}

TF_VariantHead *TF_TensorVariant(const TF_Tensor *tensor, int64_t index, const char *type_name,
                                 TF_Status *status)
{
    TF_VariantHead **element = element_of(tensor, index, status);
    if (element == NULL) {
        return NULL;
    }
    if (*element == NULL) {
        oribi_fail(status, TF_NOT_FOUND, "variant %" PRId64 " is empty", index);
        return NULL;
    }
    if (type_name != NULL && strcmp((*element)->type->name, type_name) != 0) {
        oribi_fail(status, TF_INVALID_ARGUMENT,
                   "variant %" PRId64 " holds an object of type %s, not %s", index,
                   (*element)->type->name, type_name);
        return NULL;
    }
    return *element;
}

static bool is_whole(const TF_VariantType *type)
{
    return type != NULL && type->struct_size >= TF_VARIANT_TYPE_STRUCT_SIZE && type->name != NULL &&
           type->copy != NULL && type->destroy != NULL;
}

void TF_TensorSetVariant(TF_Tensor *tensor, int64_t index, TF_VariantHead *object,
                         TF_Status *status)
{
    TF_VariantHead **element = element_of(tensor, index, status);
    if (element != NULL && object != NULL && !is_whole(object->type)) {
        oribi_fail(status, TF_INVALID_ARGUMENT,
                   "the type of the variant lacks its name, copy or destroy, or its struct_size is "
                   "below %zu",
                   (size_t)TF_VARIANT_TYPE_STRUCT_SIZE);
    }
    if (!oribi_ok(status)) {
        if (object != NULL && object->type != NULL &&
            object->type->struct_size >= TF_VARIANT_TYPE_STRUCT_SIZE &&
            object->type->destroy != NULL) {
            object->type->destroy(object);
        }
        return;
    }
    oribi_elements_free(TF_VARIANT, element, sizeof(TF_VariantHead *));
    *element = object;
}

void TF_TensorCopyVariants(const TF_Tensor *from, TF_Tensor *to, TF_Status *status)
{
    const int64_t count = TF_TensorElementCount(from);
    TF_SetStatus(status, TF_OK, "");
    if (from->dtype != TF_VARIANT || to->dtype != TF_VARIANT ||
        count != TF_TensorElementCount(to)) {
        oribi_fail(status, TF_INVALID_ARGUMENT,
                   "variants of a tensor of %" PRId64 " elements of type %s cannot be copied into "
                   "one of %" PRId64 " of type %s",
                   count, oribi_dtype_name(from->dtype), TF_TensorElementCount(to),
                   oribi_dtype_name(to->dtype));
        return;
    }
    for (int64_t i = 0; i < count && oribi_ok(status); i++) {
        const TF_VariantHead *source = ((TF_VariantHead *const *)from->data)[i];
        TF_VariantHead *copy = source != NULL ? source->type->copy(source) : NULL;
        if (source != NULL && copy == NULL) {
            oribi_fail(status, TF_RESOURCE_EXHAUSTED,
                       "variant %" PRId64 " of type %s could not be copied: no memory", i,
                       source->type->name);
        } else {
            TF_TensorSetVariant(to, i, copy, status);
        }
    }
}

/* --- Elements that hold tensors --------------------------------------------------------------- */

typedef struct box {
    TF_VariantHead head;
    _Atomic int32_t references; /* elements that share it */
    TF_Tensor *tensor;
} box;

static TF_VariantHead *box_copy(const TF_VariantHead *object)
{
    box *shared = (box *)(uintptr_t)object;
    atomic_fetch_add_explicit(&shared->references, 1, memory_order_relaxed);
    return &shared->head;
}

static void box_destroy(TF_VariantHead *object)
{
    box *shared = (box *)object;
    if (atomic_fetch_sub_explicit(&shared->references, 1, memory_order_acq_rel) == 1) {
        TF_DeleteTensor(shared->tensor);
        oribi_free(shared);
    }
}

static const TF_VariantType box_type = {TF_VARIANT_TYPE_STRUCT_SIZE, "oribi.Tensor", box_copy,
                                        box_destroy};

TF_Tensor *TF_TensorVariantTensor(const TF_Tensor *variants, int64_t index, TF_Status *status)
{
    const box *found = (const box *)TF_TensorVariant(variants, index, box_type.name, status);
    TF_Tensor *tensor = found != NULL ? oribi_tensor_share(found->tensor) : NULL;
    if (found != NULL && tensor == NULL) {
        oribi_fail_memory(status);
    }
    return tensor;
}

void TF_TensorSetVariantTensor(TF_Tensor *variants, int64_t index, const TF_Tensor *element,
                               TF_Status *status)
{
    if (element_of(variants, index, status) == NULL) {
        return;
    }
    if (element->dtype == TF_VARIANT || element->dtype == TF_RESOURCE || element->owner != NULL) {
        oribi_fail(status, TF_INVALID_ARGUMENT, "a tensor %s cannot be an element of a list",
                   element->owner != NULL ? "whose memory is that of a run"
                                          : "of variants or resources");
        return;
    }
    box *made = oribi_alloc_zero(1, sizeof *made);
    TF_Tensor *tensor = made != NULL ? oribi_tensor_share(element) : NULL;
    if (tensor == NULL) {
        oribi_free(made);
        oribi_fail_memory(status);
        return;
    }
    *made = (box){{&box_type}, 1, tensor};
    TF_TensorSetVariant(variants, index, &made->head, status);
}
