/* SPDX-License-Identifier: Apache-2.0 */
/* The multipliers are the scales themselves. */
#include "micro/binary/compare_q_prepare.h"

#include "micro/broadcast_prepare.h"
#include "micro/element.h"

const char *const *oribi_micro_comparison_words(void)
{
    static const char *const words[ORIBI_MICRO_COMPARISONS] = {
        "Less", "LessEqual", "Greater", "GreaterEqual", "Equal", "NotEqual"};
    return words;
}

static int32_t side(struct oribi_micro_quantisation q, int32_t kind, int32_t *out_zero,
                    int32_t *out_multiplier, int32_t *out_shift)
{
    const int32_t code = oribi_micro_check(kind, q);
    *out_zero = q.zero;
    return code != ORIBI_MICRO_OK || q.scale >= 1.0F
               ? ORIBI_MICRO_INVALID
               : oribi_micro_multiplier((double)q.scale, out_multiplier, out_shift);
}

int32_t oribi_micro_compare_q_prepare(const struct oribi_micro_binary_q_spec *spec,
                                      struct oribi_micro_compare_q_args *args)
{
    const struct oribi_micro_binary_q_spec *s = spec;
    int32_t code =
        oribi_micro_broadcast_resolve(s->a_dims, s->a_rank, s->b_dims, s->b_rank, &args->shape);
    args->kind = s->kind;
    code = s->kind == ORIBI_MICRO_S16 ? ORIBI_MICRO_INVALID : code;
    code = code != ORIBI_MICRO_OK
               ? code
               : side(s->a, s->kind, &args->a_zero, &args->a_multiplier, &args->a_shift);
    return code != ORIBI_MICRO_OK
               ? code
               : side(s->b, s->kind, &args->b_zero, &args->b_multiplier, &args->b_shift);
}
