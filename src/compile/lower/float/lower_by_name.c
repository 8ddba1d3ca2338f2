/* SPDX-License-Identifier: Apache-2.0 */
/* Which float kernel computes an op that no table lists? That of its name: an op of elements or a
 * reduction needs no row. ONNX>HardSwish has hard_swish_f32.c, Prod has reduce_prod_f32.c.
 */
#include <stdio.h>
#include <string.h>

#include "base/ascii.h"
#include "compile/common/kernel_texts.h"
#include "compile/lower/float/lower_f32.h"
#include "op/traits.h"

/* The name behind ONNX> or Oribi> in the style of files: "HardSwish" is "hard_swish". False: it is
 * too long. */
static bool append_snake(const char *op, char *stem, size_t room)
{
    const char *mark = strrchr(op, '>'), *name = mark != NULL ? mark + 1 : op;
    size_t at = strlen(stem);
    for (const char *c = name; *c != '\0'; c++) {
        const bool is_upper = oribi_is_upper(*c);
        if (at + 3 > room) {
            return false;
        }
        if (is_upper && c != name) {
            stem[at++] = '_';
        }
        stem[at++] = oribi_to_lower(*c);
    }
    stem[at] = '\0';
    return true;
}

static bool has_kernel(const char *stem)
{
    char file[ORIBI_LOWER_STEM + sizeof "_f32.c"];
    (void)snprintf(file, sizeof file, "%s_f32.c", stem);
    for (const oribi_kernel_text *text = oribi_kernel_texts(); text->name != NULL; text++) {
        if (strcmp(text->name, file) == 0) {
            return true;
        }
    }
    return false;
}

/* An op of a plugin may mean something else by the name. */
bool oribi_lower_by_name(const oribi_node *node, oribi_lower_row *out)
{
    const oribi_op_def *op = node->op;
    const bool reduces = oribi_op_is(op, &node->attrs, ORIBI_TRAIT_REDUCES);
    if (!op->is_built_in || node->n_inputs < 1 || node->n_inputs > 2 || node->n_outputs != 1 ||
        !(reduces || oribi_op_is(op, &node->attrs, ORIBI_TRAIT_ELEMENTWISE))) {
        return false;
    }
    *out = (oribi_lower_row){op->name, "", oribi_lower_reduce_f32};
    if (reduces) {
        (void)snprintf(out->stem, sizeof out->stem, "reduce_");
    } else {
        out->lower = node->n_inputs == 1 ? oribi_lower_unary_f32 : oribi_lower_binary_f32;
    }
    return append_snake(op->name, out->stem, sizeof out->stem) && has_kernel(out->stem);
}
