/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers from a text file: divided by commas, semicolons, tabs or blanks, in rows. A first row
 * that is no numbers is a heading, and lines that begin with # are comments.
 */
#include <stdlib.h>
#include <string.h>

#include "cli.h"

static const char separators[] = ",; \t\r";

/* The words of a row, cut by NULs; calls back with each. */
typedef struct cells {
    char *at, *end;
    size_t line;
} cells;

/* The next line that is neither empty nor a comment, with a NUL at its end; NULL: none. */
static char *next_line(cells *c)
{
    while (c->at < c->end) {
        char *line = c->at, *end = memchr(line, '\n', (size_t)(c->end - line));
        end = end == NULL ? c->end : end;
        *end = 0;
        c->at = end + 1;
        c->line++;
        const size_t blank = strspn(line, separators);
        if (line[blank] != 0 && line[blank] != '#') {
            return line;
        }
    }
    return NULL;
}

static bool is_number(const char *word, size_t length)
{
    char *end;
    (void)strtod(word, &end);
    return end == word + length || strncmp(word, "true", length) == 0 ||
           strncmp(word, "false", length) == 0;
}

static bool is_heading(const char *line)
{
    const char *word = line + strspn(line, separators);
    return !is_number(word, strcspn(word, separators));
}

/* Counts the cells, with `tensor` NULL, or stores them. SIZE_MAX after a message. */
static size_t read_cells(const char *text, size_t bytes, const char *path, TF_Tensor *tensor)
{
    char *copy = cli_copy_text(text, bytes);
    cells c = {copy, copy + bytes, 0};
    size_t n = 0;
    bool is_first = true;

    for (char *line; (line = next_line(&c)) != NULL && n != SIZE_MAX; is_first = false) {
        if (is_first && is_heading(line)) {
            continue;
        }
        for (char *word = line + strspn(line, separators); *word != 0;
             word += strspn(word, separators), n++) {
            const size_t length = strcspn(word, separators);
            const char end = word[length];
            word[length] = 0;
            const char *stop =
                tensor == NULL ? word + length : cli_element_parse(tensor, (int64_t)n, word);
            if (stop != word + length) {
                cli_error("%s: line %zu: '%.40s' is not a value of type %s", path, c.line, word,
                          cli_type_name(TF_TensorType(tensor)));
                n = SIZE_MAX;
                break;
            }
            word[length] = end;
            word += length;
        }
    }
    free(copy);
    return n;
}

TF_Tensor *cli_csv_read(const uint8_t *file, size_t bytes, const char *path, TF_DataType type,
                        const cli_dims *wanted)
{
    const char *text = (const char *)file;

    if (type == TF_STRING) {
        cli_error("%s: a .csv gives numbers; give strings as .npy or on the command line", path);
        return NULL;
    }
    if (!cli_budget_take(path, bytes)) { /* the copy that is cut into words */
        return NULL;
    }
    const size_t n = read_cells(text, bytes, path, NULL);
    TF_Tensor *tensor = cli_tensor_for(type, wanted, n, path, "numbers");
    if (tensor != NULL && read_cells(text, bytes, path, tensor) == SIZE_MAX) {
        TF_DeleteTensor(tensor);
        tensor = NULL;
    }
    cli_budget_give(bytes);
    return tensor;
}
