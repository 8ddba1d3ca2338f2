/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by onnx_control.c and onnx_scan.c: a loop as both translate it. */
#ifndef ORIBI_IMPORT_ONNX_CONTROL_H_
#define ORIBI_IMPORT_ONNX_CONTROL_H_

#include "import/onnx/onnx_emit.h"

typedef struct oribi_onnx_loop {
    oribi_onnx_node *node;
    oribi_wire graph; /* the body */
    oribi_value_id trips, condition;
    const oribi_value_id *initial; /* n_carried */
    int32_t n_carried;
    int32_t first_declared; /* of what is carried: input of the body's graph; -1: nothing */
    int32_t n_scanned;      /* inputs of the body's graph behind what is carried */
    /* Fills the body, whose inputs are the iteration, the condition and what is carried, where that
     * is not simply the graph; or NULL. */
    bool (*fill)(oribi_onnx_body *b, const struct oribi_onnx_loop *l, oribi_value_id *inputs);
    /* What the node's output is of one that the loop made; or NULL: the same. */
    oribi_value_id (*finish)(const struct oribi_onnx_loop *l, int32_t output, oribi_value_id made);
    const void *arg; /* of fill and finish */
} oribi_onnx_loop;

/* The node Oribi>Loop: outputs are what is carried, then what is collected. NULL: failed, or
 * *out_missing: an op inside is missing. */
const oribi_node *oribi_onnx_loop_make(const oribi_onnx_loop *l, bool *out_missing);
/* Makes it for the outputs of the loop's ONNX node, which is marked when an op inside is missing.
 */
bool oribi_onnx_loop_translate(const oribi_onnx_loop *l);
/* A scalar. */
oribi_value_id oribi_onnx_loop_constant(oribi_onnx_node *n, TF_DataType dtype, const void *value);
bool oribi_onnx_translate_scan(oribi_onnx_node *n);
bool oribi_onnx_translate_scan_8(oribi_onnx_node *n);

#endif
