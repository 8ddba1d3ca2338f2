/* SPDX-License-Identifier: Apache-2.0 */
/* Variants: tensors of type TF_VARIANT, whose elements are objects of plugins, such as lists, trees
 * or images still packed. The host knows of an object how it is copied and destroyed, no more.
 *
 * An element is one pointer to an object, NULL when it is empty; TF_TensorData is an array of them.
 * An object begins with a pointer to its type, and is of whatever size its plugin likes:
 *
 *     typedef struct my_list { TF_VariantHead head; int64_t count; float *items; } my_list;
 *
 * Memory that the host allocates (TF_AllocateTensor, TF_AllocateOutput, TF_AllocateTemp) begins
 * with empty elements, and the objects in it are destroyed when its last tensor goes. A kernel that
 * hands an input on, in place or by TF_SetOutput, shares its objects: treat those of inputs as
 * read-only, and copy one before it is changed. Memory of TF_NewTensor is its deallocator's. Not
 * here: the class tensorflow::Variant (tensorflow/core/framework/variant.h). Since 1.3.
 */
#ifndef ORIBI_TENSORFLOW_C_VARIANT_H_
#define ORIBI_TENSORFLOW_C_VARIANT_H_

#include "tensorflow/c/tf_tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

#if ORIBI_HAS_CONTRACT(1, 3)
struct TF_VariantHead;

/* A kind of object. It lives as long as any object of it: a static of the plugin. */
typedef struct TF_VariantType {
    size_t struct_size; /* TF_VARIANT_TYPE_STRUCT_SIZE */
    const char *name;   /* tells kinds apart, also between plugins: "com.acme.List" */
    /* A further object that owns all that it needs; NULL: no memory. Called on any thread, several
     * at once on one object. */
    struct TF_VariantHead *(*copy)(const struct TF_VariantHead *object);
    /* Frees the object; never NULL. Called once, on any thread. */
    void (*destroy)(struct TF_VariantHead *object);
} TF_VariantType;
#define TF_VARIANT_TYPE_STRUCT_SIZE TF_OFFSET_OF_END(TF_VariantType, destroy)

typedef struct TF_VariantHead { /* what each object begins with */
    const TF_VariantType *type;
} TF_VariantHead;

/* The object that element `index` holds.
 * Shapes   index: row-major, 0 <= index < TF_TensorElementCount(tensor).
 * Owns     the result is the tensor's, and valid as long as the element holds it.
 * Context  any thread; no allocation.
 * Errors   NULL: INVALID_ARGUMENT when the tensor is not of variants, the index is out of range, or
 *          the object is of another kind than type_name (NULL: any); NOT_FOUND when it is empty.
 * @context no-allocation
 */
TF_CAPI_EXPORT extern TF_VariantHead *TF_TensorVariant(const TF_Tensor *tensor, int64_t index,
                                                       const char *type_name, TF_Status *status);

/* Puts an object into element `index`; the one that was there is destroyed.
 * Owns     takes object (NULL: the element becomes empty), also when it fails, and destroys it
 *          then.
 * Context  any thread, one at a time on an element; no allocation.
 * Errors   INVALID_ARGUMENT: not of variants, index out of range, or a type without name, copy or
 *          destroy, or of a smaller struct_size; the tensor is unchanged then.
 * @context no-allocation
 */
TF_CAPI_EXPORT extern void TF_TensorSetVariant(TF_Tensor *tensor, int64_t index,
                                               TF_VariantHead *object, TF_Status *status);

/* Replaces all objects of `to` by copies of those of `from`, in order.
 * Shapes   the same number of elements; dims may differ.
 * Context  any thread; allocates what the objects' copy functions do.
 * Errors   INVALID_ARGUMENT: not of variants, or another number of elements, nothing changed;
 *          RESOURCE_EXHAUSTED: a copy function had no memory; elements from there on are unchanged.
 */
TF_CAPI_EXPORT extern void TF_TensorCopyVariants(const TF_Tensor *from, TF_Tensor *to,
                                                 TF_Status *status);
#endif /* 1.3 */

#if ORIBI_HAS_CONTRACT(1, 4)
/* Lists of tensors, which are what sequences and optionals of models are: a tensor of variants each
 * of whose elements holds a tensor. A sequence has one axis, of any length; an optional tensor has
 * none, and its element is empty where it has no value:
 *
 *     TF_Tensor *list = TF_AllocateTensor(TF_VARIANT, &count, 1, count * sizeof(TF_VariantHead *));
 *     TF_TensorSetVariantTensor(list, 0, first, status);
 *
 * Copies of such an element share the tensor in it, which nobody may write any more. Their type is
 * called "oribi.Tensor". */

/* The tensor that element `index` holds.
 * Shapes   index: row-major, 0 <= index < TF_TensorElementCount(variants).
 * Owns     a handle of the caller's, which outlives the list.
 * Context  any thread.
 * Errors   NULL: as TF_TensorVariant; RESOURCE_EXHAUSTED: no memory.
 * Since    1.4
 */
TF_CAPI_EXPORT extern TF_Tensor *TF_TensorVariantTensor(const TF_Tensor *variants, int64_t index,
                                                        TF_Status *status);

/* Puts a tensor into element `index`; the object that was there is destroyed.
 * Owns     the element gets a handle of its own on the tensor, whose storage it shares.
 * Context  any thread, one at a time on an element.
 * Errors   INVALID_ARGUMENT: not of variants, index out of range, a tensor of variants or
 *          resources (there are no lists of lists), or one that a run owns: kernels copy it into
 *          memory of TF_AllocateLasting; RESOURCE_EXHAUSTED: no memory. The list is unchanged then.
 * Since    1.4
 */
TF_CAPI_EXPORT extern void TF_TensorSetVariantTensor(TF_Tensor *variants, int64_t index,
                                                     const TF_Tensor *element, TF_Status *status);
#endif /* 1.4 */

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* ORIBI_TENSORFLOW_C_VARIANT_H_ */
