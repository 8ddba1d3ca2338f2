/* SPDX-License-Identifier: Apache-2.0 */
/* Where is the text of the kernels that emitted code carries? In this program, or in a file that
 * lies among what was installed with us. See kernel_texts.h.
 */
#include "compile/common/kernel_texts.h"

#include <stdatomic.h>

#include "plugin/plugin.h"
#include "tensor/status.h"

#define FILE_NAME "oribi_kernel_texts.so"

static const oribi_kernel_text none[] = {{NULL, NULL, 0}};

const oribi_kernel_text *oribi_kernel_texts(void)
{
    static const oribi_kernel_text *_Atomic known;
    const oribi_kernel_text *table = atomic_load_explicit(&known, memory_order_acquire);
    if (table == NULL) {
        table = oribi_kernel_text_table != NULL
                    ? oribi_kernel_text_table
                    : oribi_plugin_own_data(FILE_NAME, "oribi_kernel_text_table");
        table = table != NULL ? table : none;
        atomic_store_explicit(&known, table, memory_order_release);
    }
    return table;
}

bool oribi_kernel_texts_check(TF_Status *status)
{
    return oribi_kernel_texts()->name != NULL ||
           oribi_fail(status, TF_FAILED_PRECONDITION,
                      "the kernels that emitted C carries are in " FILE_NAME
                      ", which is not there; install it beside Oribi's library, in the folder "
                      "oribi");
}
