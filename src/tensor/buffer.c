/* SPDX-License-Identifier: Apache-2.0 */
/* TF_Buffer: bytes with a deallocator. The bytes are of the C heap, since clients take them over
 * and call free; the struct is ours. Not here: the storage of tensors (storage.c).
 */
#include "tensorflow/c/tf_buffer.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

static void free_bytes(void *data, size_t length)
{
    (void)length;
    free(data);
}

TF_Buffer *TF_NewBuffer(void)
{
    return oribi_alloc_zero(1, sizeof(TF_Buffer));
}

TF_Buffer *TF_NewBufferFromString(const void *proto, size_t proto_len)
{
    TF_Buffer *buffer = TF_NewBuffer();
    void *data = buffer == NULL ? NULL : malloc(proto_len == 0 ? 1 : proto_len);
    if (data == NULL) {
        oribi_free(buffer);
        return NULL;
    }
    if (proto_len > 0) {
        memcpy(data, proto, proto_len);
    }
    *buffer = (TF_Buffer){.data = data, .length = proto_len, .data_deallocator = free_bytes};
    return buffer;
}

void TF_DeleteBuffer(TF_Buffer *buffer)
{
    if (buffer == NULL) {
        return;
    }
    if (buffer->data_deallocator != NULL) {
        buffer->data_deallocator((void *)(uintptr_t)buffer->data, buffer->length);
    }
    oribi_free(buffer);
}

TF_Buffer TF_GetBuffer(TF_Buffer *buffer)
{
    return *buffer;
}
