// SPDX-License-Identifier: Apache-2.0
// Ops of many.cc and their shape functions.
#include "tensorflow/core/framework/common_shape_fns.h"
#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/shape_inference.h"

namespace tensorflow
{

using shape_inference::DimensionHandle;
using shape_inference::InferenceContext;
using shape_inference::ShapeHandle;

REGISTER_OP(PREFIX "Square")
    .Attr("T: {float, double, int64}")
    .Input("x: T")
    .Output("y: T")
    .SetShapeFn(shape_inference::UnchangedShape);

REGISTER_OP(PREFIX "RowSum")
    .Attr("scale: float = 1.0")
    .Input("x: float")
    .Output("y: float")
    .SetShapeFn([](InferenceContext *c) {
        ShapeHandle x;
        TF_RETURN_IF_ERROR(c->WithRank(c->input(0), 2, &x));
        c->set_output(0, c->Vector(c->Dim(x, 0)));
        return OkStatus();
    });

REGISTER_OP(PREFIX "Describe")
    .Attr("i: int")
    .Attr("wide: int")
    .Attr("f: float")
    .Attr("b: bool")
    .Attr("s: string")
    .Attr("type: type")
    .Attr("shape: shape")
    .Attr("partial: shape")
    .Attr("tensor: tensor")
    .Attr("is: list(int)")
    .Attr("fs: list(float)")
    .Attr("bs: list(bool)")
    .Attr("ss: list(string)")
    .Attr("types: list(type)")
    .Attr("shapes: list(shape)")
    .Output("text: string")
    .SetShapeFn([](InferenceContext *c) {
        int64 wide = 0;
        std::vector<string> ss;
        std::vector<PartialTensorShape> shapes;
        PartialTensorShape partial;
        TF_RETURN_IF_ERROR(c->GetAttr("wide", &wide));
        TF_RETURN_IF_ERROR(c->GetAttr("ss", &ss));
        TF_RETURN_IF_ERROR(c->GetAttr("shapes", &shapes));
        TF_RETURN_IF_ERROR(c->GetAttr("partial", &partial));
        if (wide != int64{1} << 40 || ss.size() != 2 || ss[1] != "two" || shapes.size() != 2 ||
            shapes[1].dim_size(0) != 4 || partial.dim_size(1) != -1) {
            return errors::Internal("the shape function reads other attributes than the test set");
        }
        return shape_inference::ScalarShape(c);
    });

REGISTER_OP(PREFIX "Words")
    .Input("text: string")
    .Output("words: string")
    .Output("counts: int32")
    .SetShapeFn([](InferenceContext *c) {
        c->set_output(0, c->Vector(c->UnknownDim()));
        c->set_output(1, c->input(0));
        return OkStatus();
    });

REGISTER_OP(PREFIX "RunningSum")
    .Attr("N: int >= 1")
    .Input("xs: N * int32")
    .Output("ys: N * int32")
    .Output("last: int32")
    .SetShapeFn([](InferenceContext *c) {
        std::vector<ShapeHandle> xs;
        TF_RETURN_IF_ERROR(c->input("xs", &xs));
        ShapeHandle all = xs[0];
        for (ShapeHandle x : xs) {
            TF_RETURN_IF_ERROR(c->Merge(all, x, &all));
        }
        TF_RETURN_IF_ERROR(c->set_output("ys", std::vector<ShapeHandle>(xs.size(), all)));
        return c->set_output("last", {all});
    });

REGISTER_OP(PREFIX "Row")
    .Input("x: float")
    .Input("row: int32")
    .Output("y: float")
    .SetShapeFn([](InferenceContext *c) {
        ShapeHandle x, row, rest;
        TF_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(0), 1, &x));
        TF_RETURN_IF_ERROR(c->WithRank(c->input(1), 0, &row));
        TF_RETURN_IF_ERROR(c->Subshape(x, 1, &rest));
        const Tensor *value = c->input_tensor(1);
        if (value != nullptr && c->ValueKnown(c->Dim(x, 0)) &&
            value->scalar<int32>()() >= c->Value(c->Dim(x, 0))) {
            return errors::InvalidArgument("row ", value->scalar<int32>()(), " of ",
                                           c->DebugString(x));
        }
        c->set_output(0, rest);
        return OkStatus();
    });

/* Every arithmetic of dimensions on the shapes of the inputs; the output is [sum, ...]. */
REGISTER_OP(PREFIX "Arithmetic")
    .Input("a: int32")
    .Input("b: int32")
    .Output("y: int32")
    .SetShapeFn([](InferenceContext *c) {
        ShapeHandle a, b, both, whole;
        TF_RETURN_IF_ERROR(c->WithRank(c->input(0), 1, &a));
        TF_RETURN_IF_ERROR(c->WithRankAtMost(c->input(1), 1, &b));
        const DimensionHandle m = c->Dim(a, 0), n = c->Dim(b, -1);
        DimensionHandle sum, difference, product, quotient, least, most, same;
        TF_RETURN_IF_ERROR(c->Add(m, n, &sum));
        TF_RETURN_IF_ERROR(c->Subtract(m, n, &difference));
        TF_RETURN_IF_ERROR(c->Multiply(m, 3, &product));
        TF_RETURN_IF_ERROR(c->Divide(m, 2, false, &quotient));
        TF_RETURN_IF_ERROR(c->Min(m, n, &least));
        TF_RETURN_IF_ERROR(c->Max(m, n, &most));
        TF_RETURN_IF_ERROR(c->WithValue(c->UnknownDim(), 9, &same));
        TF_RETURN_IF_ERROR(c->Concatenate(c->MakeShape({sum, difference, product}),
                                          c->Matrix(quotient, least), &both));
        TF_RETURN_IF_ERROR(c->Concatenate(both, c->MakeShape({most, same, 1}), &whole));
        TF_RETURN_IF_ERROR(c->ReplaceDim(whole, -1, c->NumElements(c->Matrix(2, 5)), &whole));
        c->set_output(0, whole);
        return OkStatus();
    });

REGISTER_OP(PREFIX "Later")
    .Input("x: int32")
    .Output("y: int32")
    .SetShapeFn(shape_inference::UnchangedShape);

REGISTER_OP(PREFIX "Count")
    .Attr("container: string = ''")
    .Attr("shared_name: string = ''")
    .Output("count: int64")
    .SetIsStateful()
    .SetShapeFn(shape_inference::ScalarShape)
    .Doc(R"doc(
Counts its calls.

shared_name: nodes of one name count together.
count: calls so far, this one included.
)doc");

} // namespace tensorflow
