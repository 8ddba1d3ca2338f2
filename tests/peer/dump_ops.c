/* SPDX-License-Identifier: Apache-2.0 */
/* Prints every built-in op definition in the spec language, for compare_ops.py. */
#include <stdio.h>

#include "base/text.h"
#include "built_in.h"
#include "op/op.h"

static bool print(void *arg, const oribi_op_def *op)
{
    oribi_text *text = arg;
    oribi_op_print(op, text);
    oribi_text_append(text, "\n");
    return true;
}

int main(void)
{
    TF_Status *status = TF_NewStatus();
    oribi_text text = {0};
    if (oribi_op_begin("built-in", status)) {
        oribi_ops_core_init();
        oribi_op_commit(status);
    }
    if (!oribi_ok(status)) {
        fprintf(stderr, "%s\n", TF_Message(status));
        return 1;
    }
    oribi_op_each(print, &text);
    fputs(oribi_text_string(&text), stdout);
    oribi_text_destroy(&text);
    TF_DeleteStatus(status);
    return 0;
}
