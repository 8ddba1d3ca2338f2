/* SPDX-License-Identifier: Apache-2.0 */
/* Repetition for micro-kernels whose accumulators must be named variables, so that every compiler
 * keeps them in registers: ORIBI_REPEAT_3(X) is X(0) X(1) X(2). Nothing else. See gemm.h.
 */
#ifndef ORIBI_PLUGINS_CPU_GEMM_REPEAT_H_
#define ORIBI_PLUGINS_CPU_GEMM_REPEAT_H_

/* clang-format off */
#define ORIBI_REPEAT_1(X)  X(0)
#define ORIBI_REPEAT_2(X)  ORIBI_REPEAT_1(X) X(1)
#define ORIBI_REPEAT_3(X)  ORIBI_REPEAT_2(X) X(2)
#define ORIBI_REPEAT_4(X)  ORIBI_REPEAT_3(X) X(3)
#define ORIBI_REPEAT_5(X)  ORIBI_REPEAT_4(X) X(4)
#define ORIBI_REPEAT_6(X)  ORIBI_REPEAT_5(X) X(5)
#define ORIBI_REPEAT_7(X)  ORIBI_REPEAT_6(X) X(6)
#define ORIBI_REPEAT_8(X)  ORIBI_REPEAT_7(X) X(7)
#define ORIBI_REPEAT_9(X)  ORIBI_REPEAT_8(X) X(8)
#define ORIBI_REPEAT_10(X) ORIBI_REPEAT_9(X) X(9)
#define ORIBI_REPEAT_11(X) ORIBI_REPEAT_10(X) X(10)
#define ORIBI_REPEAT_12(X) ORIBI_REPEAT_11(X) X(11)

/* X(1) X(2) ... X(n): one for each height of a tile. */
#define ORIBI_EACH_TO_6(X)  X(1) X(2) X(3) X(4) X(5) X(6)
#define ORIBI_EACH_TO_8(X)  ORIBI_EACH_TO_6(X) X(7) X(8)
#define ORIBI_EACH_TO_12(X) ORIBI_EACH_TO_8(X) X(9) X(10) X(11) X(12)
/* clang-format on */

#endif
