/* SPDX-License-Identifier: Apache-2.0 */
/* Shapes of Conv2DBackpropInput, the transposed convolution: the image that it makes is the one
 * that a Conv2D with the same attributes would turn into the image that it reads. Read next:
 * conv_backprop.c.
 */
#ifndef ORIBI_PLUGINS_CPU_CONV_BACKPROP_H_
#define ORIBI_PLUGINS_CPU_CONV_BACKPROP_H_

#include "cpu/product/conv_attrs.h"

/* From the three inputs: the axes are those of that Conv2D, the dims what input_sizes says, four
 * values, or two where batch and channels are those of the other inputs. Fails when filter or image
 * do not fit the result. */
bool oribi_conv_backprop_take(oribi_kit_run *run, const oribi_conv_attrs *attrs,
                              oribi_conv_shapes *out);

#endif
