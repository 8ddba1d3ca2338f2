/* SPDX-License-Identifier: Apache-2.0 */
/* A reduction of floats: ORIBI_MICRO_REDUCE is its name; what it gathers begins with
 * ORIBI_MICRO_FIRST, goes on by ORIBI_MICRO_WITH(acc, v), and gives ORIBI_MICRO_LAST(acc).
 */
void ORIBI_MICRO_REDUCE(const struct oribi_micro_reduce_f32_args *args, const float *input,
                        float *output)
{
    struct oribi_micro_reduce_walk kept = {0};
    do {
        struct oribi_micro_reduce_walk walk = {0};
        float acc = ORIBI_MICRO_FIRST;
        do {
            const float v = input[kept.at + walk.at];
            acc = ORIBI_MICRO_WITH(acc, v);
        } while (oribi_micro_reduce_next(args->rank, args->dims, args->step, &walk) != 0);
        *output++ = ORIBI_MICRO_LAST(acc);
    } while (oribi_micro_reduce_next(args->kept_rank, args->kept_dims, args->kept_step, &kept) !=
             0);
}
#undef ORIBI_MICRO_REDUCE
#undef ORIBI_MICRO_FIRST
#undef ORIBI_MICRO_WITH
#undef ORIBI_MICRO_LAST
