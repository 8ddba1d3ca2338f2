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
    oribi_onnx_sequence_rows,
    oribi_onnx_shape_rows,
    oribi_onnx_slice_rows,
    oribi_onnx_sort_rows,
    oribi_onnx_spelled_rows,
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

typedef struct domain_rows {
    const char *domain;
    const oribi_onnx_row *rows;
} domain_rows;
static const domain_rows domains[] = {
    {"com.microsoft", oribi_onnx_microsoft_rows},
    {"ai.onnx.ml", oribi_onnx_ml_rows},
    {"ai.onnx.preview", oribi_onnx_preview_rows},
    {"ai.onnx.preview.training", oribi_onnx_training_rows},
};
enum { N_DOMAINS = (int)(sizeof(domains) / sizeof(domains[0])) };

static bool is_text(const oribi_string *string, const char *text)
{
    return strlen(text) == string->length && memcmp(text, string->data, string->length) == 0;
}

static const oribi_onnx_row *find_other(const oribi_onnx_node *n)
{
    for (int i = 0; i < N_DOMAINS; i++) {
        const oribi_onnx_row *row = is_text(&n->domain, domains[i].domain) ? domains[i].rows : NULL;
        for (; row != NULL && row->op_type != NULL; row++) {
            if (is_text(&n->op_type, row->op_type)) {
                return row;
            }
        }
    }
    return NULL;
}

const oribi_onnx_row *oribi_onnx_row_of(const oribi_onnx_node *n)
{
    if (n->domain.length == 0) {
        return oribi_onnx_find_row(&n->op_type, n->opset);
    }
    const oribi_onnx_row *row = find_other(n);
    if (row == NULL) {
        return NULL;
    }
    oribi_text served = {0};
    const char *op = oribi_onnx_custom_name(n->onnx, &n->domain, &n->op_type);
    const bool is_plugins = op == NULL || oribi_op_is_known(op) ||
                            oribi_op_serving(&n->domain, &n->op_type, n->opset, &served) != NULL;
    oribi_text_destroy(&served);
    return is_plugins ? NULL : row;
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
    for (int i = 0; i < N_DOMAINS; i++) {
        for (const oribi_onnx_row *row = domains[i].rows; row->op_type != NULL; row++) {
            oribi_text_printf(text, "%s:%s 1 -> %s\n", domains[i].domain, row->op_type, row->into);
        }
    }
    oribi_text_append(text, "ONNX <other> -> ONNX><other>, of a plugin\n"
                            "com.example:Name -> Com>Example>Name, Name\n");
}
