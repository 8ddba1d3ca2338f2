/* SPDX-License-Identifier: Apache-2.0 */
/* A graph optimiser without a protobuf library: x * Sigmoid(x) becomes one op of this plugin, whose
 * kernel goes through memory once. Loads in Oribi and in TensorFlow.
 */
#define TF_CAPI_WEAK
#include <math.h>

#include "oribi/graph_kit.h"
#include "oribi/kernel_kit.h"

ORIBI_PLUGIN("swish", "1.0", "Apache-2.0");

/* --- The op ------------------------------------------------------------------------------------
 */

typedef struct swish {
    int32_t unused;
} swish;

static void swish_read(oribi_kit_setup *setup, swish *state)
{
    (void)setup;
    (void)state;
}

static void swish_loop(const swish *state, const float *x, float *y, int64_t count)
{
    (void)state;
    for (int64_t i = 0; i < count; i++) {
        y[i] = x[i] / (1.0F + expf(-x[i]));
    }
}
ORIBI_KIT_UNARY(swish, swish, float, float, 30)

void TF_InitKernel(void)
{
    oribi_kit_register_op("Acme>Swish", "x: float", "y: float", NULL, "elementwise",
                          oribi_kit_shape_unchanged);
    oribi_kit_register_kernel("Acme>Swish", "CPU", swish_create, swish_compute, oribi_kit_free);
}

/* --- The optimiser ------------------------------------------------------------------------------
 */

/* The node that is multiplied with its own Sigmoid, as an input's text; NULL: this is no Swish. */
static const char *find_swish(const oribi_rewrite *rewrite, const oribi_rewrite_node *node,
                              oribi_rewrite_node **out_sigmoid)
{
    TF_DataType type = (TF_DataType)0;
    if (strcmp(node->op, "Mul") != 0 || node->n_inputs < 2 ||
        !oribi_rewrite_get_type(node, "T", &type) || type != TF_FLOAT) {
        return NULL;
    }
    for (int i = 0; i < 2; i++) {
        *out_sigmoid = oribi_rewrite_input(rewrite, node, i, "Sigmoid");
        if (*out_sigmoid != NULL && strcmp((*out_sigmoid)->inputs[0], node->inputs[1 - i]) == 0) {
            return node->inputs[1 - i];
        }
    }
    return NULL;
}

static void optimize(void *optimizer, const TF_Buffer *graph, const TF_GrapplerItem *item,
                     TF_Buffer *optimized, TF_Status *status)
{
    oribi_rewrite rewrite;
    (void)optimizer;
    if (!oribi_rewrite_begin(&rewrite, graph, status)) {
        return;
    }
    oribi_rewrite_keep(&rewrite, item);
    for (int i = 0; i < rewrite.n_nodes; i++) {
        oribi_rewrite_node *node = rewrite.nodes[i], *sigmoid;
        const char *x = node->is_removed ? NULL : find_swish(&rewrite, node, &sigmoid);
        if (x != NULL && node->n_inputs == 2) { /* no control inputs, which would be lost */
            node->op = "Acme>Swish";
            oribi_rewrite_set_inputs(&rewrite, node, &x, 1);
            oribi_rewrite_drop_attr(node, "T");
            oribi_rewrite_prune(&rewrite, sigmoid);
        }
    }
    oribi_rewrite_end(&rewrite, optimized);
}

void TF_InitGraph(TP_OptimizerRegistrationParams *params, TF_Status *status)
{
    (void)status;
    params->device_type = "CPU";
    params->optimizer->optimize_func = optimize;
}
