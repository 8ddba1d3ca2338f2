/* SPDX-License-Identifier: Apache-2.0 */
/* SHA-256 (FIPS 180-4) and the CRC-32 of Ethernet, bit by bit. */
#include "compile/common/checksum.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static const uint32_t constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t rotate(uint32_t x, int n)
{
    return (x >> n) | (x << (32 - n));
}

static void block(uint32_t state[8], const uint8_t *data)
{
    uint32_t w[64], s[8];
    for (int i = 0; i < 16; i++) {
        w[i] = (uint32_t)data[i * 4] << 24 | (uint32_t)data[i * 4 + 1] << 16 |
               (uint32_t)data[i * 4 + 2] << 8 | data[i * 4 + 3];
    }
    for (int i = 16; i < 64; i++) {
        const uint32_t a = rotate(w[i - 15], 7) ^ rotate(w[i - 15], 18) ^ (w[i - 15] >> 3);
        const uint32_t b = rotate(w[i - 2], 17) ^ rotate(w[i - 2], 19) ^ (w[i - 2] >> 10);
        w[i] = w[i - 16] + a + w[i - 7] + b;
    }
    memcpy(s, state, sizeof s);
    for (int i = 0; i < 64; i++) {
        const uint32_t e = rotate(s[4], 6) ^ rotate(s[4], 11) ^ rotate(s[4], 25);
        const uint32_t choice = (s[4] & s[5]) ^ (~s[4] & s[6]);
        const uint32_t t = s[7] + e + choice + constants[i] + w[i];
        const uint32_t a = rotate(s[0], 2) ^ rotate(s[0], 13) ^ rotate(s[0], 22);
        const uint32_t majority = (s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]);
        memmove(s + 1, s, 7 * sizeof s[0]);
        s[4] += t;
        s[0] = t + a + majority;
    }
    for (int i = 0; i < 8; i++) {
        state[i] += s[i];
    }
}

void oribi_sha256(const void *data, size_t bytes, uint32_t out[8])
{
    static const uint32_t first[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    const uint8_t *at = data;
    const uint64_t bits = (uint64_t)bytes * 8;
    uint8_t tail[128] = {0};
    memcpy(out, first, sizeof first);
    for (; bytes >= 64; bytes -= 64, at += 64) {
        block(out, at);
    }
    if (bytes > 0) {
        memcpy(tail, at, bytes);
    }
    tail[bytes] = 0x80;
    const size_t end = bytes < 56 ? 64 : 128;
    for (size_t i = 0; i < 8; i++) {
        tail[end - 1 - i] = (uint8_t)(bits >> (8 * i));
    }
    block(out, tail);
    if (end == 128) {
        block(out, tail + 64);
    }
}

void oribi_sha256_hex(const void *data, size_t bytes, char out_hex[65])
{
    uint32_t sum[8];
    oribi_sha256(data, bytes, sum);
    for (int i = 0; i < 8; i++) {
        snprintf(out_hex + i * 8, 9, "%08x", (unsigned)sum[i]);
    }
}

uint32_t oribi_crc32(uint32_t crc, const void *data, size_t bytes)
{
    const uint8_t *at = data;
    crc = ~crc;
    for (size_t i = 0; i < bytes; i++) {
        crc ^= at[i];
        for (int32_t k = 0; k < 8; k++) {
            crc = (crc >> 1) ^ (0xEDB88320u & (0u - (crc & 1u)));
        }
    }
    return ~crc;
}
