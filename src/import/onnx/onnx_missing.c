/* SPDX-License-Identifier: Apache-2.0 */
/* What an ONNX operator that nothing provides is called in the report; see missing.h. */
#include "import/onnx/onnx.h"

#include <inttypes.h>

bool oribi_onnx_missing_add(oribi_onnx *onnx, const oribi_onnx_node *n, const char *why,
                            TF_Status *status)
{
    const char *domain = oribi_import_text(&onnx->scratch, &n->domain);
    const char *op_type = oribi_import_text(&onnx->scratch, &n->op_type);
    if (domain == NULL || op_type == NULL) {
        return oribi_fail_memory(status);
    }
    const char *op =
        n->domain.length == 0
            ? oribi_arena_printf(&onnx->scratch, "%s (opset %" PRId64 ")", op_type, n->opset)
            : oribi_arena_printf(&onnx->scratch, "%s:%s", domain, op_type);
    const char *name = oribi_onnx_custom_name(onnx, &n->domain, &n->op_type);
    if (op == NULL || name == NULL) {
        return oribi_fail_memory(status);
    }
    return oribi_missing_add(&onnx->root->missing, op, n->wants_shapes ? NULL : name, why, n->label,
                             status);
}
