/* SPDX-License-Identifier: Apache-2.0 */
/* See conv_attrs.h. Source of names and order: TensorFlow's op definitions, NHWC. */
#include "cpu/product/conv_attrs.h"

#include "cpu/base/cpu_shape.h"
#include "micro/geometry/geometry_axes.h"

#include <string.h>

/* A list [1, y, x, 1]; absent attributes leave ones. */
static void read_pair(oribi_kit_setup *setup, const char *name, int64_t *out)
{
    int64_t values[4] = {1, 1, 1, 1};
    int count = 4;
    if (setup->state == NULL ||
        !TF_OpKernelConstruction_HasAttr(setup->construction, name, setup->status)) {
        out[0] = out[1] = 1;
        return;
    }
    oribi_kit_attr_ints(setup, name, values, 4, &count);
    if (TF_GetCode(setup->status) == TF_OK &&
        (count != 4 || values[0] != 1 || values[3] != 1 || values[1] < 1 || values[2] < 1)) {
        (void)oribi_kit_setup_fail(setup, TF_INVALID_ARGUMENT,
                                   "attribute '%s' must be [1, y, x, 1] with y and x of 1 or more; "
                                   "it has %d elements, the first four [%lld, %lld, %lld, %lld]",
                                   name, count, (long long)values[0], (long long)values[1],
                                   (long long)values[2], (long long)values[3]);
    }
    out[0] = values[1];
    out[1] = values[2];
}

static void read_padding(oribi_kit_setup *setup, oribi_conv_attrs *out)
{
    char padding[16] = "";
    oribi_dims sizes = {.n = 0};
    oribi_kit_attr_string(setup, "padding", padding, sizeof padding);
    if (setup->state == NULL || TF_GetCode(setup->status) != TF_OK) {
        return;
    }
    if (!oribi_geometry_read_padding(padding, &out->padding)) {
        (void)oribi_kit_setup_fail(setup, TF_INVALID_ARGUMENT,
                                   "padding '%s' is not known; use SAME, VALID or EXPLICIT",
                                   padding);
    }
    if (out->padding == ORIBI_GEOMETRY_EXPLICIT) {
        oribi_kit_attr_ints(setup, "explicit_paddings", sizes.at, 8, &sizes.n);
        if (TF_GetCode(setup->status) == TF_OK &&
            (sizes.n != 8 || sizes.at[0] != 0 || sizes.at[1] != 0 || sizes.at[6] != 0 ||
             sizes.at[7] != 0)) {
            (void)oribi_kit_setup_fail(setup, TF_INVALID_ARGUMENT,
                                       "attribute 'explicit_paddings' must hold 8 sizes, those of "
                                       "batch and channels 0; it holds %d",
                                       sizes.n);
        }
        for (int axis = 0; axis < 2; axis++) {
            out->before[axis] = sizes.at[2 + 2 * axis];
            out->after[axis] = sizes.at[3 + 2 * axis];
        }
    }
}

void oribi_conv_attrs_read(oribi_kit_setup *setup, oribi_conv_attrs *out)
{
    char format[16] = "NHWC";
    read_pair(setup, "strides", out->strides);
    read_pair(setup, "dilations", out->dilations);
    oribi_kit_attr_string(setup, "data_format", format, sizeof format);
    if (setup->state != NULL && TF_GetCode(setup->status) == TF_OK && strcmp(format, "NHWC") != 0) {
        (void)oribi_kit_setup_fail(setup, TF_UNIMPLEMENTED,
                                   "data_format '%s' has no kernel on the CPU; transpose to NHWC "
                                   "before and back after the op",
                                   format);
    }
    read_padding(setup, out);
    if (setup->state != NULL &&
        TF_OpKernelConstruction_HasAttr(setup->construction, "input_format", setup->status)) {
        oribi_kit_attr_string(setup, "input_format", format, sizeof format);
        out->is_planes = strcmp(format, "NCHW") == 0;
    }
}

void oribi_conv_image_dims(const oribi_conv_attrs *attrs, int64_t dims[4])
{
    static const int64_t to_pixels[4] = {0, 2, 3, 1};
    int64_t given[4];
    if (attrs->is_planes) {
        memcpy(given, dims, sizeof given);
        oribi_geometry_permute(given, to_pixels, 4, dims);
    }
}

bool oribi_conv_attrs_resolve(oribi_kit_run *run, const oribi_conv_attrs *attrs, int64_t height,
                              int64_t width, int64_t filter_height, int64_t filter_width,
                              oribi_geometry_window *out_y, oribi_geometry_window *out_x)
{
    const int64_t sizes[2] = {height, width}, taps[2] = {filter_height, filter_width};
    oribi_geometry_window *const axes[2] = {out_y, out_x};
    for (int i = 0; i < 2; i++) {
        *axes[i] = (oribi_geometry_window){.in = sizes[i],
                                           .taps = taps[i],
                                           .stride = attrs->strides[i],
                                           .dilation = attrs->dilations[i],
                                           .padding = attrs->padding,
                                           .before = attrs->before[i],
                                           .after = attrs->after[i]};
        if (!oribi_cpu_slide(run, i == 0 ? "height" : "width", axes[i])) {
            return false;
        }
    }
    return true;
}

bool oribi_conv_shapes_take(oribi_kit_run *run, const oribi_conv_attrs *attrs, bool is_depthwise,
                            oribi_conv_shapes *out)
{
    const int64_t *image = out->image.dims.at, *filter = out->filter.dims.at;
    if (!oribi_weights_input(run, 0, 4, &out->image) ||
        !oribi_weights_input(run, 1, 4, &out->filter)) {
        return false;
    }
    oribi_conv_image_dims(attrs, out->image.dims.at);
    oribi_conv_image_dims(attrs, out->image.strides.at);
    if (!oribi_conv_attrs_resolve(run, attrs, image[1], image[2], filter[0], filter[1], &out->y,
                                  &out->x)) {
        return false;
    }
    const int64_t channels = image[3], depth = filter[2], outputs = filter[3];
    const bool fits = is_depthwise ? depth == channels
                                   : depth > 0 && channels >= depth && channels % depth == 0 &&
                                         outputs % (channels / depth) == 0;
    if (!fits) {
        return oribi_kit_fail(
            run, TF_INVALID_ARGUMENT,
            "an image with %lld channels does not fit a filter of %lld by %lld channels",
            (long long)channels, (long long)depth, (long long)outputs);
    }
    out->dims[0] = image[0];
    out->dims[1] = out->y.out;
    out->dims[2] = out->x.out;
    out->dims[3] = is_depthwise ? channels * outputs : outputs;
    return true;
}
