/* SPDX-License-Identifier: Apache-2.0 */
/* Op definitions: builder, registration, shape inference. Getters beyond these: shape_inference.h.
 */
#ifndef ORIBI_TENSORFLOW_C_OPS_H_
#define ORIBI_TENSORFLOW_C_OPS_H_

#include "tensorflow/c/c_api_macros.h"
#include "tensorflow/c/tf_datatype.h"
#include "tensorflow/c/tf_status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct TF_OpDefinitionBuilder TF_OpDefinitionBuilder;
typedef struct TF_ShapeInferenceContext TF_ShapeInferenceContext;
typedef struct TF_ShapeHandle TF_ShapeHandle;
typedef struct TF_DimensionHandle TF_DimensionHandle;

/* Caller owns until Register or Delete; name copied.
 * Errors  not checked here.
 */
TF_CAPI_EXPORT extern TF_OpDefinitionBuilder *TF_NewOpDefinitionBuilder(const char *op_name);

/* Always frees builder.
 * Errors  OK; INVALID_ARGUMENT (all spec errors joined by newline, or OpDef check failure);
 *   ALREADY_EXISTS "Op with name X". Quirk: once TF's op registry has been read, a failed
 *   registration aborts the process instead of setting status (see section 5.4).
 */
TF_CAPI_EXPORT extern void TF_RegisterOpDefinition(TF_OpDefinitionBuilder *builder,
                                                   TF_Status *status);

/* Frees.
 * Errors  NULL ok.
 */
TF_CAPI_EXPORT extern void TF_DeleteOpDefinitionBuilder(TF_OpDefinitionBuilder *builder);

/* Spec copied.
 * Errors  never fails; errors surface at register.
 */
TF_CAPI_EXPORT extern void TF_OpDefinitionBuilderAddAttr(TF_OpDefinitionBuilder *builder,
                                                         const char *attr_spec);

/* Spec copied; order = input order.
 * Errors  same.
 */
TF_CAPI_EXPORT extern void TF_OpDefinitionBuilderAddInput(TF_OpDefinitionBuilder *builder,
                                                          const char *input_spec);

/* Spec copied; order = output order.
 * Errors  same.
 */
TF_CAPI_EXPORT extern void TF_OpDefinitionBuilderAddOutput(TF_OpDefinitionBuilder *builder,
                                                           const char *output_spec);

/* Sets OpDef flag.
 * Errors  Quirk: TF ignores the argument - calling with false still sets true. Callers do pass
 *   false meaning "not"; honour the argument.
 */
TF_CAPI_EXPORT extern void TF_OpDefinitionBuilderSetIsCommutative(TF_OpDefinitionBuilder *builder,
                                                                  bool is_commutative);

/* Sets OpDef flag.
 * Errors  Quirk: TF ignores the argument - calling with false still sets true. Callers do pass
 *   false meaning "not"; honour the argument.
 */
TF_CAPI_EXPORT extern void TF_OpDefinitionBuilderSetIsAggregate(TF_OpDefinitionBuilder *builder,
                                                                bool is_aggregate);

/* Sets OpDef flag.
 * Errors  Quirk: TF ignores the argument - calling with false still sets true. Callers do pass
 *   false meaning "not"; honour the argument.
 */
TF_CAPI_EXPORT extern void TF_OpDefinitionBuilderSetIsStateful(TF_OpDefinitionBuilder *builder,
                                                               bool is_stateful);

/* Sets OpDef flag.
 * Errors  Quirk: TF ignores the argument - calling with false still sets true. Callers do pass
 *   false meaning "not"; honour the argument.
 */
TF_CAPI_EXPORT extern void
TF_OpDefinitionBuilderSetAllowsUninitializedInput(TF_OpDefinitionBuilder *builder,
                                                  bool allows_uninitialized_input);

/* Explanation copied.
 * Errors  second call -> error at register ("Deprecated called twice for Op X").
 */
TF_CAPI_EXPORT extern void TF_OpDefinitionBuilderDeprecated(TF_OpDefinitionBuilder *builder,
                                                            int version, const char *explanation);

/* Stores pointer.
 * Errors  second call -> error at register ("SetShapeFn called twice for Op X"). No shape fn: op
 *   still registers; importing a node gives unknown shapes.
 */
TF_CAPI_EXPORT extern void TF_OpDefinitionBuilderSetShapeInferenceFunction(
    TF_OpDefinitionBuilder *builder,
    void (*shape_inference_func)(TF_ShapeInferenceContext *, TF_Status *));

/* Count. */
TF_CAPI_EXPORT extern int64_t TF_ShapeInferenceContextNumInputs(TF_ShapeInferenceContext *ctx);

/* Heap wrapper around an unset handle; caller deletes.
 * Errors  unset: rank known = 0, rank = -1.
 */
TF_CAPI_EXPORT extern TF_ShapeHandle *TF_NewShapeHandle(void);

/* Copies handle into handle.
 * Errors  INVALID_ARGUMENT "input index out of range". Quirk: TF up to at least 2.9 tests 0 < i,
 *   so every i>0 fails; later fixed (issue 56906).
 */
TF_CAPI_EXPORT extern void TF_ShapeInferenceContextGetInput(TF_ShapeInferenceContext *ctx, int i,
                                                            TF_ShapeHandle *handle,
                                                            TF_Status *status);

/* Copies; caller may delete handle after.
 * Errors  INVALID_ARGUMENT "output index out of range"; same old quirk.
 */
TF_CAPI_EXPORT extern void TF_ShapeInferenceContextSetOutput(TF_ShapeInferenceContext *ctx, int i,
                                                             TF_ShapeHandle *handle,
                                                             TF_Status *status);

/* New handle, rank 0; caller deletes. */
TF_CAPI_EXPORT extern TF_ShapeHandle *TF_ShapeInferenceContextScalar(TF_ShapeInferenceContext *ctx);

/* New handle [size]; caller deletes. */
TF_CAPI_EXPORT extern TF_ShapeHandle *
TF_ShapeInferenceContextVectorFromSize(TF_ShapeInferenceContext *ctx, size_t size);

/* Wrapper around unset dim; caller deletes. */
TF_CAPI_EXPORT extern TF_DimensionHandle *TF_NewDimensionHandle(void);

/* Writes *val on OK.
 * Errors  missing -> NOT_FOUND; wrong kind -> INVALID_ARGUMENT; *val untouched. The only attr
 *   getter that exists for shape functions.
 */
TF_CAPI_EXPORT extern void TF_ShapeInferenceContext_GetAttrType(TF_ShapeInferenceContext *ctx,
                                                                const char *attr_name,
                                                                TF_DataType *val,
                                                                TF_Status *status);

/* Rank, or -1 unknown. */
TF_CAPI_EXPORT extern int64_t TF_ShapeInferenceContextRank(TF_ShapeInferenceContext *ctx,
                                                           TF_ShapeHandle *handle);

/* 1/0. */
TF_CAPI_EXPORT extern int TF_ShapeInferenceContextRankKnown(TF_ShapeInferenceContext *ctx,
                                                            TF_ShapeHandle *handle);

/* Result := handle; unknown rank -> new shape of rank unknown dims.
 * Errors  INVALID_ARGUMENT "Shape must be rank R but is rank E"; rank > INT32_MAX ->
 *   INVALID_ARGUMENT; result becomes unset.
 */
TF_CAPI_EXPORT extern void TF_ShapeInferenceContextWithRank(TF_ShapeInferenceContext *ctx,
                                                            TF_ShapeHandle *handle, int64_t rank,
                                                            TF_ShapeHandle *result,
                                                            TF_Status *status);

/* Result := handle; unknown stays unknown.
 * Errors  INVALID_ARGUMENT "Shape must be at least rank R but is rank E".
 */
TF_CAPI_EXPORT extern void
TF_ShapeInferenceContextWithRankAtLeast(TF_ShapeInferenceContext *ctx, TF_ShapeHandle *handle,
                                        int64_t rank, TF_ShapeHandle *result, TF_Status *status);

/* Result := handle; unknown stays unknown.
 * Errors  INVALID_ARGUMENT "Shape must be at most rank R but is rank E".
 */
TF_CAPI_EXPORT extern void
TF_ShapeInferenceContextWithRankAtMost(TF_ShapeInferenceContext *ctx, TF_ShapeHandle *handle,
                                       int64_t rank, TF_ShapeHandle *result, TF_Status *status);

/* Result := dim i; i in [-rank, rank).
 * Errors  out of range or unknown rank -> unset dim; no status argument.
 */
TF_CAPI_EXPORT extern void TF_ShapeInferenceContextDim(TF_ShapeInferenceContext *ctx,
                                                       TF_ShapeHandle *shape_handle, int64_t i,
                                                       TF_DimensionHandle *result);

/* Half-open [start,end); negatives count from end; both clamp to rank.
 * Errors  INVALID_ARGUMENT when start > end or out of bounds after fix-up; unknown rank ->
 *   unknown shape (same shape if start=0 and end=INT64_MAX).
 */
TF_CAPI_EXPORT extern void TF_ShapeInferenceContextSubshape(TF_ShapeInferenceContext *ctx,
                                                            TF_ShapeHandle *shape_handle,
                                                            int64_t start, int64_t end,
                                                            TF_ShapeHandle *result,
                                                            TF_Status *status);

/* All outputs := unknown.
 * Errors  always OK. Same signature as a shape function: plugins pass its address directly as
 *   the shape function.
 */
TF_CAPI_EXPORT extern void TF_ShapeInferenceContextSetUnknownShape(TF_ShapeInferenceContext *ctx,
                                                                   TF_Status *status);

/* 1/0. */
TF_CAPI_EXPORT extern int TF_DimensionHandleValueKnown(TF_DimensionHandle *dim_handle);

/* Value, or -1 unknown. */
TF_CAPI_EXPORT extern int64_t TF_DimensionHandleValue(TF_DimensionHandle *dim_handle);

/* Result := first ++ second.
 * Errors  either rank unknown -> unknown shape, OK.
 */
TF_CAPI_EXPORT extern void TF_ShapeInferenceContextConcatenateShapes(TF_ShapeInferenceContext *ctx,
                                                                     TF_ShapeHandle *first,
                                                                     TF_ShapeHandle *second,
                                                                     TF_ShapeHandle *result,
                                                                     TF_Status *status);

/* Frees wrapper only.
 * Errors  NULL ok.
 */
TF_CAPI_EXPORT extern void TF_DeleteShapeHandle(TF_ShapeHandle *handle);

/* Frees wrapper only.
 * Errors  NULL ok.
 */
TF_CAPI_EXPORT extern void TF_DeleteDimensionHandle(TF_DimensionHandle *handle);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* ORIBI_TENSORFLOW_C_OPS_H_ */
