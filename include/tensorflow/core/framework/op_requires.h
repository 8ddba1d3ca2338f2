/* SPDX-License-Identifier: Apache-2.0 */
/* OP_REQUIRES and its kin: hand a failure to the host and return. */
#ifndef ORIBI_TENSORFLOW_CORE_FRAMEWORK_OP_REQUIRES_H_
#define ORIBI_TENSORFLOW_CORE_FRAMEWORK_OP_REQUIRES_H_

#include <utility>

#include "tensorflow/core/platform/errors.h"

#define OP_REQUIRES(CTX, EXP, STATUS)                                                              \
    do {                                                                                           \
        if (!TF_PREDICT_TRUE(EXP)) {                                                               \
            (CTX)->CtxFailure(__FILE__, __LINE__, (STATUS));                                       \
            return;                                                                                \
        }                                                                                          \
    } while (0)
#define OP_REQUIRES_OK(CTX, ...)                                                                   \
    do {                                                                                           \
        const ::tensorflow::Status oribi_op_status_(__VA_ARGS__);                                  \
        if (!TF_PREDICT_TRUE(oribi_op_status_.ok())) {                                             \
            (CTX)->CtxFailure(__FILE__, __LINE__, oribi_op_status_);                               \
            return;                                                                                \
        }                                                                                          \
    } while (0)
#define OP_REQUIRES_ASYNC(CTX, EXP, STATUS, CALLBACK)                                              \
    do {                                                                                           \
        if (!TF_PREDICT_TRUE(EXP)) {                                                               \
            (CTX)->CtxFailure(__FILE__, __LINE__, (STATUS));                                       \
            (CALLBACK)();                                                                          \
            return;                                                                                \
        }                                                                                          \
    } while (0)
#define OP_REQUIRES_OK_ASYNC(CTX, STATUS, CALLBACK)                                                \
    do {                                                                                           \
        const ::tensorflow::Status oribi_op_status_(STATUS);                                       \
        if (!TF_PREDICT_TRUE(oribi_op_status_.ok())) {                                             \
            (CTX)->CtxFailure(__FILE__, __LINE__, oribi_op_status_);                               \
            (CALLBACK)();                                                                          \
            return;                                                                                \
        }                                                                                          \
    } while (0)
#define OP_REQUIRES_VALUE(lhs, ctx, rexpr)                                                         \
    ORIBI_OP_REQUIRES_VALUE(ORIBI_UNIQUE(oribi_value_), lhs, ctx, rexpr)
#define ORIBI_OP_REQUIRES_VALUE(name, lhs, ctx, rexpr)                                             \
    auto name = (rexpr);                                                                           \
    OP_REQUIRES_OK(ctx, name.status());                                                            \
    lhs = std::move(name).value()

#endif
