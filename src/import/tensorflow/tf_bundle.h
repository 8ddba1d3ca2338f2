/* SPDX-License-Identifier: Apache-2.0 */
/* A checkpoint's tensors by their names: those of a SavedModel, and those that a checkpoint reader
 * asks for. */
#ifndef ORIBI_IMPORT_TENSORFLOW_TF_BUNDLE_H_
#define ORIBI_IMPORT_TENSORFLOW_TF_BUNDLE_H_

#include "base/arena.h"
#include "base/map.h"
#include "graph/graph.h"

typedef struct oribi_tf_entry {
    TF_DataType dtype;
    oribi_shape shape;
    int64_t shard, offset, bytes;
    uint32_t checksum; /* of the bytes, masked: CRC32C */
    bool is_sliced;
} oribi_tf_entry;

/* Opens one of the checkpoint's files. NULL: status set. */
typedef oribi_source *oribi_tf_open(void *arg, const char *name, const uint8_t **out_data,
                                    size_t *out_bytes, TF_Status *status);

typedef struct oribi_tf_bundle {
    oribi_arena *kept;
    oribi_tf_open *open;
    void *arg;
    const char *prefix; /* "variables/variables", which ".index" follows */
    oribi_map entries;  /* oribi_tf_entry; slices have none */
    oribi_source **shards;
    const uint8_t **shard_data;
    size_t *shard_bytes;
    int64_t n_shards; /* 0: not opened */
} oribi_tf_bundle;

/* Reads the index. */
bool oribi_tf_bundle_open(oribi_tf_bundle *self, TF_Status *status);
/* NULL, and the status set: there is no such tensor. */
const oribi_tf_entry *oribi_tf_bundle_find(oribi_tf_bundle *self, const char *key,
                                           TF_Status *status);
/* The bytes of an entry, which lie in *out_source. */
const uint8_t *oribi_tf_bundle_data(oribi_tf_bundle *self, const oribi_tf_entry *entry,
                                    oribi_source **out_source, TF_Status *status);
void oribi_tf_bundle_close(oribi_tf_bundle *self); /* NULL ok */

typedef struct oribi_tf_block {
    const uint8_t *at, *end;
} oribi_tf_block;
/* A number of as many bytes as it takes. */
bool oribi_tf_take_varint(oribi_tf_block *from, uint64_t *out, TF_Status *status);

#endif
