/* SPDX-License-Identifier: Apache-2.0 */
/* The types of numbers, a list that several tables of kernels go through. */
#ifndef ORIBI_PLUGINS_CPU_NUMBERS_H_
#define ORIBI_PLUGINS_CPU_NUMBERS_H_

#include "cpu/base/cpu.h"

/* clang-format off */
/* ROW(T, dtype) for each type of numbers. */
#define ORIBI_CPU_NUMBERS(ROW)                                                                     \
    ROW(float, TF_FLOAT)                                                                           \
    ROW(double, TF_DOUBLE)                                                                         \
    ROW(int8_t, TF_INT8)                                                                           \
    ROW(int16_t, TF_INT16)                                                                         \
    ROW(int32_t, TF_INT32)                                                                         \
    ROW(int64_t, TF_INT64)                                                                         \
    ROW(uint8_t, TF_UINT8)                                                                         \
    ROW(uint16_t, TF_UINT16)                                                                       \
    ROW(uint32_t, TF_UINT32)                                                                       \
    ROW(uint64_t, TF_UINT64)
/* clang-format on */

#endif
