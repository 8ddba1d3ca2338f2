/* SPDX-License-Identifier: Apache-2.0 */
/* See lower_lanes.h. */
#include "compile/lower_lanes.h"

#include "tensor/status.h"

const int32_t *oribi_lanes_place(oribi_lowering *lowering, oribi_call *call,
                                 const struct oribi_micro_lanes_spec *spec)
{
    const size_t count = (size_t)oribi_micro_lanes_words(spec);
    int32_t *words = oribi_arena_array(lowering->arena, count, sizeof *words);
    if (words == NULL) {
        oribi_fail_memory(lowering->status);
        return NULL;
    }
    oribi_micro_lanes_pack(spec, words);
    oribi_call_place(call, "filter", ORIBI_ELEMENT_S32, (int64_t)count, words);
    return words;
}

void oribi_lanes_output(oribi_call *call, const struct oribi_micro_lanes_output *output)
{
    oribi_call_number(call, "output.zero", output->zero);
    oribi_call_number(call, "output.low", output->low);
    oribi_call_number(call, "output.high", output->high);
}
