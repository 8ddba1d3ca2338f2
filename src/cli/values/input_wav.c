/* SPDX-License-Identifier: Apache-2.0 */
/* Sound from a .wav file: samples of 8, 16, 24 or 32 bits or floats, as numbers from -1 to 1, or as
 * they are where the input wants int16. Nothing is resampled: a model names its rate, a file has
 * one.
 */
#include <stdio.h>
#include <string.h>

#include "cli.h"

typedef struct wav {
    uint32_t format, channels, rate, bits; /* format 1: whole numbers, 3: floats */
    const uint8_t *data;
    size_t bytes;
} wav;

static bool read_format(const uint8_t *at, size_t bytes, wav *out)
{
    if (bytes < 16) {
        return false;
    }
    out->format = cli_little(at, 2);
    out->channels = cli_little(at + 2, 2);
    out->rate = cli_little(at + 4, 4);
    out->bits = cli_little(at + 14, 2);
    if (out->format == 0xfffe && bytes >= 26) { /* extensible: the real one stands further on */
        out->format = cli_little(at + 24, 2);
    }
    return out->channels > 0;
}

/* Chunks: "fmt " and "data"; others are passed over. */
static bool find_chunks(const uint8_t *file, size_t bytes, wav *out)
{
    bool has_format = false;

    for (size_t at = 12; at + 8 <= bytes;) {
        const size_t length = cli_little(file + at + 4, 4), left = bytes - at - 8;
        if (length > left) {
            return false;
        }
        if (memcmp(file + at, "fmt ", 4) == 0) {
            has_format = read_format(file + at + 8, length, out);
        } else if (memcmp(file + at, "data", 4) == 0) {
            out->data = file + at + 8;
            out->bytes = length;
            return has_format;
        }
        at += 8 + length + (length & 1 && length < left);
    }
    return false;
}

static bool is_supported(const wav *w)
{
    return w->format == 3 ? w->bits == 32
                          : w->format == 1 &&
                                (w->bits == 8 || w->bits == 16 || w->bits == 24 || w->bits == 32);
}

static double sample(const wav *w, size_t index)
{
    const int bytes = (int)w->bits / 8;
    const uint32_t raw = cli_little(w->data + index * (size_t)bytes, bytes);

    if (w->format == 3) {
        float value;
        memcpy(&value, &raw, sizeof value);
        return (double)value;
    }
    if (bytes == 1) {
        return ((double)raw - 128) / 128;
    }
    const int32_t value = (int32_t)(raw << (32 - w->bits));
    return value / 2147483648.0;
}

static void store(TF_Tensor *tensor, size_t index, double value)
{
    if (TF_TensorType(tensor) == TF_FLOAT) {
        ((float *)TF_TensorData(tensor))[index] = (float)value;
    } else {
        ((int16_t *)TF_TensorData(tensor))[index] = (int16_t)(value * 32768);
    }
}

/* Channels lie behind one another where the input's last dimension is not theirs. */
static TF_Tensor *fill(const wav *w, const char *path, TF_DataType type, const cli_dims *dims)
{
    const size_t n = w->bytes / (w->bits / 8), frames = n / w->channels;
    const bool is_planar = w->channels > 1 && dims->n > 1 && dims->at[dims->n - 1] != w->channels;
    char things[64];

    (void)snprintf(things, sizeof things, "samples (channels: %u, rate: %u Hz)",
                   (unsigned)w->channels, (unsigned)w->rate);
    TF_Tensor *tensor = cli_tensor_for(type, dims, n, path, things);
    if (tensor == NULL) {
        return NULL;
    }
    for (size_t i = 0; i < n; i++) {
        store(tensor, is_planar ? i % w->channels * frames + i / w->channels : i, sample(w, i));
    }
    return tensor;
}

TF_Tensor *cli_wav_read(const uint8_t *file, size_t bytes, const char *path, TF_DataType type,
                        const cli_dims *dims)
{
    wav w = {0};

    if (bytes < 12 || memcmp(file, "RIFF", 4) != 0 || memcmp(file + 8, "WAVE", 4) != 0 ||
        !find_chunks(file, bytes, &w)) {
        cli_error("%s: not a .wav file, or cut off", path);
        return NULL;
    }
    if (!is_supported(&w) || w.bytes % (w.bits / 8 * (size_t)w.channels) != 0) {
        cli_error(
            "%s: sound of %u bits in format %u cannot be read; PCM of 8 to 32 bits and floats "
            "of 32 can",
            path, (unsigned)w.bits, (unsigned)w.format);
        return NULL;
    }
    if (type != TF_FLOAT && type != TF_INT16) {
        cli_error("%s: sound fits an input of type f32 or i16, not %s", path, cli_type_name(type));
        return NULL;
    }
    return fill(&w, path, type, dims);
}
