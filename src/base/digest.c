/* SPDX-License-Identifier: Apache-2.0 */
/* See digest.h. Four sums that are multiplied and turned, so that a core has work while it waits.
 */
#include "base/digest.h"

#include <string.h>

enum { LANES = 4, WORD = sizeof(uint64_t) };
#define FACTOR_A UINT64_C(0x9e3779b97f4a7c15) /* 2^64 over the golden ratio */
#define FACTOR_B UINT64_C(0xc2b2ae3d27d4eb4f) /* odd, about half of its bits set */

static uint64_t turn(uint64_t value, int bits)
{
    return value << bits | value >> (64 - bits);
}

static uint64_t word_at(const uint8_t *from)
{
    uint64_t word = 0;
    memcpy(&word, from, WORD);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word;
}

static uint64_t finish(uint64_t value)
{
    value = (value ^ value >> 32) * FACTOR_A;
    value = (value ^ value >> 29) * FACTOR_B;
    return value ^ value >> 32;
}

void oribi_digest_add(oribi_digest *digest, const void *data, size_t bytes)
{
    const uint8_t *from = data;
    uint64_t lane[LANES] = {digest->at[0], digest->at[1], digest->at[0] + FACTOR_A,
                            digest->at[1] + FACTOR_B};
    size_t left = bytes;
    for (; left >= sizeof lane; left -= sizeof lane, from += sizeof lane) {
        for (size_t i = 0; i < LANES; i++) {
            lane[i] = turn((lane[i] ^ word_at(from + i * WORD)) * FACTOR_A, 31);
        }
    }
    uint8_t tail[sizeof lane] = {0};
    if (left > 0) {
        memcpy(tail, from, left);
    }
    for (size_t i = 0; i < LANES; i++) {
        lane[i] = turn((lane[i] ^ word_at(tail + i * WORD)) * FACTOR_B, 29);
    }
    lane[0] ^= bytes;
    digest->at[0] = finish(lane[0] + turn(lane[1], 17) + turn(lane[2], 34) + turn(lane[3], 51));
    digest->at[1] = finish(digest->at[0] ^ (lane[0] * FACTOR_B + lane[1] * FACTOR_A + lane[3]));
}
