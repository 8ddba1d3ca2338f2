/* SPDX-License-Identifier: Apache-2.0 */
/* Shapes of Conv2DBackpropInput, the transposed convolution: the image that it makes is the one
 * that a Conv2D with the same attributes would turn into the image that it reads. Read next:
 * conv_backprop.c.
 */
#ifndef ORIBI_PLUGINS_CPU_CONV_BACKPROP_H_
#define ORIBI_PLUGINS_CPU_CONV_BACKPROP_H_

#include "cpu/conv_attrs.h"

/* Dims of the result: input_sizes, four values, or two where batch and channels are those of the
 * other inputs. */
bool oribi_conv_backprop_dims(oribi_cpu_run *run, const int64_t *filter, const int64_t *image,
                              int64_t *out_dims);
/* Axes of that Conv2D; fails when filter or image do not fit the result. */
bool oribi_conv_backprop_resolve(oribi_cpu_run *run, const oribi_conv_attrs *attrs,
                                 const int64_t *dims, const int64_t *filter, const int64_t *image,
                                 oribi_conv_axis *out_y, oribi_conv_axis *out_x);

#endif
