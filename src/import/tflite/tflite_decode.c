/* SPDX-License-Identifier: Apache-2.0 */
/* TFLM_DECODE, TensorFlow Lite Micro's operator of weights that are stored smaller: by tables of
 * values that short indices name, without those that are the zero point, or in Huffman codes. What
 * it makes is known when the model is read, and becomes constants. Source   tflite-micro,
 * tensorflow/lite/micro/kernels/decode_state_{lut,prune,huffman}.cc.
 */
#include "import/tflite/tflite.h"

#include <string.h>

#include "base/alloc.h"

enum { BY_TABLE = 0, BY_HUFFMAN = 1, BY_PRUNING = 2 };
enum { KIND, VERSION, OWN_VERSION = 4, OWN_OPTION, OWN_STRIDE, HEAD_BYTES = 16 };

typedef struct decoding {
    oribi_tflite_node *n;
    const uint8_t *codes, *head, *table; /* the table is behind the head */
    size_t n_code_bits, table_bytes;
    size_t at; /* bits that have been read */
    const oribi_tflite_tensor *tensor;
    size_t count, element; /* of the result: elements, bytes of one */
    size_t channels;
    size_t inner; /* neighbours of one channel */
    uint8_t *out;
} decoding;

static bool broken(const decoding *d, const char *what)
{
    return oribi_tflite_fail(d->n, TF_INVALID_ARGUMENT, "of '%.*s' %s", (int)d->tensor->name.length,
                             d->tensor->name.data, what);
}

/* The first bits are the highest. Behind the end there are zeros: who takes such bits is told. */
static uint32_t bits(decoding *d, uint32_t count)
{
    uint32_t value = 0;
    for (uint32_t i = 0; i < count; i++, d->at++) {
        const uint32_t bit =
            d->at < d->n_code_bits ? d->codes[d->at / 8] >> (7 - d->at % 8) & 1U : 0;
        value = value << 1 | bit;
    }
    return value;
}

static size_t channel_of(const decoding *d, size_t i)
{
    return i / d->inner % d->channels;
}

static bool by_table(decoding *d)
{
    const uint32_t width = d->head[OWN_OPTION] & 7U;
    const size_t stride = d->head[OWN_STRIDE];
    if (width == 0 || d->count > d->n_code_bits / width) {
        return broken(d, "there are too few indices");
    }
    for (size_t i = 0; i < d->count; i++) {
        const size_t at = (channel_of(d, i) * stride + bits(d, width)) * d->element;
        if (at + d->element > d->table_bytes) {
            return broken(d, "an index is behind its table");
        }
        memcpy(d->out + i * d->element, d->table + at, d->element);
    }
    return true;
}

static bool by_pruning(decoding *d)
{
    const oribi_flat_vector *zeros = &d->tensor->zeros;
    size_t at = 0;
    if (d->count > d->n_code_bits) {
        return broken(d, "there are too few bits");
    }
    for (uint32_t i = 0; d->tensor->dtype != TF_INT8 && i < zeros->count; i++) {
        if (oribi_flat_int64_at(zeros, i) != 0) {
            return broken(d, "a zero point is not 0");
        }
    }
    for (size_t i = 0; i < d->count; i++, at += d->element) {
        const size_t channel = channel_of(d, i);
        if (bits(d, 1) == 0) {
            const int64_t zero =
                channel < zeros->count ? oribi_flat_int64_at(zeros, (uint32_t)channel) : 0;
            memset(d->out + i * d->element, (int)(zero & 255), d->element);
            at -= d->element;
        } else if (at + d->element > d->table_bytes) {
            return broken(d, "there are too few values");
        } else {
            memcpy(d->out + i * d->element, d->table + at, d->element);
        }
    }
    return true;
}

/* An entry has a bit that says that it holds a symbol, 4 bits (of a symbol: how many of the bits
 * read last are its; else how many to read, less one), then the symbol, or how far the next table
 * is from here. */
static bool by_huffman(decoding *d)
{
    const bool is_wide = (d->head[OWN_OPTION] & 1U) != 0;
    const size_t bytes = is_wide ? 4 : 2;
    const uint32_t low = is_wide ? 27 : 11, first = (d->head[OWN_OPTION] >> 4) + 1U;
    if (d->tensor->dtype != TF_INT8 && (d->tensor->dtype != TF_INT16 || !is_wide)) {
        return broken(d, "Huffman codes are of int8, or of int16 by a wide table");
    }
    for (size_t i = 0; i < d->count; i++) {
        uint32_t last = first, entry = 0;
        size_t at = 0;
        for (bool is_found = false; !is_found;) {
            at += bits(d, last);
            if ((at + 1) * bytes > d->table_bytes || d->at > d->n_code_bits + 32) {
                return broken(d, "a code is none of its table");
            }
            const uint8_t *from = d->table + at * bytes;
            entry = from[0] | (uint32_t)from[1] << 8;
            entry |= is_wide ? (uint32_t)from[2] << 16 | (uint32_t)from[3] << 24 : 0;
            const uint32_t count = entry >> low & 15U;
            is_found = (entry >> (low + 4) & 1U) != 0;
            if (is_found) {
                d->at -= last > count ? last - count : 0;
            } else {
                last = count + 1;
                at += entry & ((1U << low) - 1);
            }
        }
        if (d->at > d->n_code_bits) {
            return broken(d, "the codes end early");
        }
        d->out[i * d->element] = (uint8_t)entry;
        if (d->element == 2) {
            d->out[i * 2 + 1] = (uint8_t)(entry >> 8);
        }
    }
    return true;
}

static bool is_constant(const oribi_tflite_tensor *tensor)
{
    return tensor != NULL && tensor->data.file != NULL && !tensor->is_sparse;
}

/* Reads what inputs `i` and `i` + 1 and output `i` / 2 are. */
static bool open_pair(decoding *d, int32_t i, const oribi_dims *dims)
{
    const oribi_tflite_tensor *codes = d->n->inputs[i], *head = d->n->inputs[i + 1];
    if (!is_constant(codes) || !is_constant(head) || head->data.count < HEAD_BYTES) {
        return broken(d, "codes and tables must be constants");
    }
    d->codes = codes->data.file->data + codes->data.at;
    d->n_code_bits = (size_t)codes->data.count * 8;
    d->head = head->data.file->data + head->data.at;
    d->table = d->head + HEAD_BYTES;
    d->table_bytes = head->data.count - HEAD_BYTES;
    if (d->head[VERSION] != 1 || d->head[OWN_VERSION] != 1) {
        return oribi_tflite_fail(d->n, TF_UNIMPLEMENTED, "codes of version %d, %d; known is 1",
                                 d->head[VERSION], d->head[OWN_VERSION]);
    }
    d->channels = d->tensor->scales.count > 1 ? d->tensor->scales.count : 1;
    const bool is_last = d->channels > 1 && d->tensor->quantised_dimension == dims->n - 1;
    if ((!is_last && d->tensor->quantised_dimension != 0) || d->count % d->channels != 0) {
        return broken(d, "channels lie neither first nor last");
    }
    d->inner = is_last || d->count == 0 ? 1 : d->count / d->channels;
    return true;
}

static bool decode_pair(oribi_tflite_node *n, int32_t i)
{
    oribi_tflite_tensor *tensor = n->outputs[i / 2];
    decoding d = {.n = n, .tensor = tensor, .element = oribi_dtype_bytes(tensor->dtype)};
    const oribi_dims dims = oribi_tflite_dims_of(tensor);
    size_t bytes = 0;
    for (int32_t k = 0; k < dims.n; k++) {
        if (dims.at[k] < 0) {
            return broken(&d, "the shape must be known");
        }
    }
    if (d.element == 0 || !oribi_size_of_dims(dims.at, dims.n, d.element, &bytes)) {
        return broken(&d, "the element type or the size is not supported");
    }
    d.count = bytes / d.element;
    ORIBI_TRY(open_pair(&d, i, &dims));
    if (!oribi_graph_charge(n->graph, bytes, n->status)) {
        n->failed = true;
        return false;
    }
    d.out = oribi_arena_array(&n->tflite->scratch, bytes + 1, 1);
    const char *name = oribi_import_text(&n->tflite->scratch, &tensor->name);
    ORIBI_TRY((d.out != NULL && name != NULL) || oribi_tflite_no_memory(n));
    switch (d.head[KIND]) {
    case BY_TABLE:
        ORIBI_TRY(by_table(&d));
        break;
    case BY_HUFFMAN:
        ORIBI_TRY(by_huffman(&d));
        break;
    case BY_PRUNING:
        ORIBI_TRY(by_pruning(&d));
        break;
    default:
        return oribi_tflite_fail(n, TF_UNIMPLEMENTED, "codes of kind %d", d.head[KIND]);
    }
    const oribi_value_id value = oribi_graph_add_constant_copy(n->graph, name, tensor->dtype,
                                                               dims.at, dims.n, d.out, n->status);
    n->failed = n->failed || value < 0;
    return oribi_tflite_bind(n, i / 2, value);
}

bool oribi_tflite_decode(oribi_tflite_node *n)
{
    if (n->n_inputs != 2 * n->n_outputs) {
        return oribi_tflite_fail(n, TF_INVALID_ARGUMENT, "%d inputs for %d outputs",
                                 (int)n->n_inputs, (int)n->n_outputs);
    }
    for (int32_t i = 0; i < n->n_inputs; i += 2) {
        if (n->outputs[i / 2] != NULL) {
            ORIBI_TRY(decode_pair(n, i));
        }
    }
    return true;
}
