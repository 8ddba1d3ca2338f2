/* SPDX-License-Identifier: Apache-2.0 */
/* Control flow: a condition that is known chooses its graph now. */
#include "import/onnx/onnx.h"

#include "import/onnx/onnx_emit.h"

static bool translate_if(oribi_onnx_node *n)
{
    oribi_wire graph;
    double condition = 0.0;
    if (!oribi_emit_known_scalar(n, n->inputs[0], &condition)) {
        return oribi_onnx_fail(n, TF_UNIMPLEMENTED, "the condition is computed");
    }
    const char *branch = condition != 0.0 ? "then_branch" : "else_branch";
    return oribi_onnx_read_graph(n, branch, &graph) && oribi_onnx_graph_inline(n, branch, &graph);
}

const oribi_onnx_row oribi_onnx_control_rows[] = {
    {"If", 1, ORIBI_ONNX_MAX_OPSET, translate_if, 1, 1, "the graph of a known condition"},
    {NULL, 0, 0, NULL, 0, 0, NULL},
};
