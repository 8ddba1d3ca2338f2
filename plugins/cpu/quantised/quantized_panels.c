/* SPDX-License-Identifier: Apache-2.0 */
/* Weights of quantised layers into panels. */
#include "cpu/quantised/quantized_panels.h"

#include "micro/dims.h"
#include "micro/prepare.h"

#include <stdlib.h>
#include <string.h>

/* Which channel of its panel lies at place i. */
static int32_t channel_at(const oribi_quantized_format *format, int32_t i)
{
    return format->is_packed ? (i & 3) + (i & 4) * 2 + (i & 8) / 2 : i;
}

void oribi_quantized_panels_free(oribi_quantized_panels *panels)
{
    if (panels == NULL) {
        return;
    }
    free(panels->weights);
    free(panels->bias);
    free(panels->factor);
    free(panels->n_apart);
    *panels = (oribi_quantized_panels){0};
}

static int32_t groups_of(int32_t taps, int32_t group)
{
    return taps / group + (taps % group != 0 ? 1 : 0);
}

/* Some taps into groups of g, from one to the next of which are `ahead` weights. */
static inline void pack_row(const int8_t *from, int64_t step, int32_t taps, int32_t g,
                            int64_t ahead, int32_t weight_bytes, void *to)
{
    for (int64_t t = 0, at = 0; t < taps; t += g, at += ahead) {
        for (int32_t k = 0; k < g && t + k < taps; k++, from += step) {
            if (weight_bytes == 1) {
                ((int8_t *)to)[at + k] = *from;
            } else {
                ((int16_t *)to)[at + k] = *from;
            }
        }
    }
}

/* Weights of channel c at place i, whose groups lie side by side with those of `together` panels;
 * returns their sum, and that of their sizes. */
static int64_t pack_weights(const oribi_quantized_layer *layer, int32_t c, int32_t i,
                            const oribi_quantized_format *format, int32_t weight_bytes,
                            int32_t together, char *panel, int64_t *out_size)
{
    const int32_t taps = layer->row_taps, g = format->group;
    const int64_t step = layer->tap_step, ahead = (int64_t)together * ORIBI_PANEL * g;
    const int8_t *from = layer->filter + c * layer->channel_step;
    char *to = panel + i * g * weight_bytes;
    int64_t sum = 0;
    *out_size = 0;
    for (int32_t row = 0; row < layer->taps / taps; row++, from += layer->row_step) {
        sum += oribi_micro_sum_weights(from, taps, step, out_size);
        if (g == 4 && weight_bytes == 1) { /* what formats are, as constants */
            pack_row(from, step, taps, 4, ahead, 1, to);
        } else if (g == 2 && weight_bytes == 2) {
            pack_row(from, step, taps, 2, ahead, 2, to);
        } else {
            pack_row(from, step, taps, g, ahead, weight_bytes, to);
        }
        to += (int64_t)groups_of(taps, g) * ahead * weight_bytes;
    }
    return sum;
}

static void take_floats(oribi_quantized_panels *out, int32_t panel, int32_t i,
                        const oribi_quantized_real *real)
{
    out->factor[panel * ORIBI_PANEL + i] = real->factor;
    out->term[panel * ORIBI_PANEL + i] = real->term;
    for (int32_t k = 0; k < real->n_apart; k++) {
        const int32_t at = (panel * ORIBI_MOST_APART + k) * ORIBI_PANEL + i;
        out->apart[at] = real->apart[k];
        out->more[at] = real->more[k];
    }
    if (out->n_apart[panel] >= 0 && out->n_apart[panel] < real->n_apart) {
        out->n_apart[panel] = (int8_t)real->n_apart;
    }
}

static void pack_panel(const oribi_quantized_layer *layer, int32_t panel,
                       const oribi_quantized_format *format, oribi_quantized_panels *out)
{
    const int32_t of_group = format->group * ORIBI_PANEL;
    const int32_t first = panel / ORIBI_SIDE_BY_SIDE * ORIBI_SIDE_BY_SIDE;
    const bool is_by_fours = out->is_by_fours && first + ORIBI_SIDE_BY_SIDE <= out->n_panels;
    const int64_t at_first =
        is_by_fours ? (int64_t)first * out->groups * of_group + (panel - first) * of_group
                    : (int64_t)panel * out->groups * of_group;
    char *w = (char *)out->weights + at_first * out->weight_bytes;
    for (int32_t i = 0; i < ORIBI_PANEL; i++) {
        const int32_t at = panel * ORIBI_PANEL + i;
        int32_t c = panel * ORIBI_PANEL + channel_at(format, i);
        int64_t size = 0;
        if (ORIBI_PANEL % layer->n_channels == 0) {
            c %= layer->n_channels;
        } else if (c >= layer->n_channels) {
            continue;
        }
        const int32_t shift = layer->shift[c * layer->scale_step];
        const int64_t sum = pack_weights(layer, c, i, format, out->weight_bytes,
                                         is_by_fours ? ORIBI_SIDE_BY_SIDE : 1, w, &size);
        /* Inputs of a byte are 128 more than they are; sums wrap around as micro/'s do. */
        const uint32_t excess = format->bytes == 1 ? (uint32_t)(128 * sum) : 0;
        out->bias[at] = (int32_t)((uint32_t)layer->bias[c] - excess);
        out->multiplier[at] = layer->multiplier[c * layer->scale_step];
        out->left[at] = shift > 0 ? shift : 0;
        out->right[at] = shift > 0 ? 0 : -shift;
        oribi_quantized_real real = {0};
        const int64_t reach[2] = {layer->bias[c] - 128 * size, layer->bias[c] + 128 * size};
        if (!oribi_quantized_real_find(layer, out->multiplier[at], shift, reach, &real)) {
            out->n_apart[panel] = -1;
        }
        take_floats(out, panel, i, &real);
    }
}

/* From the beginning of a cache line on, as a vector that lies in two of them is read twice. */
static void *zeros(int64_t bytes)
{
    enum { LINE = 64 };
    int64_t whole = 0;
    void *all =
        oribi_count_round_up(bytes, LINE, &whole) ? aligned_alloc(LINE, (size_t)whole) : NULL;
    return all != NULL ? memset(all, 0, (size_t)whole) : NULL;
}

bool oribi_quantized_panels_make(const oribi_quantized_layer *layer,
                                 const oribi_quantized_format *format, oribi_quantized_panels *out)
{
    const int32_t n_panels = (layer->n_channels + ORIBI_PANEL - 1) / ORIBI_PANEL;
    const size_t n = (size_t)n_panels * ORIBI_PANEL;
    const bool is_signed = layer->low < layer->zero; /* results are on both sides of it */
    *out = (oribi_quantized_panels){.n_channels = layer->n_channels,
                                    .n_panels = n_panels,
                                    .row_taps = layer->row_taps,
                                    .groups = layer->taps / layer->row_taps *
                                              groups_of(layer->row_taps, format->group),
                                    .zero = layer->zero,
                                    .low = layer->low,
                                    .high = layer->high,
                                    .sign = is_signed ? INT32_MIN : 0,
                                    .added = is_signed ? layer->zero : 0,
                                    .is_by_fours = layer->is_read_once && format->bytes == 1,
                                    .weight_bytes = layer->is_read_once ? 1 : format->bytes};
    out->weights = zeros(n_panels * oribi_quantized_panel_bytes(out, format));
    out->bias = calloc((4 + 2 * ORIBI_MOST_APART) * n, sizeof *out->bias);
    out->factor = calloc(2 * n, sizeof *out->factor);
    out->n_apart = calloc((size_t)n_panels, sizeof *out->n_apart);
    if (out->weights == NULL || out->bias == NULL || out->factor == NULL || out->n_apart == NULL) {
        oribi_quantized_panels_free(out);
        return false;
    }
    out->multiplier = out->bias + n;
    out->left = out->multiplier + n;
    out->right = out->left + n;
    out->apart = out->right + n;
    out->more = out->apart + ORIBI_MOST_APART * n;
    out->term = out->factor + n;
    for (int32_t panel = 0; panel < n_panels; panel++) {
        pack_panel(layer, panel, format, out);
    }
    return true;
}

oribi_quantized_panels oribi_quantized_panels_part(const oribi_quantized_panels *whole,
                                                   const oribi_quantized_format *format,
                                                   int32_t first, int32_t count)
{
    oribi_quantized_panels part = *whole;
    const int64_t at = (int64_t)first * ORIBI_PANEL;
    const int32_t panels = whole->n_panels - first, channels = whole->n_channels - (int32_t)at;
    part.weights = (char *)whole->weights + first * oribi_quantized_panel_bytes(whole, format);
    part.bias += at;
    part.multiplier += at;
    part.left += at;
    part.right += at;
    part.factor += at;
    part.term += at;
    part.apart += at * ORIBI_MOST_APART;
    part.more += at * ORIBI_MOST_APART;
    part.n_apart += first;
    part.n_panels = count < panels ? count : panels;
    part.n_channels = count < panels ? count * ORIBI_PANEL : channels;
    return part;
}
