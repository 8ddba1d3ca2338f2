/* SPDX-License-Identifier: Apache-2.0 */
/* An op as sources write it that serve TensorFlow and TensorFlow Lite: one column of a matrix. */
#include "tensorflow/lite/kernels/shim/op_kernel.h"
#include "tensorflow/lite/kernels/shim/status_macros.h"
#include "tensorflow/lite/kernels/shim/tf_op_shim.h"

template <tflite::shim::Runtime kRuntime>
class Column : public tflite::shim::OpKernelShim<Column, kRuntime>
{
  public:
    using typename tflite::shim::OpKernelShim<Column, kRuntime>::InitContext;
    using typename tflite::shim::OpKernelShim<Column, kRuntime>::InvokeContext;
    using typename tflite::shim::OpKernelShim<Column, kRuntime>::ShapeInferenceContext;

    static const char *OpName()
    {
        return "ShimColumn";
    }
    static const char *Doc()
    {
        return "One column.";
    }
    static std::vector<std::string> Attrs()
    {
        return {"column: int", "text: string"};
    }
    static std::vector<std::string> Inputs()
    {
        return {"x: int32"};
    }
    static std::vector<std::string> Outputs()
    {
        return {"y: int32"};
    }
    absl::Status Init(InitContext *context)
    {
        absl::string_view text;
        SH_RETURN_IF_ERROR(context->GetAttr("column", &column_));
        SH_RETURN_IF_ERROR(context->GetAttr("text", &text));
        text_ = std::string(text);
        return absl::OkStatus();
    }
    absl::Status Invoke(InvokeContext *context)
    {
        SH_ASSIGN_OR_RETURN(const auto input, context->GetInput(0));
        const auto x = input->template As<int32_t, 2>();
        if (column_ >= x.Dim(1)) {
            return absl::InvalidArgumentError("no column " + std::to_string(column_) + " " + text_);
        }
        std::vector<int32_t> out;
        for (int i = 0; i < x.Dim(0); i++) {
            out.push_back(x(i, column_));
        }
        return this->template FillOutputTensor<int32_t, int32_t>(out, 0, context);
    }
    static absl::Status ShapeInference(ShapeInferenceContext *context)
    {
        SH_ASSIGN_OR_RETURN(const auto shape, context->GetInputShape(0));
        return context->SetOutputShape(0, tflite::shim::Shape({shape.Dim(0)}));
    }

  private:
    int64_t column_ = 0;
    std::string text_;
};

class ColumnKernel : public tflite::shim::TfOpKernel<Column>
{
  public:
    using TfOpKernel::TfOpKernel;
};
REGISTER_TF_OP_SHIM(ColumnKernel);

using tensorflow::DEVICE_CPU;
REGISTER_KERNEL_BUILDER(Name(ColumnKernel::OpName()).Device(DEVICE_CPU), ColumnKernel);
