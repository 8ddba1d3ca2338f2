/* SPDX-License-Identifier: Apache-2.0 */
/* DecodeWav: the samples of a WAV file of 16 bits, from -1 to 1, and how many a second has.
 */
#include "cpu/base/families.h"
#include "cpu/text/texts.h"

typedef struct wav_state {
    int64_t channels, samples; /* wanted; -1: as many as the file has */
} wav_state;

static void wav_read(oribi_kit_setup *setup, wav_state *state)
{
    oribi_kit_attr_int(setup, "desired_channels", &state->channels);
    oribi_kit_attr_int(setup, "desired_samples", &state->samples);
}
ORIBI_KIT_CREATE(wav, wav_state)

typedef struct wave {
    const uint8_t *data;
    int64_t samples, channels, rate;
} wave;

static uint32_t little(const uint8_t *at, int bytes)
{
    uint32_t value = 0;
    for (int i = bytes - 1; i >= 0; i--) {
        value = value << 8 | at[i];
    }
    return value;
}

/* The 16 bytes of how samples are stored. */
static bool read_format(oribi_kit_run *run, const uint8_t *at, wave *out)
{
    enum { PCM = 1, BITS = 16 };
    const uint32_t bits = little(at + 14, 2), align = little(at + 12, 2);
    out->channels = little(at + 2, 2);
    out->rate = little(at + 4, 4);
    if (little(at, 2) != PCM || bits != BITS || out->channels == 0 ||
        align != 2 * (uint32_t)out->channels || out->rate > INT32_MAX ||
        little(at + 8, 4) != (uint64_t)out->rate * align) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                              "its samples are of format %u, %u bits, %lld channels; 16-bit PCM "
                              "is read",
                              (unsigned)little(at, 2), (unsigned)bits, (long long)out->channels);
    }
    return true;
}

/* A file: RIFF, its length, WAVE, then chunks of a name of four bytes, a length and as many. */
static bool read_wave(oribi_kit_run *run, oribi_cpu_span file, wave *out)
{
    enum { HEAD = 12, NAME = 4, CHUNK = 8, FORMAT = 16 };
    const uint8_t *at = (const uint8_t *)file.at;
    *out = (wave){NULL, 0, 0, 0};
    if (file.n < HEAD || memcmp(at, "RIFF", NAME) != 0 || memcmp(at + CHUNK, "WAVE", NAME) != 0) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT, "contents are no WAV file");
    }
    for (size_t place = HEAD; out->data == NULL && place + CHUNK <= file.n;) {
        const uint8_t *chunk = at + place;
        const size_t bytes = little(chunk + NAME, 4), left = file.n - place - CHUNK;
        if (bytes > left) {
            return oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                                  "a chunk of %zu bytes at %zu ends behind the WAV file's %zu",
                                  bytes, place, file.n);
        }
        if (memcmp(chunk, "fmt ", NAME) == 0 && bytes >= FORMAT) {
            if (!read_format(run, chunk + CHUNK, out)) {
                return false;
            }
        } else if (memcmp(chunk, "data", NAME) == 0 && out->channels > 0) {
            out->data = chunk + CHUNK;
            out->samples = (int64_t)bytes / (2 * out->channels);
        }
        place += CHUNK + bytes;
    }
    return out->data != NULL ||
           oribi_kit_fail(run, TF_INVALID_ARGUMENT, "the WAV file has no samples");
}

/* What is missing of samples is nought, of channels the last one. */
static bool wav_run(const void *state, oribi_kit_run *run)
{
    const wav_state *s = state;
    oribi_cpu_span file;
    wave sound;
    int64_t patience = 0;
    if (!oribi_cpu_text_scalar(run, 0, "contents", &file) || !read_wave(run, file, &sound)) {
        return false;
    }
    const int64_t dims[] = {s->samples >= 0 ? s->samples : sound.samples,
                            s->channels >= 0 ? s->channels : sound.channels};
    float *out = oribi_kit_output(run, 0, dims, 2);
    int32_t *rate = out != NULL ? oribi_kit_output(run, 1, NULL, 0) : NULL;
    if (rate == NULL) {
        return false;
    }
    *rate = (int32_t)sound.rate;
    for (int64_t i = 0; i < dims[0] && !oribi_kit_stops(run, &patience, dims[1]); i++) {
        for (int64_t k = 0; k < dims[1]; k++) {
            const int64_t from = k < sound.channels ? k : sound.channels - 1;
            const uint8_t *at = sound.data + 2 * (i * sound.channels + from);
            out[i * dims[1] + k] = i < sound.samples ? (float)(int16_t)little(at, 2) / 32768.0F : 0;
        }
    }
    return true;
}
ORIBI_KIT_COMPUTE(wav, 1)

const oribi_cpu_kernel oribi_cpu_decode_wav_kernels[] = {
    ORIBI_CPU_STATE_ROW("DecodeWav", wav, wav, "walks the chunks, then the samples"),
    {.op_name = NULL},
};
