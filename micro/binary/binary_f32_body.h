/* SPDX-License-Identifier: Apache-2.0 */
/* A function of two floats, of elements that meet by broadcasting: ORIBI_MICRO_BINARY is its name,
 * ORIBI_MICRO_OF(x, y) what it gives.
 */
void ORIBI_MICRO_BINARY(const struct oribi_micro_binary_f32_args *args, const float *a,
                        const float *b, float *output)
{
    struct oribi_micro_broadcast_walk walk = {0};
    const int32_t last = args->shape.rank - 1, count = args->shape.dims[last];
    const int32_t a_step = args->shape.a_step[last], b_step = args->shape.b_step[last];
    do {
        for (int32_t i = 0; i < count; i++) {
            const float x = a[walk.a + i * a_step], y = b[walk.b + i * b_step];
            *output++ = ORIBI_MICRO_OF(x, y);
        }
    } while (oribi_micro_broadcast_next(&args->shape, &walk) != 0);
}
#undef ORIBI_MICRO_BINARY
#undef ORIBI_MICRO_OF
