/* SPDX-License-Identifier: Apache-2.0 */
/* SVDF of float by fused multiply-add. */
#include "micro/fma/dots_fma_f32.h"
#include "micro/fma/fma_f32.h"

#define ORIBI_MICRO_ADD_F32(sum, x, weight) oribi_micro_fused_f32(sum, x, weight)
#define ORIBI_MICRO_ADD_VFP                 ORIBI_MICRO_VFP_FUSED
#define ORIBI_MICRO_DOTS_F32                oribi_micro_dots_fma_f32
#define ORIBI_MICRO_SVDF_F32                oribi_micro_svdf_fma_f32
#include "micro/svdf/svdf_f32_body.h"
