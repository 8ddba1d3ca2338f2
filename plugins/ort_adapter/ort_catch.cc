// SPDX-License-Identifier: Apache-2.0
// Calls into a library. What its C++ code throws becomes a status here, as in ONNX Runtime: an
// exception must not reach the host's frames. Nothing else of this room is C++.
#include <exception>

#include "ort_catch.h"

namespace
{

enum { FIRST_WITH_STATUSES = 16 };

template <typename Call> ort_status *guard(Call call)
{
    try {
        return call();
    } catch (const std::exception &thrown) {
        return oribi_ort_fail(ORT_RUNTIME_EXCEPTION, "%s", thrown.what());
    } catch (...) {
        return oribi_ort_fail(ORT_RUNTIME_EXCEPTION,
                              "it threw something that is no std::exception");
    }
}

} // namespace

ort_status *oribi_ort_call_register(ort_register_custom_ops entry, ort_session_options *options)
{
    return guard([=] { return entry(options, &oribi_ort_base); });
}

ort_status *oribi_ort_call_create(const ort_custom_op *op, const ort_kernel_info *info, void **out)
{
    *out = nullptr;
    return guard([=]() -> ort_status * {
        if (op->version >= FIRST_WITH_STATUSES && op->create_v2) {
            return op->create_v2(op, &oribi_ort_table, info, out);
        }
        if (!op->create) {
            return oribi_ort_fail(ORT_FAIL, "it has no function that creates a kernel");
        }
        *out = op->create(op, &oribi_ort_table, info);
        return nullptr;
    });
}

ort_status *oribi_ort_call_compute(const ort_custom_op *op, void *kernel,
                                   ort_kernel_context *context)
{
    return guard([=]() -> ort_status * {
        if (op->version >= FIRST_WITH_STATUSES && op->compute_v2) {
            return op->compute_v2(kernel, context);
        }
        if (!op->compute) {
            return oribi_ort_fail(ORT_FAIL, "it has no function that computes");
        }
        op->compute(kernel, context);
        return nullptr;
    });
}

ort_status *oribi_ort_call_infer(const ort_custom_op *op, ort_shape_context *context)
{
    return guard([=] { return op->infer_shapes(op, context); });
}
