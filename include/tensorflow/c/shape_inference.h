/* SPDX-License-Identifier: Apache-2.0 */
/* What a shape function may ask beyond TensorFlow's ops.h: attributes of every kind, shapes and
 * dimensions made and merged, dimension arithmetic, constant input values. Since 1.0.
 *
 * Results go into handles that the caller made with TF_NewShapeHandle / TF_NewDimensionHandle. On
 * failure a result handle becomes unset, and status says why. Context: inside a shape function, any
 * thread.
 */
#ifndef ORIBI_TENSORFLOW_C_SHAPE_INFERENCE_H_
#define ORIBI_TENSORFLOW_C_SHAPE_INFERENCE_H_

#include "tensorflow/c/ops.h"
#include "tensorflow/c/tf_buffer.h"
#include "tensorflow/c/tf_tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- Definition builder ------------------------------------------------------------------- */

/* Documentation in the op-doc grammar: summary line, description, `name: text` blocks. */
TF_CAPI_EXPORT extern void TF_OpDefinitionBuilderDoc(TF_OpDefinitionBuilder *builder,
                                                     const char *text);
/* Shape function with data of its own. delete_data (may be NULL) runs when the builder is deleted
 * without a registration or when registration fails; a registered op lives for ever. */
TF_CAPI_EXPORT extern void TF_OpDefinitionBuilderSetShapeInferenceFunctionWithData(
    TF_OpDefinitionBuilder *builder,
    void (*shape_inference_func)(void *data, TF_ShapeInferenceContext *ctx, TF_Status *status),
    void *data, void (*delete_data)(void *data));

/* --- Node ---------------------------------------------------------------------------------- */

TF_CAPI_EXPORT extern int64_t TF_ShapeInferenceContextNumOutputs(TF_ShapeInferenceContext *ctx);
/* Element type of flat input i; 0 for a bad index. */
TF_CAPI_EXPORT extern TF_DataType TF_ShapeInferenceContextInputType(TF_ShapeInferenceContext *ctx,
                                                                    int i);
/* Half-open range of flat indices of a named argument; INVALID_ARGUMENT for an unknown name. */
TF_CAPI_EXPORT extern void TF_ShapeInferenceContextInputRange(TF_ShapeInferenceContext *ctx,
                                                              const char *name, int *start,
                                                              int *stop, TF_Status *status);
TF_CAPI_EXPORT extern void TF_ShapeInferenceContextOutputRange(TF_ShapeInferenceContext *ctx,
                                                               const char *name, int *start,
                                                               int *stop, TF_Status *status);

/* --- Attributes: the rules of TF_OpKernelConstruction_GetAttr* ------------------------------ */

TF_CAPI_EXPORT extern bool TF_ShapeInferenceContext_HasAttr(TF_ShapeInferenceContext *ctx,
                                                            const char *attr_name);
TF_CAPI_EXPORT extern void
TF_ShapeInferenceContext_GetAttrSize(TF_ShapeInferenceContext *ctx, const char *attr_name,
                                     int32_t *list_size, int32_t *total_size, TF_Status *status);
TF_CAPI_EXPORT extern void TF_ShapeInferenceContext_GetAttrInt32(TF_ShapeInferenceContext *ctx,
                                                                 const char *attr_name,
                                                                 int32_t *val, TF_Status *status);
TF_CAPI_EXPORT extern void TF_ShapeInferenceContext_GetAttrInt64(TF_ShapeInferenceContext *ctx,
                                                                 const char *attr_name,
                                                                 int64_t *val, TF_Status *status);
TF_CAPI_EXPORT extern void TF_ShapeInferenceContext_GetAttrFloat(TF_ShapeInferenceContext *ctx,
                                                                 const char *attr_name, float *val,
                                                                 TF_Status *status);
TF_CAPI_EXPORT extern void TF_ShapeInferenceContext_GetAttrBool(TF_ShapeInferenceContext *ctx,
                                                                const char *attr_name, TF_Bool *val,
                                                                TF_Status *status);
/* Copies min(length, max_length) bytes, no NUL. */
TF_CAPI_EXPORT extern void TF_ShapeInferenceContext_GetAttrString(TF_ShapeInferenceContext *ctx,
                                                                  const char *attr_name, char *val,
                                                                  size_t max_length,
                                                                  TF_Status *status);
TF_CAPI_EXPORT extern void TF_ShapeInferenceContext_GetAttrShape(TF_ShapeInferenceContext *ctx,
                                                                 const char *attr_name,
                                                                 TF_ShapeHandle *result,
                                                                 TF_Status *status);
/* *val is a new handle that the caller deletes; NULL on failure. */
TF_CAPI_EXPORT extern void TF_ShapeInferenceContext_GetAttrTensor(TF_ShapeInferenceContext *ctx,
                                                                  const char *attr_name,
                                                                  TF_Tensor **val,
                                                                  TF_Status *status);
TF_CAPI_EXPORT extern void TF_ShapeInferenceContext_GetAttrTypeList(TF_ShapeInferenceContext *ctx,
                                                                    const char *attr_name,
                                                                    TF_DataType *vals, int max_vals,
                                                                    TF_Status *status);
TF_CAPI_EXPORT extern void TF_ShapeInferenceContext_GetAttrInt32List(TF_ShapeInferenceContext *ctx,
                                                                     const char *attr_name,
                                                                     int32_t *vals, int max_vals,
                                                                     TF_Status *status);
TF_CAPI_EXPORT extern void TF_ShapeInferenceContext_GetAttrInt64List(TF_ShapeInferenceContext *ctx,
                                                                     const char *attr_name,
                                                                     int64_t *vals, int max_vals,
                                                                     TF_Status *status);
TF_CAPI_EXPORT extern void TF_ShapeInferenceContext_GetAttrFloatList(TF_ShapeInferenceContext *ctx,
                                                                     const char *attr_name,
                                                                     float *vals, int max_vals,
                                                                     TF_Status *status);
TF_CAPI_EXPORT extern void TF_ShapeInferenceContext_GetAttrBoolList(TF_ShapeInferenceContext *ctx,
                                                                    const char *attr_name,
                                                                    TF_Bool *vals, int max_vals,
                                                                    TF_Status *status);
TF_CAPI_EXPORT extern void
TF_ShapeInferenceContext_GetAttrStringList(TF_ShapeInferenceContext *ctx, const char *attr_name,
                                           char **values, size_t *lengths, int max_values,
                                           void *storage, size_t storage_size, TF_Status *status);
/* Element `index` of a list(shape). */
TF_CAPI_EXPORT extern void
TF_ShapeInferenceContext_GetAttrShapeListItem(TF_ShapeInferenceContext *ctx, const char *attr_name,
                                              int index, TF_ShapeHandle *result, TF_Status *status);
/* Element `index` of a list(tensor); *val as above. */
TF_CAPI_EXPORT extern void
TF_ShapeInferenceContext_GetAttrTensorListItem(TF_ShapeInferenceContext *ctx, const char *attr_name,
                                               int index, TF_Tensor **val, TF_Status *status);

/* --- Shapes ---------------------------------------------------------------------------------- */

TF_CAPI_EXPORT extern void TF_ShapeInferenceContextUnknownShape(TF_ShapeInferenceContext *ctx,
                                                                TF_ShapeHandle *result);
TF_CAPI_EXPORT extern void TF_ShapeInferenceContextUnknownShapeOfRank(TF_ShapeInferenceContext *ctx,
                                                                      int64_t rank,
                                                                      TF_ShapeHandle *result,
                                                                      TF_Status *status);
/* A shape of `rank` dimensions. */
TF_CAPI_EXPORT extern void TF_ShapeInferenceContextMakeShape(TF_ShapeInferenceContext *ctx,
                                                             TF_DimensionHandle *const *dims,
                                                             int64_t rank, TF_ShapeHandle *result,
                                                             TF_Status *status);
/* The same from numbers; -1 is an unknown dimension. */
TF_CAPI_EXPORT extern void
TF_ShapeInferenceContextMakeShapeFromDims(TF_ShapeInferenceContext *ctx, const int64_t *dims,
                                          int64_t rank, TF_ShapeHandle *result, TF_Status *status);
/* What both say together; INVALID_ARGUMENT when they contradict. */
TF_CAPI_EXPORT extern void TF_ShapeInferenceContextMerge(TF_ShapeInferenceContext *ctx,
                                                         TF_ShapeHandle *first,
                                                         TF_ShapeHandle *second,
                                                         TF_ShapeHandle *result, TF_Status *status);
/* Checks that `shape` begins with `prefix`; the merged shape and prefix come out. */
TF_CAPI_EXPORT extern void
TF_ShapeInferenceContextMergePrefix(TF_ShapeInferenceContext *ctx, TF_ShapeHandle *shape,
                                    TF_ShapeHandle *prefix, TF_ShapeHandle *result_shape,
                                    TF_ShapeHandle *result_prefix, TF_Status *status);
/* Copy with dimension i (negative counts from the end) replaced. */
TF_CAPI_EXPORT extern void TF_ShapeInferenceContextReplaceDim(TF_ShapeInferenceContext *ctx,
                                                              TF_ShapeHandle *shape, int64_t i,
                                                              TF_DimensionHandle *dim,
                                                              TF_ShapeHandle *result,
                                                              TF_Status *status);
TF_CAPI_EXPORT extern int TF_ShapeInferenceContextFullyDefined(TF_ShapeInferenceContext *ctx,
                                                               TF_ShapeHandle *shape);
/* Product of the dimensions; unknown when any is. */
TF_CAPI_EXPORT extern void TF_ShapeInferenceContextNumElements(TF_ShapeInferenceContext *ctx,
                                                               TF_ShapeHandle *shape,
                                                               TF_DimensionHandle *result);

/* --- Dimensions ------------------------------------------------------------------------------ */

TF_CAPI_EXPORT extern void TF_ShapeInferenceContextMakeDim(TF_ShapeInferenceContext *ctx,
                                                           int64_t value,
                                                           TF_DimensionHandle *result);
TF_CAPI_EXPORT extern void TF_ShapeInferenceContextUnknownDim(TF_ShapeInferenceContext *ctx,
                                                              TF_DimensionHandle *result);
TF_CAPI_EXPORT extern void TF_ShapeInferenceContextMergeDim(TF_ShapeInferenceContext *ctx,
                                                            TF_DimensionHandle *first,
                                                            TF_DimensionHandle *second,
                                                            TF_DimensionHandle *result,
                                                            TF_Status *status);
/* `dim` when it is `value` or unknown (then value); INVALID_ARGUMENT otherwise. */
TF_CAPI_EXPORT extern void TF_ShapeInferenceContextWithValue(TF_ShapeInferenceContext *ctx,
                                                             TF_DimensionHandle *dim, int64_t value,
                                                             TF_DimensionHandle *result,
                                                             TF_Status *status);
/* Arithmetic; an unknown operand gives an unknown result where the value could matter. Errors:
 * overflow, a negative difference, division by 0 or (with evenly_divisible) a remainder. */
TF_CAPI_EXPORT extern void TF_ShapeInferenceContextAddDims(TF_ShapeInferenceContext *ctx,
                                                           TF_DimensionHandle *first,
                                                           TF_DimensionHandle *second,
                                                           TF_DimensionHandle *result,
                                                           TF_Status *status);
TF_CAPI_EXPORT extern void TF_ShapeInferenceContextSubtractDims(TF_ShapeInferenceContext *ctx,
                                                                TF_DimensionHandle *first,
                                                                TF_DimensionHandle *second,
                                                                TF_DimensionHandle *result,
                                                                TF_Status *status);
TF_CAPI_EXPORT extern void TF_ShapeInferenceContextMultiplyDims(TF_ShapeInferenceContext *ctx,
                                                                TF_DimensionHandle *first,
                                                                TF_DimensionHandle *second,
                                                                TF_DimensionHandle *result,
                                                                TF_Status *status);
TF_CAPI_EXPORT extern void TF_ShapeInferenceContextDivideDim(TF_ShapeInferenceContext *ctx,
                                                             TF_DimensionHandle *dividend,
                                                             int64_t divisor, bool evenly_divisible,
                                                             TF_DimensionHandle *result,
                                                             TF_Status *status);
TF_CAPI_EXPORT extern void TF_ShapeInferenceContextMinDims(TF_ShapeInferenceContext *ctx,
                                                           TF_DimensionHandle *first,
                                                           TF_DimensionHandle *second,
                                                           TF_DimensionHandle *result,
                                                           TF_Status *status);
TF_CAPI_EXPORT extern void TF_ShapeInferenceContextMaxDims(TF_ShapeInferenceContext *ctx,
                                                           TF_DimensionHandle *first,
                                                           TF_DimensionHandle *second,
                                                           TF_DimensionHandle *result,
                                                           TF_Status *status);

/* --- Constant inputs ------------------------------------------------------------------------- */

/* Value of input i when it is known: a new handle that the caller deletes; else NULL. */
TF_CAPI_EXPORT extern TF_Tensor *TF_ShapeInferenceContextInputTensor(TF_ShapeInferenceContext *ctx,
                                                                     int i);
/* The shape whose dimensions input i (int32 or int64, rank 0 or 1; -1 is unknown) holds; an unknown
 * shape, of known rank where the length of i is known, when the value is not known. A scalar -1
 * means unknown rank. */
TF_CAPI_EXPORT extern void TF_ShapeInferenceContextMakeShapeFromInput(TF_ShapeInferenceContext *ctx,
                                                                      int i, TF_ShapeHandle *result,
                                                                      TF_Status *status);
/* The dimension that scalar integer input i holds; unknown when it is not known. */
TF_CAPI_EXPORT extern void TF_ShapeInferenceContextMakeDimFromInput(TF_ShapeInferenceContext *ctx,
                                                                    int i,
                                                                    TF_DimensionHandle *result,
                                                                    TF_Status *status);

#if ORIBI_HAS_CONTRACT(1, 1)
/* --- Resource handles (since 1.1) ------------------------------------------------------------
 *
 * A handle may tell the shapes and types of what it leads to: one pair for a variable, more for
 * other resources. Shape functions of the ops that make handles set them on outputs; readers of
 * the handle find them on inputs. Type 0 and an unset shape say that one is not known. */

/* Pairs that are known behind input or output i; 0 when nothing is, or for a bad index. */
TF_CAPI_EXPORT extern int
TF_ShapeInferenceContextNumInputHandleShapesAndTypes(TF_ShapeInferenceContext *ctx, int i);
TF_CAPI_EXPORT extern int
TF_ShapeInferenceContextNumOutputHandleShapesAndTypes(TF_ShapeInferenceContext *ctx, int i);

/* Pair k behind input or output i.
 * Errors  INVALID_ARGUMENT: i or k out of range; then shape is unset and *dtype 0. */
TF_CAPI_EXPORT extern void
TF_ShapeInferenceContextInputHandleShapeAndType(TF_ShapeInferenceContext *ctx, int i, int k,
                                                TF_ShapeHandle *shape, TF_DataType *dtype,
                                                TF_Status *status);
TF_CAPI_EXPORT extern void
TF_ShapeInferenceContextOutputHandleShapeAndType(TF_ShapeInferenceContext *ctx, int i, int k,
                                                 TF_ShapeHandle *shape, TF_DataType *dtype,
                                                 TF_Status *status);

/* Replaces what is known behind output i by `count` pairs; 0 forgets it. The arrays are copied.
 * Errors  INVALID_ARGUMENT: bad index, count below 0, an array missing; nothing is changed. */
TF_CAPI_EXPORT extern void TF_ShapeInferenceContextSetOutputHandleShapesAndTypes(
    TF_ShapeInferenceContext *ctx, int i, TF_ShapeHandle *const *shapes, const TF_DataType *dtypes,
    int count, TF_Status *status);

/* Take `count` more pairs in: merging keeps what either says, and the present shape where the two
 * contradict; relaxing keeps of a shape what both say. Either way an unknown type takes the other.
 * Where nothing was known, the pairs are taken as they are. Of an input this shape function alone
 * sees the change.
 * Returns  true when anything changed; false, and nothing changed, also when the counts or two
 *          known types differ, which is no error.
 * Errors   as above. */
TF_CAPI_EXPORT extern bool TF_ShapeInferenceContextMergeInputHandleShapesAndTypes(
    TF_ShapeInferenceContext *ctx, int i, TF_ShapeHandle *const *shapes, const TF_DataType *dtypes,
    int count, TF_Status *status);
TF_CAPI_EXPORT extern bool TF_ShapeInferenceContextMergeOutputHandleShapesAndTypes(
    TF_ShapeInferenceContext *ctx, int i, TF_ShapeHandle *const *shapes, const TF_DataType *dtypes,
    int count, TF_Status *status);
TF_CAPI_EXPORT extern bool TF_ShapeInferenceContextRelaxInputHandleShapesAndMergeTypes(
    TF_ShapeInferenceContext *ctx, int i, TF_ShapeHandle *const *shapes, const TF_DataType *dtypes,
    int count, TF_Status *status);
TF_CAPI_EXPORT extern bool TF_ShapeInferenceContextRelaxOutputHandleShapesAndMergeTypes(
    TF_ShapeInferenceContext *ctx, int i, TF_ShapeHandle *const *shapes, const TF_DataType *dtypes,
    int count, TF_Status *status);
#endif /* 1.1 */

#if ORIBI_HAS_CONTRACT(1, 3)
/* --- Since 1.3 ---------------------------------------------------------------------------------
 */

/* The shape that was set for output i so far; unset when none was.
 * Errors  INVALID_ARGUMENT: i out of range. */
TF_CAPI_EXPORT extern void TF_ShapeInferenceContextGetOutput(TF_ShapeInferenceContext *ctx, int i,
                                                             TF_ShapeHandle *handle,
                                                             TF_Status *status);

/* The dimensions start, start + stride and so on of a shape, up to `end`, which is left out. Below
 * 0, start and end count from the rank; above the rank they are the rank; with a stride below 0 a
 * start at the rank is the last dimension. A part of a shape of unknown rank is unknown; all of a
 * shape, in order, is the shape itself.
 * Errors  INVALID_ARGUMENT: stride 0; start or end before the first dimension; end on the wrong
 *         side of start.
 * Source  TensorFlow's InferenceContext::Subshape, which does not end on a stride of 0. */
TF_CAPI_EXPORT extern void
TF_ShapeInferenceContextStridedSubshape(TF_ShapeInferenceContext *ctx, TF_ShapeHandle *shape_handle,
                                        int64_t start, int64_t end, int64_t stride,
                                        TF_ShapeHandle *result, TF_Status *status);

/* True when both handles are known to mean the same: two known ones with equal values, or one and
 * the same unknown rank or dimension (of an input, or made once and copied, put in a shape, taken
 * out of it, or merged with another). Handles that were never set are the same. */
TF_CAPI_EXPORT extern bool TF_ShapeHandleIsSame(TF_ShapeHandle *first, TF_ShapeHandle *second);
TF_CAPI_EXPORT extern bool TF_DimensionHandleIsSame(TF_DimensionHandle *first,
                                                    TF_DimensionHandle *second);

/* The value of vector input i as a shape; an element whose value is not known is an unknown
 * dimension. Unset when not even the length is known, and for what is no vector.
 * Errors  INVALID_ARGUMENT: i out of range, or a value that is no shape. */
TF_CAPI_EXPORT extern void TF_ShapeInferenceContextInputTensorAsShape(TF_ShapeInferenceContext *ctx,
                                                                      int i, TF_ShapeHandle *result,
                                                                      TF_Status *status);

/* TF_ShapeInferenceContextMakeDimFromInput for an index: below 0 it counts from `rank`; with a rank
 * below 0, which is not known, such an index gives an unknown dimension.
 * Errors  INVALID_ARGUMENT: i out of range, no integer scalar, an index before the first. */
TF_CAPI_EXPORT extern void
TF_ShapeInferenceContextMakeDimFromInputIndex(TF_ShapeInferenceContext *ctx, int i, int64_t rank,
                                              TF_DimensionHandle *result, TF_Status *status);

/* Version of graph definitions whose rules the host follows: the producer's number that
 * TensorFlow 2.16 writes. */
TF_CAPI_EXPORT extern int TF_ShapeInferenceContextGraphDefVersion(TF_ShapeInferenceContext *ctx);

/* An attribute of any kind as a serialised AttrValue, functions and lists of them included. *value
 * is an empty buffer that the caller owns.
 * Errors  NOT_FOUND: no such attribute; RESOURCE_EXHAUSTED. The buffer stays empty. */
TF_CAPI_EXPORT extern void TF_ShapeInferenceContext_GetAttrProto(TF_ShapeInferenceContext *ctx,
                                                                 const char *attr_name,
                                                                 TF_Buffer *value,
                                                                 TF_Status *status);
#endif /* 1.3 */

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* ORIBI_TENSORFLOW_C_SHAPE_INFERENCE_H_ */
