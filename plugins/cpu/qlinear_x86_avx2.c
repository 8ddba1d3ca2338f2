/* SPDX-License-Identifier: Apache-2.0 */
/* ONNX>QLinearConv2D for AVX2. See qlinear_loops.h. */
#include "cpu/families.h"

#ifdef __AVX2__
#include <immintrin.h>

#define QLINEAR_FAMILY   oribi_cpu_qlinear_x86_avx2_kernels
#define QLINEAR_PRIORITY ORIBI_CPU_AVX2
#define QLINEAR_ISA      ORIBI_CPU_ISA_AVX2
#define QLINEAR_WHY      "16 products of int16 an instruction"
#include "cpu/qlinear_loops.h"

static void qlinear_tile(const int16_t *a, const int16_t *b, int32_t pairs, int32_t *acc)
{
    __m256i sum[ROWS][2];
    for (int r = 0; r < ROWS; r++) {
        sum[r][0] = _mm256_loadu_si256((const __m256i *)(acc + r * PANEL));
        sum[r][1] = _mm256_loadu_si256((const __m256i *)(acc + r * PANEL + 8));
    }
    for (int32_t p = 0; p < pairs; p++) {
        const __m256i left = _mm256_loadu_si256((const __m256i *)(b + p * COLUMNS * 2));
        const __m256i right = _mm256_loadu_si256((const __m256i *)(b + p * COLUMNS * 2 + COLUMNS));
        for (int r = 0; r < ROWS; r++) {
            int32_t bits;
            memcpy(&bits, a + r * CHUNK + 2 * p, sizeof bits);
            const __m256i pair = _mm256_set1_epi32(bits);
            sum[r][0] = _mm256_add_epi32(sum[r][0], _mm256_madd_epi16(pair, left));
            sum[r][1] = _mm256_add_epi32(sum[r][1], _mm256_madd_epi16(pair, right));
        }
    }
    for (int r = 0; r < ROWS; r++) {
        _mm256_storeu_si256((__m256i *)(acc + r * PANEL), sum[r][0]);
        _mm256_storeu_si256((__m256i *)(acc + r * PANEL + 8), sum[r][1]);
    }
}
#else
const oribi_cpu_kernel oribi_cpu_qlinear_x86_avx2_kernels[] = {{.op_name = NULL}};
#endif
