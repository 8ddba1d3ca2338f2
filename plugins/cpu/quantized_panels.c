/* SPDX-License-Identifier: Apache-2.0 */
/* Weights of quantised layers into panels. */
#include "cpu/quantized_panels.h"

#include <stdlib.h>

int32_t oribi_panel_channel(int32_t i)
{
    /* 0 to 3, 8 to 11, 4 to 7, 12 to 15: packing two vectors of 8 sums takes four of each in turn.
     */
    return (i & 3) + (i & 4) * 2 + (i & 8) / 2;
}

void oribi_quantized_panels_free(oribi_quantized_panels *panels)
{
    free(panels->weights);
    free(panels->bias);
    *panels = (oribi_quantized_panels){0};
}

static void pack_panel(const oribi_quantized_layer *layer, int32_t panel,
                       oribi_quantized_panels *out)
{
    int16_t *w = out->weights + (int64_t)panel * out->pairs * 2 * ORIBI_PANEL;
    for (int32_t i = 0; i < ORIBI_PANEL; i++) {
        const int32_t c = panel * ORIBI_PANEL + oribi_panel_channel(i);
        const int32_t at = panel * ORIBI_PANEL + i;
        if (c >= layer->n_channels) {
            continue;
        }
        const int32_t shift = layer->shift[c * layer->scale_step];
        out->bias[at] = layer->bias[c];
        out->multiplier[at] = layer->multiplier[c * layer->scale_step];
        out->left[at] = shift > 0 ? shift : 0;
        out->right[at] = shift > 0 ? 0 : -shift;
        for (int32_t t = 0; t < layer->taps; t++) {
            w[(t / 2 * ORIBI_PANEL + i) * 2 + t % 2] =
                layer->filter[c * layer->channel_step + t * layer->tap_step];
        }
    }
}

bool oribi_quantized_panels_make(const oribi_quantized_layer *layer, oribi_quantized_panels *out)
{
    const int32_t n_panels = (layer->n_channels + ORIBI_PANEL - 1) / ORIBI_PANEL;
    const size_t n = (size_t)n_panels * ORIBI_PANEL;
    *out = (oribi_quantized_panels){.n_channels = layer->n_channels,
                                    .n_panels = n_panels,
                                    .pairs = (layer->taps + 1) / 2,
                                    .zero = layer->zero,
                                    .low = layer->low,
                                    .high = layer->high};
    out->weights = calloc(n * (size_t)out->pairs * 2, sizeof *out->weights);
    out->bias = calloc(4 * n, sizeof *out->bias);
    if (out->weights == NULL || out->bias == NULL) {
        oribi_quantized_panels_free(out);
        return false;
    }
    out->multiplier = out->bias + n;
    out->left = out->multiplier + n;
    out->right = out->left + n;
    for (int32_t panel = 0; panel < n_panels; panel++) {
        pack_panel(layer, panel, out);
    }
    return true;
}
