/* SPDX-License-Identifier: Apache-2.0 */
/* How does the C99 of a plugin's kernel become files of a model? Under the plugin's licence, with
 * names that carry the model's, and nothing else changed. */
#include <string.h>

#include "compile/emit/emit_parts.h"
#include "tensor/status.h"

/* --- Names ----------------------------------------------------------------------------------- */

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static bool begins(const char *at, const char *end, const char *with)
{
    const size_t length = strlen(with);
    return length <= (size_t)(end - at) && memcmp(at, with, length) == 0;
}

void oribi_emit_rename(const char *text, size_t bytes, const char *model, const char *prefix,
                       oribi_text *out)
{
    static const char include[] = "#include \"", ours[] = "micro/", micro[] = "oribi_micro_";
    const char *end = text + bytes;
    bool is_included = false, is_inside = false; /* in the name of a file, of a word */
    while (text < end) {
        if (begins(text, end, include)) {
            oribi_text_append(out, include);
            text += sizeof include - 1;
            text += begins(text, end, ours) ? sizeof ours - 1 : 0;
            is_included = true;
        } else if (begins(text, end, micro)) {
            oribi_text_printf(out, "tvmgen_%s_micro_", model);
            text += sizeof micro - 1;
            is_inside = true;
        } else if (prefix != NULL && !is_included && !is_inside && begins(text, end, prefix)) {
            oribi_text_printf(out, "tvmgen_%s_%s", model, prefix);
            text += strlen(prefix);
            is_inside = true;
        } else {
            is_included = is_included && *text != '\n';
            is_inside = is_word(*text);
            oribi_text_append_n(out, text++, 1);
        }
    }
}

/* --- Files ----------------------------------------------------------------------------------- */

static bool has_licence(const oribi_target_file *file)
{
    static const char mark[] = "SPDX-License-Identifier:";
    for (size_t i = 0; i + sizeof mark <= file->bytes; i++) {
        if (memcmp(file->text + i, mark, sizeof mark - 1) == 0) {
            return true;
        }
    }
    return false;
}

/* "TVMGEN_OWN_ACME_CENTRE_H" */
static void guard(const char *name, oribi_text *out)
{
    oribi_text_append(out, "TVMGEN_OWN_");
    for (; *name != '\0'; name++) {
        const char c = *name == '.' ? '_' : *name;
        const char large = (char)(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
        oribi_text_append_n(out, &large, 1);
    }
}

void oribi_emit_own_file(const oribi_target_kernel *kernel, const oribi_target_file *file,
                         oribi_text *out)
{
    const size_t stem = strlen(file->name) - 2;
    const bool is_header = file->name[stem + 1] == 'h';
    if (!has_licence(file)) {
        oribi_text_printf(out, "/* SPDX-License-Identifier: %s */\n", kernel->licence);
    }
    if (is_header) {
        oribi_text_append(out, "#ifndef ");
        guard(file->name, out);
        oribi_text_append(out, "\n#define ");
        guard(file->name, out);
        oribi_text_append(out, "\n");
    } else {
        oribi_text_printf(out, "#include \"%.*s.h\"\n", (int)stem, file->name);
    }
    oribi_text_append_n(out, file->text, file->bytes);
    oribi_text_append(out, is_header ? "#endif\n" : "");
}

bool oribi_emit_own_add(oribi_files *files, const oribi_target_kernel *kernel, const char *name,
                        oribi_text *text, TF_Status *status)
{
    for (int32_t i = 0; i < files->n; i++) {
        const oribi_file *there = &files->items[i];
        if (strncmp(there->name, "micro/", 6) != 0 || strcmp(there->name + 6, name) != 0) {
            continue;
        }
        const bool is_same = there->bytes == text->length &&
                             memcmp(there->data, oribi_text_string(text), text->length) == 0;
        oribi_text_destroy(text);
        return is_same || oribi_fail(status, TF_ALREADY_EXISTS,
                                     "the kernel of op '%s' brings a file '%s' that another kernel "
                                     "has with another text; give them other prefixes",
                                     kernel->op, name);
    }
    return oribi_files_add(files, text, status, "micro/%s", name);
}
