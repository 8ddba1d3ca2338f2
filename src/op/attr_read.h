/* SPDX-License-Identifier: Apache-2.0 */
/* Typed reading of a node's attributes with the messages of the contract: what
 * TF_OpKernelConstruction_GetAttr* and TF_ShapeInferenceContext_GetAttr* share. Single values:
 * missing is NOT_FOUND, a wrong kind INVALID_ARGUMENT; lists: both INVALID_ARGUMENT. Outputs are
 * untouched on failure. `node` is for messages.
 */
#ifndef ORIBI_OP_ATTR_READ_H_
#define ORIBI_OP_ATTR_READ_H_

#include "op/attr.h"

/* Both sizes as the GetAttrSize table of the contract; missing: both -1, INVALID_ARGUMENT. */
bool oribi_attr_read_size(const oribi_attrs *attrs, const char *node, const char *name,
                          int32_t *list_size, int32_t *total_size, TF_Status *status);
/* One value of the kind; borrowed. */
bool oribi_attr_read_scalar(const oribi_attrs *attrs, const char *node, const char *name,
                            uint8_t kind, const oribi_attr **out, TF_Status *status);
/* A list of the kind (an empty one of any kind); borrowed. */
bool oribi_attr_read_list(const oribi_attrs *attrs, const char *node, const char *name,
                          uint8_t kind, const oribi_attr **out, TF_Status *status);

/* One value of kind INT, FLOAT, BOOL or TYPE: an int64_t, a float, an unsigned char, a
 * TF_DataType. */
bool oribi_attr_read_one(const oribi_attrs *attrs, const char *node, const char *name, uint8_t kind,
                         void *out, TF_Status *status);
/* INVALID_ARGUMENT also when the value does not fit. */
bool oribi_attr_read_int32(const oribi_attrs *attrs, const char *node, const char *name,
                           int32_t *out, TF_Status *status);
/* min(length, max_length) bytes, no NUL. */
bool oribi_attr_read_string(const oribi_attrs *attrs, const char *node, const char *name, char *out,
                            size_t max_length, TF_Status *status);
/* New handle that the caller deletes. */
bool oribi_attr_read_tensor(const oribi_attrs *attrs, const char *node, const char *name,
                            TF_Tensor **out, TF_Status *status);

/* At most `max` elements, the rest is dropped silently. */
bool oribi_attr_read_all(const oribi_attrs *attrs, const char *node, const char *name, uint8_t kind,
                         void *out, int max, TF_Status *status);
bool oribi_attr_read_int32s(const oribi_attrs *attrs, const char *node, const char *name,
                            int32_t *out, int max, TF_Status *status);
/* values[i] point into storage, no NULs; INVALID_ARGUMENT after a partial fill when too small. */
bool oribi_attr_read_strings(const oribi_attrs *attrs, const char *node, const char *name,
                             char **values, size_t *lengths, int max, void *storage,
                             size_t storage_size, TF_Status *status);

#endif
