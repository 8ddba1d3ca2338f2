/* SPDX-License-Identifier: Apache-2.0 */
/* The op-doc grammar: a summary line, a description, then blocks `name: text` for arguments and
 * attributes. A block starts at the first line of the form "name:" without indentation.
 */
#include <string.h>

#include "op/spec.h"
#include "base/ascii.h"

static const char *line_end(const char *at)
{
    const char *end = strchr(at, '\n');
    return end != NULL ? end : at + strlen(at);
}

static const char *next_line(const char *at)
{
    const char *end = line_end(at);
    return *end == '\n' ? end + 1 : end;
}

static bool starts_block(const char *line)
{
    oribi_span name;
    return oribi_scan_name(&line, false, &name) && *line == ':';
}

/* [from, to) without surrounding spaces, in the arena; "" when empty. */
static const char *copy_trimmed(oribi_spec *spec, const char *from, const char *to)
{
    while (from < to && oribi_is_space(*from)) {
        from++;
    }
    while (to > from && oribi_is_space(to[-1])) {
        to--;
    }
    const char *copy = oribi_arena_strndup(&spec->entry->arena, from, (size_t)(to - from));
    if (copy == NULL) {
        spec->no_memory = true;
        return "";
    }
    return copy;
}

static const char **find_described(oribi_op_def *def, oribi_span name)
{
    for (int32_t i = 0; i < def->n_inputs; i++) {
        if (oribi_span_is(name, def->inputs[i].name)) {
            return &def->inputs[i].description;
        }
    }
    for (int32_t i = 0; i < def->n_outputs; i++) {
        if (oribi_span_is(name, def->outputs[i].name)) {
            return &def->outputs[i].description;
        }
    }
    for (int32_t i = 0; i < def->n_attrs; i++) {
        if (oribi_span_is(name, def->attrs[i].name)) {
            return &def->attrs[i].description;
        }
    }
    return NULL;
}

bool oribi_spec_parse_doc(oribi_spec *spec, const char *doc)
{
    oribi_op_def *def = &spec->entry->def;
    while (oribi_is_space(*doc)) {
        doc++;
    }
    def->summary = copy_trimmed(spec, doc, line_end(doc));
    const char *start = next_line(doc), *at = start;
    while (*at != '\0' && !starts_block(at)) {
        at = next_line(at);
    }
    def->description = copy_trimmed(spec, start, at);
    while (*at != '\0') {
        oribi_span name;
        const char *text = at;
        (void)oribi_scan_name(&text, false, &name);
        text++; /* the colon */
        at = next_line(at);
        while (*at != '\0' && !starts_block(at)) {
            at = next_line(at);
        }
        const char **described = find_described(def, name);
        if (described == NULL) {
            return oribi_spec_fail(spec, "No matching input/output/attr for doc of '%.*s'",
                                   (int)name.length, name.data);
        }
        *described = copy_trimmed(spec, text, at);
    }
    return !spec->no_memory;
}
