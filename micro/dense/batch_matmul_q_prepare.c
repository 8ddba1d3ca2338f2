/* SPDX-License-Identifier: Apache-2.0 */
/* Sizes, steps, and a multiplier whose product of input scales is rounded to float32 first. */
#include "micro/dense/batch_matmul_q_prepare.h"

#include "micro/broadcast_prepare.h"
#include "micro/element.h"

static int32_t sizes(const struct oribi_micro_batch_matmul_q_spec *s,
                     struct oribi_micro_batch_matmul_q_args *p)
{
    const int32_t *a = s->a_dims + s->a_rank - 2, *b = s->b_dims + s->b_rank - 2;
    const int32_t a_turned = s->a_transposed != 0, b_turned = s->b_transposed != 0;
    p->m = a[a_turned];
    p->k = a[!a_turned];
    p->n = b[!b_turned];
    p->a_row = a_turned ? 1 : p->k;
    p->a_column = a_turned ? p->m : 1;
    p->b_row = b_turned ? 1 : p->n;
    p->b_column = b_turned ? p->k : 1;
    if (p->k != b[b_turned]) {
        return ORIBI_MICRO_INVALID;
    }
    /* a sum of int8 fits int32, one of int16 the 2^46 that wide.h bears */
    const int32_t most = s->kind == ORIBI_MICRO_S16 ? 1 << 16 : INT32_MAX / (255 * 255);
    return p->k > most ? ORIBI_MICRO_OVERFLOW : ORIBI_MICRO_OK;
}

/* No tensor may reach 2^31 values. */
static int32_t check_product(const struct oribi_micro_batch_matmul_q_args *p, int32_t rows,
                             int32_t columns)
{
    int64_t product = (int64_t)rows * columns;
    for (int32_t i = 0; i < p->batches.rank && product <= INT32_MAX; i++) {
        product *= p->batches.dims[i];
    }
    return product > INT32_MAX ? ORIBI_MICRO_TOO_LARGE : ORIBI_MICRO_OK;
}

int32_t oribi_micro_batch_matmul_q_prepare(const struct oribi_micro_batch_matmul_q_spec *spec,
                                           struct oribi_micro_batch_matmul_q_args *args)
{
    const struct oribi_micro_batch_matmul_q_spec *s = spec;
    const float product = s->a.scale * s->b.scale;
    const int32_t fits = s->a_rank >= 2 && s->b_rank >= 2 && s->kind != ORIBI_MICRO_U8;
    int32_t code = fits ? sizes(s, args) : ORIBI_MICRO_INVALID;
    code = code != ORIBI_MICRO_OK ? code : oribi_micro_check(s->kind, s->a);
    code = code != ORIBI_MICRO_OK ? code : oribi_micro_check(s->kind, s->b);
    code = code != ORIBI_MICRO_OK ? code : oribi_micro_check(s->kind, s->output);
    code = code != ORIBI_MICRO_OK
               ? code
               : oribi_micro_broadcast_resolve(s->a_dims, s->a_rank - 2, s->b_dims, s->b_rank - 2,
                                               &args->batches);
    code = code != ORIBI_MICRO_OK ? code : check_product(args, args->m, args->k);
    code = code != ORIBI_MICRO_OK ? code : check_product(args, args->k, args->n);
    code = code != ORIBI_MICRO_OK ? code : check_product(args, args->m, args->n);
    args->a_zero = s->a.zero;
    args->b_zero = s->b.zero;
    args->output_zero = s->output.zero;
    code = code != ORIBI_MICRO_OK
               ? code
               : oribi_micro_multiplier((double)product / (double)s->output.scale,
                                        &args->output_multiplier, &args->output_shift);
    return code == ORIBI_MICRO_OK && s->kind == ORIBI_MICRO_S16 && args->output_shift > 7
               ? ORIBI_MICRO_OVERFLOW
               : code;
}
