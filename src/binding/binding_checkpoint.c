/* SPDX-License-Identifier: Apache-2.0 */
/* Checkpoints that are read by the names of their tensors, without a graph. The files are those
 * that SaveV2 writes; checksums of what is read are looked at.
 * Source   tensor_bundle.proto; RFC 3720 (CRC32C).
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/thread.h"
#include "binding/binding.h"
#include "import/tensorflow/tf_bundle.h"
#include "session/session_internal.h"
#include "tensor/tensor.h"

struct TF_CheckpointReader {
    oribi_arena arena;
    oribi_mutex lock; /* files are opened when they are first read */
    oribi_tf_bundle bundle;
    const char **names; /* sorted */
};

static oribi_source *open_file(void *arg, const char *name, const uint8_t **out_data,
                               size_t *out_bytes, TF_Status *status)
{
    (void)arg;
    return oribi_source_open(name, false, oribi_options_max_bytes(NULL), out_data, out_bytes,
                             status);
}

static int compare(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static bool open_reader(TF_CheckpointReader *self, const char *prefix, TF_Status *status)
{
    oribi_tf_bundle *bundle = &self->bundle;
    *bundle = (oribi_tf_bundle){.kept = &self->arena,
                                .open = open_file,
                                .prefix = oribi_arena_strdup(&self->arena, prefix)};
    ORIBI_TRY(bundle->prefix != NULL || oribi_fail_memory(status));
    ORIBI_TRY(oribi_tf_bundle_open(bundle, status));
    const size_t n = bundle->entries.n_entries;
    self->names = oribi_arena_array(&self->arena, n + 1, sizeof *self->names);
    ORIBI_TRY(self->names != NULL || oribi_fail_memory(status));
    for (size_t i = 0; i < n; i++) {
        self->names[i] = bundle->entries.entries[i].key;
    }
    qsort(self->names, n, sizeof *self->names, compare);
    return true;
}

TF_CheckpointReader *TF_NewCheckpointReader(const char *filename, TF_Status *status)
{
    TF_CheckpointReader *self = oribi_alloc_zero(1, sizeof *self);
    TF_SetStatus(status, TF_OK, "");
    if (self == NULL || !oribi_mutex_init(&self->lock)) {
        oribi_free(self);
        oribi_fail_memory(status);
        return NULL;
    }
    if (!open_reader(self, filename, status)) {
        oribi_status_prefix(status, "checkpoint '%s': ", filename);
        TF_DeleteCheckpointReader(self);
        return NULL;
    }
    return self;
}

void TF_DeleteCheckpointReader(TF_CheckpointReader *reader)
{
    if (reader != NULL) {
        oribi_tf_bundle_close(&reader->bundle);
        oribi_mutex_destroy(&reader->lock);
        oribi_arena_destroy(&reader->arena);
        oribi_free(reader);
    }
}

/* --- What there is -------------------------------------------------------------------------- */

static const oribi_tf_entry *find(const TF_CheckpointReader *self, const char *name)
{
    return oribi_map_get(&self->bundle.entries, name);
}

int TF_CheckpointReaderHasTensor(TF_CheckpointReader *reader, const char *name)
{
    return find(reader, name) != NULL;
}

int TF_CheckpointReaderSize(TF_CheckpointReader *reader)
{
    return (int)reader->bundle.entries.n_entries;
}

const char *TF_CheckpointReaderGetVariable(TF_CheckpointReader *reader, int index)
{
    return index >= 0 && index < TF_CheckpointReaderSize(reader) ? reader->names[index] : NULL;
}

TF_DataType TF_CheckpointReaderGetVariableDataType(TF_CheckpointReader *reader, const char *name)
{
    const oribi_tf_entry *entry = find(reader, name);
    return entry != NULL ? entry->dtype : (TF_DataType)0;
}

int TF_CheckpointReaderGetVariableNumDims(TF_CheckpointReader *reader, const char *name)
{
    const oribi_tf_entry *entry = find(reader, name);
    return entry != NULL ? entry->shape.rank : -1;
}

static bool unknown(const char *name, TF_Status *status)
{
    return oribi_fail(status, TF_NOT_FOUND, "Key %s not found in checkpoint", name);
}

void TF_CheckpointReaderGetVariableShape(TF_CheckpointReader *reader, const char *name,
                                         int64_t *dims, int num_dims, TF_Status *status)
{
    const oribi_tf_entry *entry = find(reader, name);
    TF_SetStatus(status, TF_OK, "");
    if (entry == NULL) {
        unknown(name, status);
        return;
    }
    if (num_dims != entry->shape.rank) {
        oribi_fail(status, TF_INVALID_ARGUMENT, "Expected rank is %d but actual rank is %d",
                   num_dims, (int)entry->shape.rank);
        return;
    }
    for (int i = 0; i < num_dims; i++) {
        dims[i] = entry->shape.dims[i];
    }
}

/* --- Values --------------------------------------------------------------------------------- */

/* Goes on with the checksum of what came before; 0: nothing did. */
static uint32_t crc32c(uint32_t crc, const void *data, size_t bytes)
{
    const uint8_t *at = data;
    crc = ~crc;
    for (size_t i = 0; i < bytes; i++) {
        crc ^= at[i];
        for (int bit = 0; bit < 8; bit++) {
            crc = (crc >> 1) ^ ((crc & 1) != 0 ? UINT32_C(0x82f63b78) : 0);
        }
    }
    return ~crc;
}

/* Checksums are kept turned and moved, as they lie among what they are sums of. */
static uint32_t masked(uint32_t crc)
{
    return ((crc >> 15) | (crc << 17)) + UINT32_C(0xa282ead8);
}

static bool check(const oribi_tf_entry *entry, uint32_t crc, TF_Status *status)
{
    return masked(crc) == entry->checksum ||
           oribi_fail(status, TF_DATA_LOSS,
                      "Checksum does not match: stored %" PRIu32
                      " vs. calculated on the restored bytes %" PRIu32,
                      entry->checksum, masked(crc));
}

static bool cut(TF_Status *status)
{
    return oribi_fail(status, TF_DATA_LOSS, "its strings end before they should");
}

/* The lengths of all, their checksum, the bytes of all. Lengths are summed as numbers of 4 bytes
 * where that is enough for them. */
static bool read_strings(const oribi_tf_entry *entry, const uint8_t *data, TF_Tensor *out,
                         TF_Status *status)
{
    oribi_tf_block from = {data, data + entry->bytes};
    const int64_t n = TF_TensorElementCount(out);
    uint64_t length;
    uint32_t crc = 0;
    uint8_t word[8];
    for (int64_t i = 0; i < n; i++) {
        ORIBI_TRY(oribi_tf_take_varint(&from, &length, status));
        for (int k = 0; k < 8; k++) {
            word[k] = (uint8_t)(length >> (8 * k));
        }
        crc = crc32c(crc, word, length <= UINT32_MAX ? 4 : 8);
    }
    ORIBI_TRY(from.end - from.at >= 4 || cut(status));
    const uint8_t *text = from.at + 4;
    crc = crc32c(crc, from.at, (size_t)(from.end - from.at));
    ORIBI_TRY(check(entry, crc, status));
    from.at = data;
    for (int64_t i = 0; i < n; i++) {
        ORIBI_TRY(oribi_tf_take_varint(&from, &length, status));
        ORIBI_TRY(length <= (uint64_t)(from.end - text) || cut(status));
        TF_StringCopy((TF_TString *)TF_TensorData(out) + i, (const char *)text, (size_t)length);
        text += length;
    }
    return true;
}

/* NULL: status set. */
static TF_Tensor *read_tensor(TF_CheckpointReader *self, const oribi_tf_entry *entry,
                              TF_Status *status)
{
    oribi_source *source;
    const bool is_text = entry->dtype == TF_STRING;
    const size_t width = is_text ? sizeof(TF_TString) : oribi_dtype_bytes(entry->dtype);
    size_t bytes = 0;
    if (width == 0 || entry->is_sliced || !oribi_shape_is_full(&entry->shape)) {
        oribi_fail(status, TF_UNIMPLEMENTED, "it is %s",
                   entry->is_sliced ? "kept in slices" : "of a type or shape that is not read");
        return NULL;
    }
    /* A string takes a byte at least, so that no few bytes ask for much memory. */
    if (!oribi_size_of_dims(entry->shape.dims, entry->shape.rank, width, &bytes) ||
        entry->bytes < 0 ||
        (is_text ? bytes / width > (uint64_t)entry->bytes : bytes != (uint64_t)entry->bytes)) {
        oribi_fail(status, TF_DATA_LOSS, "it has %" PRId64 " bytes, not what its shape takes",
                   entry->bytes);
        return NULL;
    }
    const uint8_t *data = oribi_tf_bundle_data(&self->bundle, entry, &source, status);
    if (data == NULL ||
        (!is_text && !check(entry, crc32c(0, data, (size_t)entry->bytes), status))) {
        return NULL;
    }
    TF_Tensor *out = TF_AllocateTensor(entry->dtype, entry->shape.dims, entry->shape.rank, bytes);
    if (out == NULL) {
        oribi_fail_memory(status);
    } else if (!is_text) {
        memcpy(TF_TensorData(out), data, bytes);
    } else {
        for (size_t i = 0; i < bytes / width; i++) {
            TF_StringInit((TF_TString *)TF_TensorData(out) + i);
        }
        if (!read_strings(entry, data, out, status)) {
            TF_DeleteTensor(out);
            out = NULL;
        }
    }
    return out;
}

TF_Tensor *TF_CheckpointReaderGetTensor(TF_CheckpointReader *reader, const char *name,
                                        TF_Status *status)
{
    const oribi_tf_entry *entry = find(reader, name);
    TF_SetStatus(status, TF_OK, "");
    if (entry == NULL) {
        unknown(name, status);
        return NULL;
    }
    oribi_mutex_lock(&reader->lock);
    TF_Tensor *tensor = read_tensor(reader, entry, status);
    oribi_mutex_unlock(&reader->lock);
    if (tensor == NULL) {
        oribi_status_prefix(status, "tensor '%s' of checkpoint '%s': ", name,
                            reader->bundle.prefix);
    }
    return tensor;
}
