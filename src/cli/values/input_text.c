/* SPDX-License-Identifier: Apache-2.0 */
/* Text into numbers by a vocabulary file, one token a line, as BERT's models have it: words and
 * signs, each cut from its start into the longest pieces that the vocabulary has ("##" begins a
 * later piece), between [CLS] and [SEP]. A vocabulary without capitals means text without them.
 * Source   WordPiece (Devlin and others, 2018). Not here: SentencePiece, byte pairs.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

enum { LONGEST_WORD = 100 };

typedef struct entry {
    const char *token;
    int64_t id;
} entry;

static int compare_entries(const void *a, const void *b)
{
    return strcmp(((const entry *)a)->token, ((const entry *)b)->token);
}

static entry *read_vocabulary(const char *path, char **out_text, size_t *out_n)
{
    size_t bytes, n = 0;
    char *text = cli_read_text(path, &bytes);
    if (text == NULL) {
        return NULL;
    }
    entry *entries = cli_alloc((bytes + 1) * sizeof *entries);
    for (char *line = text; *line != 0;) {
        char *end = line + strcspn(line, "\n");
        const bool is_last = *end == 0;
        *end = 0;
        line[strcspn(line, "\r")] = 0;
        entries[n] = (entry){line, (int64_t)n};
        n++;
        line = is_last ? end : end + 1;
    }
    qsort(entries, n, sizeof *entries, compare_entries);
    *out_text = text;
    *out_n = n;
    return entries;
}

typedef struct tokenizer {
    entry *entries;
    size_t n;
    char *text;
    bool has_capitals;
    int64_t unknown;
    int64_t *ids; /* of the text so far */
    size_t n_ids;
} tokenizer;

static int64_t find(const tokenizer *t, const char *token)
{
    const entry wanted = {token, 0};
    const entry *found = bsearch(&wanted, t->entries, t->n, sizeof *t->entries, compare_entries);
    return found == NULL ? -1 : found->id;
}

static void add(tokenizer *t, int64_t id)
{
    t->ids = cli_grow(t->ids, t->n_ids + 1, sizeof *t->ids);
    t->ids[t->n_ids++] = id;
}

/* The longest piece from each place on; a word with a rest that has none is unknown as a whole. */
static void add_word(tokenizer *t, const char *word, size_t length)
{
    char piece[LONGEST_WORD + 3];
    const size_t before = t->n_ids;

    for (size_t at = 0; at < length;) {
        const size_t mark = at > 0 ? 2 : 0;
        int64_t id = -1;
        size_t n = length <= LONGEST_WORD ? length - at : 0;
        for (; n > 0 && id < 0; n--) {
            memcpy(piece, "##", mark);
            memcpy(piece + mark, word + at, n);
            piece[mark + n] = 0;
            id = find(t, piece);
        }
        if (id < 0) {
            t->n_ids = before;
            add(t, t->unknown);
            return;
        }
        add(t, id);
        at += n + 1;
    }
}

/* Bytes of the character, which begins with this one; 1 for what is no UTF-8. */
static size_t bytes_of(const char *at)
{
    const unsigned char c = (unsigned char)at[0];
    const size_t n = c < 0xc0 ? 1 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;
    for (size_t i = 1; i < n; i++) {
        if (((unsigned char)at[i] & 0xc0) != 0x80) {
            return 1;
        }
    }
    return n;
}

/* A sign or a Chinese character is a word by itself. */
static bool stands_alone(const char *at, size_t n)
{
    const unsigned char *c = (const unsigned char *)at;
    if (n == 1) {
        return (c[0] >= 33 && c[0] <= 47) || (c[0] >= 58 && c[0] <= 64) ||
               (c[0] >= 91 && c[0] <= 96) || (c[0] >= 123 && c[0] <= 126);
    }
    const uint32_t code =
        n == 3 ? (uint32_t)(c[0] & 15) << 12 | (uint32_t)(c[1] & 63) << 6 | (c[2] & 63u) : 0;
    return (code >= 0x4e00 && code <= 0x9fff) || (code >= 0x3400 && code <= 0x4dbf) ||
           (code >= 0x2010 && code <= 0x2027) || (code >= 0x3001 && code <= 0x3011);
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static void add_text(tokenizer *t, const char *text)
{
    char *word = cli_alloc(strlen(text) + 1);
    size_t length = 0;

    for (const char *at = text;;) {
        const size_t n = bytes_of(at);
        const bool is_blank = *at == 0 || strchr(" \t\r\n", *at) != NULL;
        if (is_blank || stands_alone(at, n)) {
            if (length > 0) {
                add_word(t, word, length);
            }
            length = 0;
        }
        if (*at == 0) {
            break;
        }
        if (!is_blank && stands_alone(at, n)) {
            add_word(t, at, n);
        } else if (!is_blank) {
            for (size_t i = 0; i < n; i++) {
                word[length++] = t->has_capitals ? at[i] : lower(at[i]);
            }
        }
        at += n;
    }
    free(word);
}

/* --- Inputs ---------------------------------------------------------------------------------- */

typedef enum role { ROLE_IDS, ROLE_MASK, ROLE_SEGMENTS } role;

static role role_of(const char *name)
{
    return strstr(name, "mask") != NULL                                      ? ROLE_MASK
           : strstr(name, "type") != NULL || strstr(name, "segment") != NULL ? ROLE_SEGMENTS
                                                                             : ROLE_IDS;
}

static void store(TF_Tensor *tensor, int64_t index, int64_t value)
{
    if (TF_TensorType(tensor) == TF_INT64) {
        ((int64_t *)TF_TensorData(tensor))[index] = value;
    } else {
        ((int32_t *)TF_TensorData(tensor))[index] = (int32_t)value;
    }
}

static TF_Tensor *make_port(const oribi_model *model, int index, const tokenizer *t,
                            int64_t padding)
{
    const char *name = oribi_model_input_name(model, index);
    const TF_DataType type = oribi_model_input_type(model, index);
    const role what = role_of(name);
    cli_dims dims;

    (void)cli_port_dims(model, true, index, false, &dims);
    if ((type != TF_INT64 && type != TF_INT32) || dims.n < 1 || dims.n > 2) {
        cli_error(
            "--text: input '%s' does not take tokens (i32 or i64, rank 1 or 2); give it by -i",
            name);
        return NULL;
    }
    int64_t *length = &dims.at[dims.n - 1];
    *length = *length < 0 ? (int64_t)t->n_ids : *length;
    dims.at[0] = dims.at[0] < 0 ? 1 : dims.at[0];
    if (*length < (int64_t)t->n_ids) {
        cli_error("--text: the text has %zu tokens, and input '%s' takes %lld", t->n_ids, name,
                  (long long)*length);
        return NULL;
    }
    TF_Tensor *tensor = cli_tensor(type, &dims);
    for (int64_t i = 0; tensor != NULL && i < TF_TensorElementCount(tensor); i++) {
        const int64_t at = i % *length;
        const bool is_text = at < (int64_t)t->n_ids;
        store(tensor, i,
              what == ROLE_SEGMENTS ? 0
              : what == ROLE_MASK   ? is_text
              : is_text             ? t->ids[at]
                                    : padding);
    }
    return tensor;
}

bool cli_words_make(const oribi_model *model, const char *text, const char *path,
                    TF_Tensor **inputs)
{
    tokenizer t = {0};
    bool good = true;

    t.entries = read_vocabulary(path, &t.text, &t.n);
    if (t.entries == NULL) {
        return false;
    }
    const int64_t begin = find(&t, "[CLS]"), end = find(&t, "[SEP]");
    const int64_t padding = find(&t, "[PAD]");
    t.unknown = find(&t, "[UNK]");
    t.has_capitals = find(&t, "The") >= 0;
    if (begin < 0 || end < 0 || t.unknown < 0) {
        cli_error("%s: not a vocabulary of WordPiece: a line [CLS], [SEP] or [UNK] is missing",
                  path);
        good = false;
    } else {
        add(&t, begin);
        add_text(&t, text);
        add(&t, end);
    }
    for (int i = 0; good && i < oribi_model_num_inputs(model); i++) {
        if (inputs[i] == NULL) {
            inputs[i] = make_port(model, i, &t, padding < 0 ? 0 : padding);
            good = inputs[i] != NULL;
        }
    }
    free(t.ids);
    free(t.entries);
    free(t.text);
    return good;
}
