/* SPDX-License-Identifier: Apache-2.0 */
/* SVDF of float. Read next: svdf_f32_body.h. */
#include "micro/recurrent/dots_f32.h"

#define ORIBI_MICRO_ADD_F32(sum, x, weight) ((sum) + (x) * (weight))
#define ORIBI_MICRO_ADD_VFP                 ORIBI_MICRO_VFP_ROUNDED
#define ORIBI_MICRO_DOTS_F32                oribi_micro_dots_f32
#define ORIBI_MICRO_SVDF_F32                oribi_micro_svdf_f32
#include "micro/svdf/svdf_f32_body.h"
