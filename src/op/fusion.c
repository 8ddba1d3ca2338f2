/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the chains that an op stands for: "Conv2D BiasAdd=0 Add? Relu|Relu6?", "planes:Conv2D".
 * Formulas, which begin with a bracket: fusion_formula.c. */
#include "op/fusion.h"

#include <string.h>

#include "op/spec.h"

static oribi_span scan_op(const char **at)
{
    const size_t length = strcspn(*at, " |?=");
    const oribi_span span = {*at, length};
    *at += length;
    return span;
}

static const char *keep(oribi_spec *spec, oribi_span span)
{
    const char *text = oribi_arena_strndup(&spec->entry->arena, span.data, span.length);
    spec->no_memory |= text == NULL;
    return text;
}

static int32_t count(const char *text, const char *characters)
{
    int32_t n = 0;
    for (; *text != '\0'; text++) {
        n += strchr(characters, *text) != NULL ? 1 : 0;
    }
    return n;
}

/* NAME{|NAME}[?] or BiasAdd=0 */
static bool scan_word(oribi_spec *spec, const char **at, oribi_fusion_word *out)
{
    do {
        const oribi_span span = scan_op(at);
        if (span.length == 0) {
            return oribi_spec_fail(spec, "a word of the chain names no op");
        }
        out->ops[out->n_ops++] = keep(spec, span);
    } while (oribi_scan_literal(at, "|"));
    out->may_miss = oribi_scan_literal(at, "?");
    out->or_zeros = !out->may_miss && oribi_scan_literal(at, "=0");
    if (**at != ' ' && **at != '\0') {
        return oribi_spec_fail(
            spec, "'%s' follows a word of the chain; it may end with '?' or '=0'", *at);
    }
    if (out->or_zeros &&
        (spec->no_memory || out->n_ops != 1 || strcmp(out->ops[0], "BiasAdd") != 0)) {
        return spec->no_memory ||
               oribi_spec_fail(spec, "only BiasAdd can be missing with zeros in its place");
    }
    return true;
}

/* An op that stands for several chains has to be told which one it is. */
static bool can_be_told(const oribi_op_def *op)
{
    return oribi_op_find_attr(op, "fused_ops") != NULL ||
           oribi_op_find_attr(op, "activation_mode") != NULL;
}

static bool parse(oribi_spec *spec, oribi_fusion *out)
{
    oribi_arena *arena = &spec->entry->arena;
    const char *at = spec->text;
    const size_t most = (size_t)count(at, " |") + 1;
    const char **ops = oribi_arena_array(arena, most, sizeof *ops);
    out->words = oribi_arena_array(arena, most, sizeof *out->words);
    if (ops == NULL || out->words == NULL) {
        return oribi_spec_no_memory(spec);
    }
    oribi_scan_spaces(&at);
    out->of_planes = oribi_scan_literal(&at, "planes:");
    const oribi_span first = scan_op(&at);
    if (first.length == 0 || (*at != ' ' && *at != '\0')) {
        return oribi_spec_fail(spec, "a chain begins with the name of one op");
    }
    out->first = keep(spec, first);
    out->text = spec->text; /* of the same arena */
    oribi_scan_spaces(&at);
    while (*at != '\0') {
        oribi_fusion_word *word = &out->words[out->n_words++];
        *word = (oribi_fusion_word){.ops = ops};
        if (!scan_word(spec, &at, word)) {
            return false;
        }
        ops += word->n_ops;
        oribi_scan_spaces(&at);
    }
    if ((out->n_words == 0 && !out->of_planes) || out->n_words > ORIBI_FUSION_WORDS) {
        return oribi_spec_fail(spec, "a chain has 2 to %d ops, with spaces between them",
                               ORIBI_FUSION_WORDS + 1);
    }
    return count(spec->text, "|?=") == 0 || can_be_told(&spec->entry->def) ||
           oribi_spec_fail(
               spec, "a chain with '|', '?' or '=0' needs an attribute of this op, fused_ops: "
                     "list(string) or activation_mode: string, that is told what was found");
}

bool oribi_spec_parse_fusion(oribi_spec *spec)
{
    oribi_op_def *def = &spec->entry->def;
    oribi_fusion *fusion = oribi_arena_array(&spec->entry->arena, 1, sizeof *fusion);
    if (fusion == NULL) {
        return oribi_spec_no_memory(spec);
    }
    oribi_fusion **last = &def->fusions;
    while (*last != NULL) {
        last = &(*last)->next;
    }
    *last = fusion;
    const char *at = spec->text;
    oribi_scan_spaces(&at);
    return (*at == '(' ? oribi_spec_parse_formula(spec, at, fusion) : parse(spec, fusion)) &&
           !spec->no_memory;
}
