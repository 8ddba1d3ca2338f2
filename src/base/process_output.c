/* SPDX-License-Identifier: Apache-2.0 */
#include "base/process_output.h"

#include <string.h>

/* Of what was said on stderr the beginning and the end are worth most. */
static size_t drop_middle(oribi_text *text, size_t n)
{
    const size_t keep = text->length / 2;
    if (text->failed || n > text->length - keep) {
        return 0;
    }
    memmove(text->data + keep, text->data + keep + n, text->length - keep - n);
    text->length -= n;
    return n;
}

bool oribi_process_keep(oribi_text *text, const char *bytes, size_t n, size_t max_bytes,
                        bool keeps_end)
{
    size_t room = max_bytes - text->length;
    const bool is_cut = n > room;
    if (keeps_end && is_cut) {
        room += drop_middle(text, n - room);
    }
    oribi_text_append_n(text, bytes, n < room ? n : room);
    return is_cut;
}

void oribi_process_result_destroy(oribi_process_result *result)
{
    if (result == NULL) {
        return;
    }
    oribi_text_destroy(&result->out);
    oribi_text_destroy(&result->err);
}
