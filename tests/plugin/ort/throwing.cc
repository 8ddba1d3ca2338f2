// SPDX-License-Identifier: Apache-2.0
// A library of custom ops whose code throws: while it creates (-DAT=1), computes (2) or registers
// (3).
#include <stdexcept>

#include "ort_abi.h"

namespace
{

const ort_api *api;

void stumble(int at)
{
    if (at == AT) {
        throw std::runtime_error("thrown on purpose");
    }
}

ort_custom_op make_op()
{
    ort_custom_op op = {};
    op.version = 8;
    op.create = [](const ort_custom_op *, const ort_api *, const ort_kernel_info *) -> void * {
        stumble(1);
        return nullptr;
    };
    op.name = [](const ort_custom_op *) { return "Throws"; };
    op.provider = [](const ort_custom_op *) -> const char * { return nullptr; };
    op.input_type = [](const ort_custom_op *, size_t) -> int32_t { return ORT_TYPE_FLOAT; };
    op.n_inputs = [](const ort_custom_op *) -> size_t { return 1; };
    op.output_type = op.input_type;
    op.n_outputs = op.n_inputs;
    op.compute = [](void *, ort_kernel_context *) { stumble(2); };
    op.destroy = [](void *) {};
    op.input_kind = [](const ort_custom_op *, size_t) -> int32_t { return ORT_REQUIRED; };
    op.output_kind = op.input_kind;
    return op;
}

} // namespace

extern "C" __attribute__((visibility("default"))) ort_status *
RegisterCustomOps(ort_session_options *options, const ort_api_base *base)
{
    static const ort_custom_op op = make_op();
    ort_domain *domain = nullptr;
    stumble(3);
    api = base->get_api(16);
    ort_status *failed = api->CreateCustomOpDomain("test.custom", &domain);
    failed = failed ? failed : api->CustomOpDomain_Add(domain, &op);
    return failed ? failed : api->AddCustomOpDomain(options, domain);
}
