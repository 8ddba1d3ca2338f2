/* SPDX-License-Identifier: Apache-2.0 */
/* How do strings travel? BYTES of the Open Inference Protocol: in binary each element is its
 * length, four bytes, the lowest first, and then itself; in JSON it is a string, which is UTF-8.
 */
#include <string.h>

#include "format/utf8.h"
#include "serve/serve.h"

enum { LENGTH_BYTES = 4 };

bool serve_bytes_read(const uint8_t *from, size_t bytes, TF_Tensor *tensor)
{
    TF_TString *strings = TF_TensorData(tensor);

    for (int64_t i = 0; i < TF_TensorElementCount(tensor); i++) {
        if (bytes < LENGTH_BYTES) {
            return false;
        }
        const size_t length =
            (size_t)from[0] | (size_t)from[1] << 8 | (size_t)from[2] << 16 | (size_t)from[3] << 24;
        from += LENGTH_BYTES;
        bytes -= LENGTH_BYTES;
        if (length > bytes) {
            return false;
        }
        TF_StringCopy(&strings[i], (const char *)from, length);
        from += length;
        bytes -= length;
    }
    return bytes == 0;
}

size_t serve_bytes_write(const TF_Tensor *tensor, oribi_text *out)
{
    const TF_TString *strings = TF_TensorData(tensor);
    const size_t before = out->length;

    for (int64_t i = 0; i < TF_TensorElementCount(tensor); i++) {
        const size_t length = TF_StringGetSize(&strings[i]);
        const uint8_t head[LENGTH_BYTES] = {(uint8_t)length, (uint8_t)(length >> 8),
                                            (uint8_t)(length >> 16), (uint8_t)(length >> 24)};
        if (length > UINT32_MAX) {
            out->failed = true; /* nobody could read it */
        }
        oribi_text_append_n(out, head, sizeof head);
        oribi_text_append_n(out, TF_StringGetDataPointer(&strings[i]), length);
    }
    return out->length - before;
}

bool serve_bytes_put(oribi_json *json, const TF_Tensor *tensor, int64_t index)
{
    const TF_TString *string = (const TF_TString *)TF_TensorData(tensor) + index;
    const char *text = TF_StringGetDataPointer(string);
    const size_t length = TF_StringGetSize(string);

    for (size_t at = 0, taken; at < length; at += taken) {
        taken = oribi_utf8_bytes(text + at, length - at);
        if (taken == 0) {
            return false;
        }
    }
    oribi_json_string_n(json, text, length);
    return true;
}
