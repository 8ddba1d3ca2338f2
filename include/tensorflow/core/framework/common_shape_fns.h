/* SPDX-License-Identifier: Apache-2.0 */
/* Shape functions that many ops share: the plain ones here, the others in shapes/. What each
 * infers is held against TensorFlow's by tests/cxx/shape_fns.txt. */
#ifndef ORIBI_TENSORFLOW_CORE_FRAMEWORK_COMMON_SHAPE_FNS_H_
#define ORIBI_TENSORFLOW_CORE_FRAMEWORK_COMMON_SHAPE_FNS_H_

#include "tensorflow/core/framework/op_def_builder.h"
#include "tensorflow/core/framework/shapes/broadcast.h"
#include "tensorflow/core/framework/shapes/channels.h"
#include "tensorflow/core/framework/shapes/conv.h"
#include "tensorflow/core/framework/shapes/indexed.h"
#include "tensorflow/core/framework/shapes/pool.h"
#include "tensorflow/core/framework/shapes/products.h"
#include "tensorflow/core/framework/shapes/windows.h"
#include "tensorflow/core/framework/shape_inference.h"

namespace tensorflow ORIBI_HIDDEN
{
namespace shape_inference
{

inline Status UnchangedShape(InferenceContext *c)
{
    c->set_output(0, c->input(0));
    const std::vector<ShapeAndType> *behind = c->input_handle_shapes_and_types(0);
    if (behind != nullptr) {
        c->set_output_handle_shapes_and_types(0, *behind);
    }
    return Status();
}
inline Status UnchangedShapeWithRank(InferenceContext *c, int32 rank)
{
    ShapeHandle out;
    TF_RETURN_IF_ERROR(c->WithRank(c->input(0), rank, &out));
    c->set_output(0, out);
    return Status();
}
inline Status UnchangedShapeWithRankAtLeast(InferenceContext *c, int32 rank)
{
    ShapeHandle out;
    TF_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(0), rank, &out));
    c->set_output(0, out);
    return Status();
}
inline Status UnchangedShapeWithRankAtMost(InferenceContext *c, int32 rank)
{
    ShapeHandle out;
    TF_RETURN_IF_ERROR(c->WithRankAtMost(c->input(0), rank, &out));
    c->set_output(0, out);
    return Status();
}
inline Status NoOutputs(InferenceContext *)
{
    return Status();
}
inline Status ScalarShape(InferenceContext *c)
{
    c->set_output(0, c->Scalar());
    return Status();
}
inline Status UnknownShape(InferenceContext *c)
{
    for (int i = 0; i < c->num_outputs(); i++) {
        c->set_output(i, c->UnknownShape());
    }
    return Status();
}
inline Status ScalarInputsAndOutputs(InferenceContext *c)
{
    ShapeHandle unused;
    for (int i = 0; i < c->num_inputs(); i++) {
        TF_RETURN_IF_ERROR(c->WithRank(c->input(i), 0, &unused));
    }
    for (int i = 0; i < c->num_outputs(); i++) {
        c->set_output(i, c->Scalar());
    }
    return Status();
}

} // namespace shape_inference
} // namespace tensorflow

#endif
