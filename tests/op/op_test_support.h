/* SPDX-License-Identifier: Apache-2.0 */
/* Helpers of the tests of ops: a definition from a few specs, in one call. Include after cmocka. */
#ifndef ORIBI_TESTS_OP_SUPPORT_H_
#define ORIBI_TESTS_OP_SUPPORT_H_

#include "base/text.h"
#include "op/op.h"
#include "tensor/status.h"
#include "tensorflow/c/shape_inference.h"

/* specs: "attr ...", "input ...", "output ...", NULL at the end. Registers; status says how. */
static inline void test_register(const char *name, const char *const *specs, TF_Status *status)
{
    TF_OpDefinitionBuilder *builder = TF_NewOpDefinitionBuilder(name);
    for (; *specs != NULL; specs++) {
        if (strncmp(*specs, "attr ", 5) == 0) {
            TF_OpDefinitionBuilderAddAttr(builder, *specs + 5);
        } else if (strncmp(*specs, "input ", 6) == 0) {
            TF_OpDefinitionBuilderAddInput(builder, *specs + 6);
        } else if (strncmp(*specs, "output ", 7) == 0) {
            TF_OpDefinitionBuilderAddOutput(builder, *specs + 7);
        } else {
            fail_msg("bad test: %s", *specs);
        }
    }
    TF_RegisterOpDefinition(builder, status);
}

/* In a transaction that is rolled back by the caller, so that names may be used again. */
static inline void test_begin(TF_Status *status)
{
    assert_true(oribi_op_begin("test.so", status));
}

#endif
