/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of the output, one after the other. */
#include "micro/move/select.h"

#include "micro/memory.h"

struct walk {
    int32_t index[ORIBI_MICRO_SELECT_RANK];
    int32_t condition, yes, no; /* elements of the row's first */
};

/* Moves to the next row; 0 when there is none. */
static int32_t next(const struct oribi_micro_select_args *a, struct walk *w)
{
    for (int32_t k = a->rank - 2; k >= 0; k--) {
        w->condition += a->condition_step[k];
        w->yes += a->yes_step[k];
        w->no += a->no_step[k];
        if (++w->index[k] < a->dims[k]) {
            return 1;
        }
        w->condition -= a->condition_step[k] * a->dims[k];
        w->yes -= a->yes_step[k] * a->dims[k];
        w->no -= a->no_step[k] * a->dims[k];
        w->index[k] = 0;
    }
    return 0;
}

void oribi_micro_select(const struct oribi_micro_select_args *args, const uint8_t *condition,
                        const void *yes, const void *no, void *output)
{
    const struct oribi_micro_select_args *a = args;
    struct walk w = {0};
    const int32_t last = a->rank - 1, bytes = a->element_bytes;
    const uint8_t *const yes_bytes = yes, *const no_bytes = no;
    uint8_t *to = output;
    do {
        TVMGEN_YIELD();
        for (int32_t i = 0; i < a->dims[last]; i++) {
            const int32_t is = condition[w.condition + i * a->condition_step[last]] != 0U ? 1 : 0;
            const uint8_t *from = is != 0 ? yes_bytes + (w.yes + i * a->yes_step[last]) * bytes
                                          : no_bytes + (w.no + i * a->no_step[last]) * bytes;
            (void)memcpy(to, from, (size_t)bytes);
            to += bytes;
        }
    } while (next(a, &w) != 0);
}
