/* SPDX-License-Identifier: Apache-2.0 */
/* ONNX operator and opset to translation: the families' rows, searched and printed. */
#include <string.h>

#include "import/onnx/onnx.h"
#include "op/op_serves.h"

/* clang-format off */
static const oribi_onnx_row *const families[] = {
    oribi_onnx_activation_rows,
    oribi_onnx_attention_rows,
    oribi_onnx_constant_rows,
    oribi_onnx_control_rows,
    oribi_onnx_conv_rows,
    oribi_onnx_einsum_rows,
    oribi_onnx_elementwise_rows,
    oribi_onnx_gather_rows,
    oribi_onnx_index_rows,
    oribi_onnx_loss_rows,
    oribi_onnx_matmul_rows,
    oribi_onnx_norm_rows,
    oribi_onnx_picture_rows,
    oribi_onnx_pool_rows,
    oribi_onnx_qlinear_rows,
    oribi_onnx_quant_rows,
    oribi_onnx_recurrent_rows,
    oribi_onnx_reduce_rows,
    oribi_onnx_resize_rows,
    oribi_onnx_shape_rows,
    oribi_onnx_slice_rows,
    oribi_onnx_sort_rows,
};
/* clang-format on */

enum { N_FAMILIES = (int)(sizeof(families) / sizeof(families[0])) };

const oribi_onnx_row *oribi_onnx_find_row(const oribi_string *op_type, int64_t opset)
{
    for (int i = 0; i < N_FAMILIES; i++) {
        for (const oribi_onnx_row *row = families[i]; row->op_type != NULL; row++) {
            if (opset >= row->since && opset <= row->until &&
                strlen(row->op_type) == op_type->length &&
                memcmp(row->op_type, op_type->data, op_type->length) == 0) {
                return row;
            }
        }
    }
    return NULL;
}

const oribi_onnx_row *oribi_onnx_find_microsoft(const oribi_string *op_type)
{
    for (const oribi_onnx_row *row = oribi_onnx_microsoft_rows; row->op_type != NULL; row++) {
        if (strlen(row->op_type) == op_type->length &&
            memcmp(row->op_type, op_type->data, op_type->length) == 0) {
            return row;
        }
    }
    return NULL;
}

const oribi_onnx_row *oribi_onnx_row_of(const oribi_onnx_node *n)
{
    static const char microsoft[] = "com.microsoft";
    if (n->domain.length == 0) {
        return oribi_onnx_find_row(&n->op_type, n->opset);
    }
    if (n->domain.length != sizeof microsoft - 1 ||
        memcmp(n->domain.data, microsoft, n->domain.length) != 0) {
        return NULL;
    }
    oribi_text served = {0};
    const char *op = oribi_onnx_custom_name(n->onnx, &n->domain, &n->op_type);
    const bool is_plugins = op == NULL || oribi_op_find(op) != NULL ||
                            oribi_op_serving(&n->domain, &n->op_type, n->opset, &served) != NULL;
    oribi_text_destroy(&served);
    return is_plugins ? NULL : oribi_onnx_find_microsoft(&n->op_type);
}

int32_t oribi_onnx_first_opset(const oribi_string *op_type)
{
    int32_t first = 0;
    for (int32_t opset = ORIBI_ONNX_MAX_OPSET; opset >= ORIBI_ONNX_MIN_OPSET; opset--) {
        first = oribi_onnx_find_row(op_type, opset) != NULL ? opset : first;
    }
    return first;
}

void oribi_import_onnx_print_map(oribi_text *text)
{
    for (int i = 0; i < N_FAMILIES; i++) {
        for (const oribi_onnx_row *row = families[i]; row->op_type != NULL; row++) {
            oribi_text_printf(text, "ONNX %s %d-%d -> %s\n", row->op_type, (int)row->since,
                              (int)row->until, row->into);
        }
    }
    for (const oribi_onnx_row *row = oribi_onnx_microsoft_rows; row->op_type != NULL; row++) {
        oribi_text_printf(text, "com.microsoft:%s 1 -> %s\n", row->op_type, row->into);
    }
    oribi_text_append(text, "ONNX <other> -> ONNX><other>, of a plugin\n"
                            "com.example:Name -> Com>Example>Name, Name\n");
}
