/* SPDX-License-Identifier: Apache-2.0 */
/* Ops of lists of tensors, which are what ONNX's sequences and optionals become: a variant of one
 * axis is a sequence, one without axes an optional tensor (tensorflow/c/variant.h). What is known
 * of the elements travels as the handle's shape and type. Its length is the op Size.
 */
#include "ops_core/ops_core.h"
#include "ops_core/shape_functions.h"

/* Elements of output 0 are of the attribute T, and of this shape. */
static void set_elements(oribi_ops_ctx *ctx, TF_ShapeHandle *shape, TF_Status *status)
{
    TF_DataType dtype = (TF_DataType)0;
    TF_ShapeInferenceContext_GetAttrType(ctx, "T", &dtype, status);
    if (TF_GetCode(status) == TF_OK) {
        TF_ShapeInferenceContextSetOutputHandleShapesAndTypes(ctx, 0, &shape, &dtype, 1, status);
    }
}

static void set_any_elements(oribi_ops_ctx *ctx, TF_Status *status)
{
    TF_ShapeHandle *unknown = TF_NewShapeHandle();
    TF_ShapeInferenceContextUnknownShape(ctx, unknown);
    set_elements(ctx, unknown, status);
    TF_DeleteShapeHandle(unknown);
}

/* Output 0 is a sequence of `length` elements, -1: any number. */
static bool set_length(oribi_ops_ctx *ctx, int64_t length, TF_Status *status)
{
    return oribi_ops_output_dims(ctx, 0, 1, &length, status);
}

static void list(oribi_ops_ctx *ctx, TF_Status *status)
{
    bool is_optional = false;
    if (!oribi_ops_attr_bool(ctx, "is_optional", &is_optional, status)) {
        return;
    }
    const int64_t count = TF_ShapeInferenceContextNumInputs(ctx);
    if (is_optional ? oribi_ops_output_dims(ctx, 0, 0, NULL, status)
                    : set_length(ctx, count, status)) {
        set_any_elements(ctx, status);
    }
}

static void no_list(oribi_ops_ctx *ctx, TF_Status *status)
{
    oribi_ops_shape any;
    if (oribi_ops_output(ctx, 0, oribi_ops_set_unknown(&any), status)) {
        set_any_elements(ctx, status);
    }
}

static void changed_length(oribi_ops_ctx *ctx, int64_t by, TF_Status *status)
{
    oribi_ops_shape list;
    if (oribi_ops_input_rank(ctx, 0, 1, &list, status)) {
        const bool is_known = list.at[0] >= 0 && list.at[0] + by >= 0;
        if (set_length(ctx, is_known ? list.at[0] + by : -1, status)) {
            set_any_elements(ctx, status);
        }
    }
}

static void insert(oribi_ops_ctx *ctx, TF_Status *status)
{
    changed_length(ctx, 1, status);
}

static void erase(oribi_ops_ctx *ctx, TF_Status *status)
{
    changed_length(ctx, -1, status);
}

static void element(oribi_ops_ctx *ctx, TF_Status *status)
{
    TF_ShapeHandle *shape = TF_NewShapeHandle();
    TF_DataType dtype = (TF_DataType)0;
    TF_ShapeInferenceContextUnknownShape(ctx, shape);
    if (TF_ShapeInferenceContextNumInputHandleShapesAndTypes(ctx, 0) == 1) {
        TF_ShapeInferenceContextInputHandleShapeAndType(ctx, 0, 0, shape, &dtype, status);
    }
    if (TF_GetCode(status) == TF_OK) {
        TF_ShapeInferenceContextSetOutput(ctx, 0, shape, status);
    }
    TF_DeleteShapeHandle(shape);
}

/* Elements have the rank of x, or one less, and its sizes but along the axis. */
static void split(oribi_ops_ctx *ctx, TF_Status *status)
{
    oribi_ops_shape x;
    int64_t axis = 0, at = 0;
    bool keeps_dims = true;
    if (!oribi_ops_input(ctx, 0, &x, status) || !oribi_ops_attr_int(ctx, "axis", &axis, status) ||
        !oribi_ops_attr_bool(ctx, "keepdims", &keeps_dims, status) ||
        !set_length(ctx, -1, status)) {
        return;
    }
    if (x.n < 0) {
        set_any_elements(ctx, status);
        return;
    }
    if (!oribi_ops_axis(axis, x.n, &at, status)) {
        return;
    }
    if (keeps_dims) {
        x.at[at] = -1;
    } else {
        oribi_ops_remove_dim(&x, at);
    }
    TF_ShapeHandle *shape = TF_NewShapeHandle();
    TF_ShapeInferenceContextMakeShapeFromDims(ctx, x.at, x.n, shape, status);
    if (TF_GetCode(status) == TF_OK) {
        set_elements(ctx, shape, status);
    }
    TF_DeleteShapeHandle(shape);
}

static void some_list(oribi_ops_ctx *ctx, TF_Status *status)
{
    if (set_length(ctx, -1, status)) {
        set_any_elements(ctx, status);
    }
}

const oribi_ops_row oribi_ops_list[] = {
    {.name = "Oribi>List",
     .inputs = "tensors: N * T",
     .outputs = "list: variant",
     .attrs = "N: int >= 0; T: type; is_optional: bool = false",
     .shape = list},
    {.name = "Oribi>NoList", /* an optional sequence without a value */
     .inputs = NULL,
     .outputs = "list: variant",
     .attrs = "T: type",
     .shape = no_list},
    {.name = "Oribi>ListInsert", /* position: without elements, at the end */
     .inputs = "list: variant; tensor: T; position: P",
     .outputs = "result: variant",
     .attrs = "T: type; P: " ORIBI_OPS_INDEX,
     .shape = insert},
    {.name = "Oribi>ListErase",
     .inputs = "list: variant; position: P",
     .outputs = "result: variant",
     .attrs = "T: type; P: " ORIBI_OPS_INDEX,
     .shape = erase},
    {.name = "Oribi>ListAt",
     .inputs = "list: variant; position: P",
     .outputs = "tensor: T",
     .attrs = "T: type; P: " ORIBI_OPS_INDEX,
     .shape = element},
    {.name = "Oribi>ListSplit", /* split: a size, or all of them */
     .inputs = "x: T; split: S",
     .outputs = "list: variant",
     .attrs = "T: type; S: " ORIBI_OPS_INDEX "; axis: int = 0; keepdims: bool = true",
     .shape = split},
    {.name = "Oribi>ListConcat",
     .inputs = "list: variant",
     .outputs = "y: T",
     .attrs = "T: type; axis: int; new_axis: bool = false",
     .shape = TF_ShapeInferenceContextSetUnknownShape},
    {.name = "Oribi>ListHas", /* has the optional a value? */
     .inputs = "list: variant",
     .outputs = "has: bool",
     .shape = oribi_ops_shape_scalar},
    {.name = "Oribi>ListGet", /* the sequence in an optional */
     .inputs = "list: variant",
     .outputs = "result: variant",
     .attrs = "T: type",
     .shape = some_list},
    {.name = NULL}};
