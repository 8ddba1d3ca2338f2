/* SPDX-License-Identifier: Apache-2.0 */
/* The files of a checkpoint: `variables.index` is a sorted table of names with where their bytes
 * lie, in blocks whose keys leave out what they share with the one before; the bytes are in
 * `variables.data-00000-of-00002` and so on.
 * Source   tensor_bundle.proto; LevelDB's table format (doc/table_format.md).
 */
#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "import/tensorflow/tf_bundle.h"
#include "op/op_proto.h"

enum { FOOTER_BYTES = 48, TRAILER_BYTES = 5, MAX_KEY = 4096, MAX_SHARDS = 100000 };

typedef oribi_tf_block block;

static bool spoiled(TF_Status *status, const char *what)
{
    return oribi_fail(status, TF_DATA_LOSS, "the checkpoint is spoiled: %s", what);
}

bool oribi_tf_take_varint(block *from, uint64_t *out, TF_Status *status)
{
    *out = 0;
    for (int shift = 0; shift < 64 && from->at < from->end; shift += 7) {
        const uint8_t byte = *from->at++;
        *out |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80) {
            return true;
        }
    }
    return spoiled(status, "a number does not end");
}

/* A block, without the table of restarts at its end. */
static bool open_block(const uint8_t *file, size_t bytes, block *handle, block *out,
                       TF_Status *status)
{
    uint64_t offset = 0, length = 0;
    ORIBI_TRY(oribi_tf_take_varint(handle, &offset, status) &&
              oribi_tf_take_varint(handle, &length, status));
    if (length < 4 || length > bytes || offset > bytes - length ||
        bytes - length - offset < TRAILER_BYTES) {
        return spoiled(status, "a block lies outside the file");
    }
    const uint8_t *end = file + offset + length;
    if (*end != 0) {
        return oribi_fail(status, TF_UNIMPLEMENTED, "the checkpoint's index is compressed");
    }
    const uint64_t restarts = (uint64_t)end[-4] | (uint64_t)end[-3] << 8 | (uint64_t)end[-2] << 16 |
                              (uint64_t)end[-1] << 24;
    if (restarts > (length - 4) / 4) {
        return spoiled(status, "a block ends before it begins");
    }
    *out = (block){file + offset, end - 4 - 4 * restarts};
    return true;
}

typedef struct row {
    char key[MAX_KEY];
    size_t key_bytes;
    block value;
} row;

/* False at the end, and with the status set on an error. */
static bool next_row(block *from, row *out, TF_Status *status)
{
    uint64_t shared = 0, more = 0, bytes = 0;
    if (from->at == from->end) {
        return false;
    }
    ORIBI_TRY(oribi_tf_take_varint(from, &shared, status) &&
              oribi_tf_take_varint(from, &more, status) &&
              oribi_tf_take_varint(from, &bytes, status));
    const uint64_t left = (uint64_t)(from->end - from->at);
    if (shared > out->key_bytes || more > MAX_KEY - shared || more > left || bytes > left - more) {
        return spoiled(status, "a key or value is too long");
    }
    memcpy(out->key + shared, from->at, (size_t)more);
    out->key_bytes = (size_t)(shared + more);
    out->value = (block){from->at + more, from->at + more + bytes};
    from->at += more + bytes;
    return true;
}

static bool read_entry(oribi_tf_bundle *self, const row *from, TF_Status *status)
{
    oribi_wire wire = oribi_wire_over(from->value.at, (size_t)(from->value.end - from->value.at));
    oribi_wire shape;
    oribi_wire_field field;
    oribi_wide_dims dims = {0};
    bool is_unknown = false;
    int64_t dtype = 0;
    oribi_tf_entry *entry = oribi_arena_array(self->kept, 1, sizeof *entry);
    const char *key = oribi_arena_strndup(self->kept, from->key, from->key_bytes);
    ORIBI_TRY((entry != NULL && key != NULL) || oribi_fail_memory(status));
    while (oribi_wire_next(&wire, &field, status)) {
        ORIBI_TRY(field.number != 1 || oribi_wire_int(&field, "a type", &dtype, status));
        ORIBI_TRY(field.number != 2 || (oribi_wire_enter(&wire, &field, &shape, status) &&
                                        oribi_proto_read_shape(shape, &dims, &is_unknown, status)));
        ORIBI_TRY(field.number != 3 || oribi_wire_int(&field, "a shard", &entry->shard, status));
        ORIBI_TRY(field.number != 4 || oribi_wire_int(&field, "an offset", &entry->offset, status));
        ORIBI_TRY(field.number != 5 || oribi_wire_int(&field, "a size", &entry->bytes, status));
        entry->checksum = field.number == 6 ? (uint32_t)field.value : entry->checksum;
        entry->is_sliced = entry->is_sliced || field.number == 7;
    }
    ORIBI_TRY(oribi_ok(status));
    entry->dtype = (TF_DataType)dtype;
    return (oribi_shape_copy(self->kept, dims.at, is_unknown ? -1 : dims.n, &entry->shape) &&
            oribi_map_put(&self->entries, key, entry)) ||
           oribi_fail_memory(status);
}

/* The row without a name says how many shards there are. */
static bool read_header(oribi_tf_bundle *self, const row *from, TF_Status *status)
{
    oribi_wire wire = oribi_wire_over(from->value.at, (size_t)(from->value.end - from->value.at));
    oribi_wire_field field;
    int64_t endianness = 0;
    while (oribi_wire_next(&wire, &field, status)) {
        ORIBI_TRY(field.number != 1 ||
                  oribi_wire_int(&field, "the number of shards", &self->n_shards, status));
        ORIBI_TRY(field.number != 2 ||
                  oribi_wire_int(&field, "the order of bytes", &endianness, status));
    }
    ORIBI_TRY(oribi_ok(status));
    if (endianness != 0) {
        return oribi_fail(status, TF_UNIMPLEMENTED, "the checkpoint's numbers are big-endian");
    }
    return (self->n_shards > 0 && self->n_shards <= MAX_SHARDS) ||
           spoiled(status, "it has no shards, or too many");
}

static bool read_index(oribi_tf_bundle *self, const uint8_t *file, size_t bytes, TF_Status *status)
{
    static const uint8_t magic[8] = {0x57, 0xfb, 0x80, 0x8b, 0x24, 0x75, 0x47, 0xdb};
    row outer = {.key_bytes = 0}, inner = {.key_bytes = 0};
    block footer, index, data;
    uint64_t skipped = 0;
    if (bytes < FOOTER_BYTES || memcmp(file + bytes - 8, magic, 8) != 0) {
        return spoiled(status, "it does not end as one");
    }
    footer = (block){file + bytes - FOOTER_BYTES, file + bytes - 8};
    ORIBI_TRY(oribi_tf_take_varint(&footer, &skipped, status) &&
              oribi_tf_take_varint(&footer, &skipped, status) &&
              open_block(file, bytes, &footer, &index, status));
    while (next_row(&index, &outer, status)) {
        ORIBI_TRY(open_block(file, bytes, &outer.value, &data, status));
        inner.key_bytes = 0;
        while (next_row(&data, &inner, status)) {
            /* Keys of slices begin with a zero. */
            ORIBI_TRY(inner.key_bytes == 0   ? read_header(self, &inner, status)
                      : inner.key[0] != '\0' ? read_entry(self, &inner, status)
                                             : true);
        }
        ORIBI_TRY(oribi_ok(status));
    }
    ORIBI_TRY(oribi_ok(status));
    return self->n_shards > 0 || spoiled(status, "it has no head");
}

bool oribi_tf_bundle_open(oribi_tf_bundle *self, TF_Status *status)
{
    const uint8_t *data = NULL;
    size_t bytes = 0;
    const char *name = oribi_arena_printf(self->kept, "%s.index", self->prefix);
    ORIBI_TRY(name != NULL || oribi_fail_memory(status));
    oribi_source *source = self->open(self->arg, name, &data, &bytes, status);
    const bool ok = source != NULL && read_index(self, data, bytes, status);
    oribi_source_release(source);
    if (!ok) {
        self->n_shards = 0;
        return false;
    }
    const size_t n = (size_t)self->n_shards;
    self->shards = oribi_arena_array(self->kept, n, sizeof(oribi_source *));
    self->shard_data = oribi_arena_array(self->kept, n, sizeof *self->shard_data);
    self->shard_bytes = oribi_arena_array(self->kept, n, sizeof *self->shard_bytes);
    if (self->shards == NULL || self->shard_data == NULL || self->shard_bytes == NULL) {
        self->n_shards = 0;
        return oribi_fail_memory(status);
    }
    return true;
}

const oribi_tf_entry *oribi_tf_bundle_find(oribi_tf_bundle *self, const char *key,
                                           TF_Status *status)
{
    if (self->n_shards == 0 && !oribi_tf_bundle_open(self, status)) {
        return NULL;
    }
    const oribi_tf_entry *entry = oribi_map_get(&self->entries, key);
    if (entry == NULL) {
        oribi_fail(status, TF_NOT_FOUND, "the checkpoint has no tensor '%s'", key);
    }
    return entry;
}

const uint8_t *oribi_tf_bundle_data(oribi_tf_bundle *self, const oribi_tf_entry *entry,
                                    oribi_source **out_source, TF_Status *status)
{
    const int64_t i = entry->shard;
    if (i < 0 || i >= self->n_shards) {
        spoiled(status, "a tensor is in a shard that there is not");
        return NULL;
    }
    if (self->shards[i] == NULL) {
        const char *name = oribi_arena_printf(self->kept, "%s.data-%05" PRId64 "-of-%05" PRId64,
                                              self->prefix, i, self->n_shards);
        if (name == NULL) {
            oribi_fail_memory(status);
            return NULL;
        }
        self->shards[i] =
            self->open(self->arg, name, &self->shard_data[i], &self->shard_bytes[i], status);
        if (self->shards[i] == NULL) {
            return NULL;
        }
    }
    const uint64_t bytes = self->shard_bytes[i];
    if (entry->bytes < 0 || entry->offset < 0 || (uint64_t)entry->bytes > bytes ||
        (uint64_t)entry->offset > bytes - (uint64_t)entry->bytes) {
        oribi_fail(status, TF_DATA_LOSS,
                   "a tensor of %" PRId64 " bytes at %" PRId64
                   " lies outside the checkpoint's shard %" PRId64 ", which has %" PRIu64 " bytes",
                   entry->bytes, entry->offset, i, bytes);
        return NULL;
    }
    static const uint8_t nothing[1];
    *out_source = self->shards[i];
    return entry->bytes == 0 ? nothing : self->shard_data[i] + entry->offset;
}

void oribi_tf_bundle_close(oribi_tf_bundle *self)
{
    if (self == NULL) {
        return;
    }
    for (int64_t i = 0; i < self->n_shards; i++) {
        oribi_source_release(self->shards[i]);
    }
    self->n_shards = 0;
    oribi_map_destroy(&self->entries);
}
