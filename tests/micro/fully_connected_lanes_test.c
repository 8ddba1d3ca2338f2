/* SPDX-License-Identifier: Apache-2.0 */
/* Fully connected layers, plain, in lanes and in quads, against the oracle, on random layers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "micro/dense/fully_connected_lanes_s8.h"
#include "micro/dense/fully_connected_lanes_s8_prepare.h"
#include "micro/quads/fully_connected_quads_s8.h"
#include "micro/quads/fully_connected_quads_s8_prepare.h"
#include "micro/quads/fully_connected_quads_v6m_s8.h"
#include "micro/dense/fully_connected_s8_prepare.h"
#include "tests/micro/layer.h"

typedef struct tally {
    int in_lanes, in_quads, left[4], copied;
} tally;

/* One scale for all channels is multiplied as float32. */
static double real_of(const layer *l, int32_t channel)
{
    if (l->n_scales > 1) {
        return layer_real(l, channel);
    }
    const float product = l->input.scale * l->scales[0];
    return (double)product / (double)l->output.scale;
}

static void run_lanes(const struct oribi_micro_fully_connected_s8_args *plain,
                      const struct oribi_micro_lanes_spec *spec, const int8_t *x,
                      const int8_t *wanted, tally *t)
{
    const int32_t n_out = plain->rows * plain->out_c;
    int32_t *words = (int32_t *)(void *)exactly(4 * oribi_micro_lanes_words(spec));
    struct oribi_micro_fully_connected_lanes_s8_args a;

    oribi_micro_lanes_pack(spec, words);
    oribi_micro_fully_connected_lanes_s8_prepare(plain, words, &a);
    int8_t *scratch = exactly(a.scratch_bytes), *y = exactly(n_out);
    oribi_micro_fully_connected_lanes_s8(&a, x, y, a.scratch_bytes == 0 ? NULL : scratch);
    assert_memory_equal(y, wanted, (size_t)n_out);
    t->in_lanes++;
    t->left[a.out_c % 4]++;
    t->copied += a.scratch_bytes != 0;
    free(words);
    free(scratch);
    free(y);
}

/* The kernels of cores without lanes: any weights fit. */
static void run_quads(const struct oribi_micro_fully_connected_s8_args *plain, const int8_t *x,
                      const int8_t *wanted, tally *t)
{
    const int32_t n_out = plain->rows * plain->out_c;
    for (int32_t is_v6m = 0; is_v6m < 2; is_v6m++) {
        const struct oribi_micro_variant *v =
            is_v6m ? &oribi_micro_fully_connected_quads_v6m_s8_variant
                   : &oribi_micro_fully_connected_quads_s8_variant;
        int32_t *words = (int32_t *)(void *)exactly(4 * (int32_t)v->words(plain));
        struct oribi_micro_fully_connected_lanes_s8_args a;
        int8_t *scratch = exactly((int32_t)v->prepare(plain, words, &a)), *y = exactly(n_out);
        (is_v6m ? oribi_micro_fully_connected_quads_v6m_s8 : oribi_micro_fully_connected_quads_s8)(
            &a, x, y, a.scratch_bytes == 0 ? NULL : scratch);
        assert_memory_equal(y, wanted, (size_t)n_out);
        t->in_quads++;
        free(words);
        free(scratch);
        free(y);
    }
}

static void check(uint64_t seed, tally *t)
{
    static layer l;
    const int32_t rows = random_once_in(&seed, 3) ? random_in(&seed, 2, 4) : 1;
    const int32_t in_c =
        random_once_in(&seed, 2) ? 8 * random_in(&seed, 1, 12) : random_in(&seed, 1, 70);
    const int32_t out_c = random_in(&seed, 1, LAYER_CHANNELS);
    int8_t *x = exactly(rows * in_c), *wanted = exactly(rows * out_c), *y = exactly(rows * out_c);
    struct oribi_micro_fully_connected_s8_args a;
    struct oribi_micro_lanes_spec lanes;

    layer_make(&l, &seed, out_c, in_c, random_once_in(&seed, 2));
    random_bytes(&seed, x, rows * in_c, -128, 127);
    const struct oribi_micro_fully_connected_s8_spec spec = {
        rows, in_c, out_c, l.activation, l.input, l.output, l.scales, l.n_scales, l.filter, l.bias};
    const int32_t code =
        oribi_micro_fully_connected_s8_prepare(&spec, &a, l.folded, l.multiplier, l.shift);
    if (code == ORIBI_MICRO_OK) {
        for (int32_t i = 0; i < rows * out_c; i++) {
            const int32_t c = i % out_c;
            int64_t sum = l.bias[c];
            for (int32_t k = 0; k < in_c; k++) {
                sum += (int64_t)(x[i / out_c * in_c + k] - l.input.zero) * l.filter[c * in_c + k];
            }
            wanted[i] = oracle_result(sum, real_of(&l, c), &l.bounds);
        }
        oribi_micro_fully_connected_s8(&a, x, y, NULL);
        assert_memory_equal(y, wanted, (size_t)(rows * out_c));
        if (oribi_micro_fully_connected_lanes_s8_fits(&a, &lanes)) {
            run_lanes(&a, &lanes, x, wanted, t);
        }
        run_quads(&a, x, wanted, t);
    } else {
        assert_int_equal(code, ORIBI_MICRO_OVERFLOW);
    }
    free(x);
    free(wanted);
    free(y);
}

static void plain_lanes_and_quads_give_what_the_oracle_gives(void **state)
{
    tally t = {0};
    (void)state;

    for (uint64_t seed = 1; seed <= SHARE_OF(1500); seed++) {
        check(seed * UINT64_C(0x9e3779b97f4a7c15), &t);
    }
    assert_true(t.in_lanes > LEAST_OF(700) && t.in_quads > LEAST_OF(1400) &&
                t.copied > LEAST_OF(200));
    for (int i = 0; i < 4; i++) {
        assert_true(t.left[i] > LEAST_OF(100));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_lanes_and_quads_give_what_the_oracle_gives),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
