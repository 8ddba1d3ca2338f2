/* SPDX-License-Identifier: Apache-2.0 */
/* How far a result may lie behind its input: windows are run on tagged bytes at the distance that
 * was worked out, where every byte must be there when it is read, and one byte further, where one
 * must be gone. ORIBI_TEST_SEED replaces the first seed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "compile/lower/compile_overlap.h"

enum { MIDDLE = 20000, MEMORY = 3 * MIDDLE, GONE = -1 };

static uint64_t random_state;

static int32_t random_below(int32_t n)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (int32_t)((random_state >> 16) % (uint64_t)n);
}

typedef struct shape {
    oribi_overlap w;
    int32_t filter[2], dilation[2];
} shape;

static shape random_shape(uint64_t seed)
{
    shape s = {0};
    random_state = seed * 0x9E3779B97F4A7C15U + 1;
    s.w.batch = 1 + random_below(3) / 2;
    s.w.in_bytes = 1 + random_below(6);
    s.w.out_bytes = 1 + random_below(6);
    for (int32_t i = 0; i < 2; i++) {
        s.filter[i] = 1 + random_below(4);
        s.dilation[i] = 1 + random_below(5) / 4;
        s.w.stride[i] = 1 + random_below(3);
        s.w.in[i] = 1 + random_below(9);
        const int32_t reach = (s.filter[i] - 1) * s.dilation[i] + 1;
        s.w.before[i] = random_below(reach);
        const int32_t after = random_below(reach);
        const int32_t padded = s.w.in[i] + s.w.before[i] + after;
        s.w.out[i] = padded < reach ? 1 : (padded - reach) / s.w.stride[i] + 1;
    }
    return s;
}

/* Copies a window, as a kernel does before it writes: is all there? */
static bool window_is_there(const shape *s, const int32_t *memory, int32_t n, int32_t y, int32_t x)
{
    const oribi_overlap *w = &s->w;
    for (int32_t i = 0; i < s->filter[0]; i++) {
        for (int32_t j = 0; j < s->filter[1]; j++) {
            const int32_t row = y * w->stride[0] - w->before[0] + i * s->dilation[0];
            const int32_t column = x * w->stride[1] - w->before[1] + j * s->dilation[1];
            if (row < 0 || row >= w->in[0] || column < 0 || column >= w->in[1]) {
                continue;
            }
            const int32_t at = ((n * w->in[0] + row) * w->in[1] + column) * w->in_bytes;
            for (int32_t b = 0; b < w->in_bytes; b++) {
                if (memory[MIDDLE + at + b] != at + b) {
                    return false;
                }
            }
        }
    }
    return true;
}

/* Runs the windows in the order of the output, which begins `distance` behind the input. */
static bool runs(const shape *s, int64_t distance)
{
    static int32_t memory[MEMORY];
    const oribi_overlap *w = &s->w;
    const int32_t in_bytes = w->batch * w->in[0] * w->in[1] * w->in_bytes;
    memset(memory, 0, sizeof memory);
    for (int32_t i = 0; i < in_bytes; i++) {
        memory[MIDDLE + i] = i;
    }
    int64_t to = MIDDLE + distance;
    for (int32_t n = 0; n < w->batch; n++) {
        for (int32_t p = 0; p < w->out[0] * w->out[1]; p++) {
            if (!window_is_there(s, memory, n, p / w->out[1], p % w->out[1])) {
                return false;
            }
            for (int32_t b = 0; b < w->out_bytes; b++) {
                assert_in_range(to, 0, MEMORY - 1);
                memory[to++] = GONE;
            }
        }
    }
    return true;
}

static void distances_hold_and_one_byte_more_does_not(void **state)
{
    const char *text = getenv("ORIBI_TEST_SEED");
    uint64_t seed = text != NULL ? strtoull(text, NULL, 10) : 1;
    int32_t n_tight = 0;
    (void)state;
    print_message("seed %llu (ORIBI_TEST_SEED)\n", (unsigned long long)seed);
    for (const uint64_t end = seed + 3000; seed < end; seed++) {
        const shape s = random_shape(seed);
        oribi_call call = {0};
        oribi_overlap_add(&call, &s.w);
        if (call.n_aliases == 0) {
            continue;
        }
        const oribi_call_alias *alias = &call.aliases[0];
        assert_int_equal(alias->input, 0);
        assert_false(alias->is_exact);
        const int64_t most = (int64_t)s.w.batch * s.w.in[0] * s.w.in[1] * s.w.in_bytes;
        const int64_t distance = alias->distance < most ? alias->distance : most;
        if (!runs(&s, distance)) {
            fail_msg("seed %llu: a byte is gone at distance %lld", (unsigned long long)seed,
                     (long long)distance);
        }
        /* Padding may hide the first byte of a window: then there is room that is not used. */
        n_tight += distance < most && !runs(&s, distance + 1);
    }
    print_message("%d of 3000 are tight\n", n_tight);
    assert_true(n_tight > 1500);
}

/* A result that begins further before its input is as good. */
static void smaller_distances_hold_too(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed < 500; seed++) {
        const shape s = random_shape(seed);
        oribi_call call = {0};
        oribi_overlap_add(&call, &s.w);
        for (int32_t less = 1; call.n_aliases > 0 && less < 30; less++) {
            const int64_t most = (int64_t)s.w.batch * s.w.in[0] * s.w.in[1] * s.w.in_bytes;
            const int64_t distance = call.aliases[0].distance;
            assert_true(runs(&s, (distance < most ? distance : most) - less));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distances_hold_and_one_byte_more_does_not),
        cmocka_unit_test(smaller_distances_hold_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
