/* SPDX-License-Identifier: Apache-2.0 */
/* StringToHashBucketFast, StringToHashBucketStrong and StringToHashBucket: the buckets of texts
 * that models are trained with. Source   FarmHash's fingerprint of 64 bits (G. Pike, 2014);
 * SipHash-2-4 (J.-P. Aumasson, D. Bernstein, 2012); MurmurHash64A (A. Appleby).
 */
#include "cpu/base/families.h"
#include "cpu/text/texts.h"

static const uint64_t k0 = UINT64_C(0xc3a5c85c97cb3127), k1 = UINT64_C(0xb492b66fbe98f273),
                      k2 = UINT64_C(0x9ae16a3b2f90404f);

typedef struct pair {
    uint64_t a, b;
} pair;

/* Little-endian words, wherever this runs. */
static uint64_t word(const char *at, int bytes)
{
    uint64_t value = 0;
    for (int i = 0; i < bytes; i++) {
        value |= (uint64_t)(unsigned char)at[i] << 8 * i;
    }
    return value;
}

static uint64_t turn(uint64_t x, int by)
{
    return x >> by | x << (64 - by);
}

static uint64_t fold(uint64_t x)
{
    return x ^ x >> 47;
}

static uint64_t mix(uint64_t u, uint64_t v, uint64_t factor)
{
    const uint64_t a = fold((u ^ v) * factor);
    return fold((v ^ a) * factor) * factor;
}

static uint64_t hash_to_16(const char *s, size_t n)
{
    const uint64_t factor = k2 + n * 2;
    if (n >= 8) {
        const uint64_t a = word(s, 8) + k2, b = word(s + n - 8, 8);
        return mix(turn(b, 37) * factor + a, (turn(a, 25) + b) * factor, factor);
    }
    if (n >= 4) {
        return mix(n + (word(s, 4) << 3), word(s + n - 4, 4), factor);
    }
    if (n > 0) {
        const uint64_t y = word(s, 1) + (word(s + n / 2, 1) << 8);
        const uint64_t z = n + (word(s + n - 1, 1) << 2);
        return fold(y * k2 ^ z * k0) * k2;
    }
    return k2;
}

static uint64_t hash_to_32(const char *s, size_t n)
{
    const uint64_t factor = k2 + n * 2, a = word(s, 8) * k1, b = word(s + 8, 8);
    const uint64_t c = word(s + n - 8, 8) * factor, d = word(s + n - 16, 8) * k2;
    return mix(turn(a + b, 43) + turn(c, 30) + d, a + turn(b + k2, 18) + c, factor);
}

static uint64_t hash_to_64(const char *s, size_t n)
{
    const uint64_t factor = k2 + n * 2, a = word(s, 8) * k2, b = word(s + 8, 8);
    const uint64_t c = word(s + n - 8, 8) * factor, d = word(s + n - 16, 8) * k2;
    const uint64_t y = turn(a + b, 43) + turn(c, 30) + d;
    const uint64_t z = mix(y, a + turn(b + k2, 18) + c, factor);
    const uint64_t e = word(s + 16, 8) * factor, f = word(s + 24, 8);
    const uint64_t g = (y + word(s + n - 32, 8)) * factor, h = (z + word(s + n - 24, 8)) * factor;
    return mix(turn(e + f, 43) + turn(g, 30) + h, e + turn(f + a, 18) + g, factor);
}

static pair hash_32_with(const char *s, uint64_t a, uint64_t b)
{
    const uint64_t w = word(s, 8), x = word(s + 8, 8), y = word(s + 16, 8), z = word(s + 24, 8);
    a += w;
    b = turn(b + a + z, 21);
    const uint64_t c = a;
    a += x + y;
    b += turn(a, 44);
    return (pair){a + z, b + c};
}

static void swap(uint64_t *a, uint64_t *b)
{
    const uint64_t c = *a;
    *a = *b;
    *b = c;
}

static uint64_t hash_long(const char *s, size_t n)
{
    const char *end = s + (n - 1) / 64 * 64, *last = s + n - 64;
    uint64_t x = 81, y = UINT64_C(81) * k1 + 113, z = fold(y * k2 + 113) * k2;
    pair v = {0, 0}, w = {0, 0};
    x = x * k2 + word(s, 8);
    for (; s != end; s += 64) {
        x = turn(x + y + v.a + word(s + 8, 8), 37) * k1;
        y = turn(y + v.b + word(s + 48, 8), 42) * k1;
        x ^= w.b;
        y += v.a + word(s + 40, 8);
        z = turn(z + w.a, 33) * k1;
        v = hash_32_with(s, v.b * k1, x + w.a);
        w = hash_32_with(s + 32, z + w.b, y + word(s + 16, 8));
        swap(&z, &x);
    }
    const uint64_t factor = k1 + ((z & 0xff) << 1);
    s = last;
    w.a += (n - 1) & 63;
    v.a += w.a;
    w.a += v.a;
    x = turn(x + y + v.a + word(s + 8, 8), 37) * factor;
    y = turn(y + v.b + word(s + 48, 8), 42) * factor;
    x ^= w.b * 9;
    y += v.a * 9 + word(s + 40, 8);
    z = turn(z + w.a, 33) * factor;
    v = hash_32_with(s, v.b * factor, x + w.a);
    w = hash_32_with(s + 32, z + w.b, y + word(s + 16, 8));
    swap(&z, &x);
    return mix(mix(v.a, w.a, factor) + fold(y) * k0 + z, mix(v.b, w.b, factor) + x, factor);
}

static uint64_t fingerprint(oribi_cpu_span text)
{
    return text.n <= 16   ? hash_to_16(text.at, text.n)
           : text.n <= 32 ? hash_to_32(text.at, text.n)
           : text.n <= 64 ? hash_to_64(text.at, text.n)
                          : hash_long(text.at, text.n);
}

/* --- MurmurHash64A, with TensorFlow's seed -----------------------------------------------------
 */

static uint64_t murmur(oribi_cpu_span text)
{
    const uint64_t seed = UINT64_C(0xdecafcaffe), factor = UINT64_C(0xc6a4a7935bd1e995);
    const char *at = text.at;
    uint64_t hash = seed ^ (text.n * factor);
    size_t left = text.n;
    for (; left >= 8; left -= 8, at += 8) {
        hash = (hash ^ fold(word(at, 8) * factor) * factor) * factor;
    }
    if (left > 0) {
        hash = (hash ^ word(at, (int)left)) * factor;
    }
    return fold(fold(hash) * factor);
}

/* --- SipHash -----------------------------------------------------------------------------------
 */

static void sip_round(uint64_t v[4])
{
    v[0] += v[1];
    v[1] = turn(v[1], 64 - 13) ^ v[0];
    v[0] = turn(v[0], 32);
    v[2] += v[3];
    v[3] = turn(v[3], 64 - 16) ^ v[2];
    v[0] += v[3];
    v[3] = turn(v[3], 64 - 21) ^ v[0];
    v[2] += v[1];
    v[1] = turn(v[1], 64 - 17) ^ v[2];
    v[2] = turn(v[2], 32);
}

static void sip_word(uint64_t v[4], uint64_t value)
{
    v[3] ^= value;
    sip_round(v);
    sip_round(v);
    v[0] ^= value;
}

static uint64_t sip(oribi_cpu_span text, const uint64_t key[2])
{
    uint64_t v[4] = {UINT64_C(0x736f6d6570736575) ^ key[0], UINT64_C(0x646f72616e646f6d) ^ key[1],
                     UINT64_C(0x6c7967656e657261) ^ key[0], UINT64_C(0x7465646279746573) ^ key[1]};
    const char *at = text.at;
    size_t left = text.n;
    for (; left >= 8; left -= 8, at += 8) {
        sip_word(v, word(at, 8));
    }
    sip_word(v, word(at, (int)left) | (uint64_t)text.n << 56);
    v[2] ^= 0xff;
    for (int i = 0; i < 4; i++) {
        sip_round(v);
    }
    return v[0] ^ v[1] ^ v[2] ^ v[3];
}

/* --- Buckets -----------------------------------------------------------------------------------
 */

typedef struct bucket_state {
    int64_t n;
    uint64_t key[2]; /* of SipHash */
} bucket_state;

static void bucket_read(oribi_kit_setup *setup, bucket_state *state)
{
    oribi_kit_attr_int(setup, "num_buckets", &state->n);
    if (oribi_kit_setup_is_ok(setup) && state->n < 1) {
        (void)oribi_kit_setup_fail(setup, TF_INVALID_ARGUMENT, "num_buckets must be at least 1");
    }
}
ORIBI_KIT_CREATE(bucket, bucket_state)

static void strong_read(oribi_kit_setup *setup, bucket_state *state)
{
    int64_t key[2] = {0, 0};
    bucket_read(setup, state);
    oribi_kit_attr_ints(setup, "key", key, 2, NULL);
    state->key[0] = (uint64_t)key[0];
    state->key[1] = (uint64_t)key[1];
}
ORIBI_KIT_CREATE(strong, bucket_state)

typedef enum method { FARM, SIP, MURMUR } method;

static bool buckets(const bucket_state *s, oribi_kit_run *run, method by)
{
    const uint64_t n = (uint64_t)s->n;
    oribi_wide_dims dims;
    int64_t patience = 0;
    if (!oribi_cpu_wide_dims(run, run->in[0], &dims)) {
        return false;
    }
    const TF_TString *x = TF_TensorData(run->in[0]);
    int64_t *y = oribi_kit_output(run, 0, dims.at, dims.n);
    const int64_t count = y == NULL ? 0 : TF_TensorElementCount(run->in[0]);
    for (int64_t i = 0; i < count; i++) {
        const oribi_cpu_span text = oribi_cpu_text_at(x, i);
        if (oribi_kit_stops(run, &patience, 60 + (int64_t)(text.n & 0xfffff))) {
            return false;
        }
        const uint64_t found = by == FARM  ? fingerprint(text)
                               : by == SIP ? sip(text, s->key)
                                           : murmur(text);
        y[i] = (int64_t)(found % n);
    }
    return y != NULL;
}

static bool fast_run(const void *state, oribi_kit_run *run)
{
    return buckets(state, run, FARM);
}
ORIBI_KIT_COMPUTE(fast, 1)

static bool strong_run(const void *state, oribi_kit_run *run)
{
    return buckets(state, run, SIP);
}
ORIBI_KIT_COMPUTE(strong, 1)

static bool legacy_run(const void *state, oribi_kit_run *run)
{
    return buckets(state, run, MURMUR);
}
ORIBI_KIT_COMPUTE(legacy, 1)

const oribi_cpu_kernel oribi_cpu_text_hash_kernels[] = {
    ORIBI_CPU_STATE_ROW("StringToHashBucketFast", bucket, fast, "FarmHash's fingerprint"),
    ORIBI_CPU_STATE_ROW("StringToHashBucketStrong", strong, strong, "SipHash"),
    ORIBI_CPU_STATE_ROW("StringToHashBucket", bucket, legacy, "MurmurHash64A"),
    {.op_name = NULL},
};
