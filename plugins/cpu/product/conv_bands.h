/* SPDX-License-Identifier: Apache-2.0 */
/* Convolutions over few channels, as first layers are: the taps of a row of the filter become one,
 * over rows of the image that are copied with their padding, band by band. No attributes, no op.
 * Read next: conv_bands.c.
 */
#ifndef ORIBI_PLUGINS_CPU_CONV_BANDS_H_
#define ORIBI_PLUGINS_CPU_CONV_BANDS_H_

#include "cpu/base/cpu_shape.h"
#include "cpu/product/conv_geometry.h"
#include "cpu/product/gemm.h"

/* Is this quicker than a product with a tap for each of the filter's? */
bool oribi_conv_bands_are_worth(const oribi_conv_rows *image, int64_t groups);

/* The product of `direct`, which is that of all of the filter's taps, one by one; its rows are not
 * called. False after failing. */
bool oribi_conv_bands_run(oribi_kit_run *run, const oribi_conv_rows *image,
                          const oribi_gemm *direct);

#endif
