/* SPDX-License-Identifier: Apache-2.0 */
/* StaticRegexReplace and RegexReplace: the first match, or each, becomes the rewrite, in which \0
 * to \9 are the match and its groups.
 */
#include "cpu/base/families.h"
#include "cpu/text/regex_input.h"

typedef struct replace_rule {
    const oribi_regex *regex;
    oribi_cpu_span rewrite;
    bool is_global;
} replace_rule;

typedef struct replace_state {
    oribi_regex regex;
    char rewrite[ORIBI_REGEX_STEPS];
    bool is_global;
} replace_state;

/* What is wrong with a rewrite, or NULL; *out_groups: the highest that it names. */
static const char *check_rewrite(oribi_cpu_span rewrite, int *out_groups)
{
    *out_groups = 0;
    for (size_t i = 0; i < rewrite.n; i++) {
        if (rewrite.at[i] != '\\') {
            continue;
        }
        const char c = ++i < rewrite.n ? rewrite.at[i] : '\0';
        if (c >= '0' && c <= '9') {
            *out_groups = c - '0' > *out_groups ? c - '0' : *out_groups;
        } else if (c != '\\') {
            return "behind a backslash it has neither a digit nor a backslash";
        }
    }
    return NULL;
}

static void replace_read(oribi_kit_setup *setup, replace_state *state)
{
    int groups = 0;
    oribi_cpu_regex_attr(setup, &state->regex);
    oribi_kit_attr_string(setup, "rewrite", state->rewrite, sizeof state->rewrite);
    oribi_kit_attr_bool(setup, "replace_global", &state->is_global);
    const char *why =
        check_rewrite((oribi_cpu_span){state->rewrite, strlen(state->rewrite)}, &groups);
    if (why != NULL) {
        (void)oribi_kit_setup_fail(setup, TF_INVALID_ARGUMENT, "the rewrite cannot be read: %s",
                                   why);
    }
}
ORIBI_KIT_CREATE(replace, replace_state)

/* Appends the rewrite for the last match. */
static bool expand(oribi_kit_run *run, const replace_rule *rule, const oribi_regex_search *search,
                   TF_TString *out)
{
    const oribi_cpu_span from = rule->rewrite;
    for (size_t i = 0; i < from.n; i++) {
        oribi_cpu_span part = {&from.at[i], 1};
        const char c = from.at[i] == '\\' && i + 1 < from.n ? from.at[i + 1] : '\0';
        if (c >= '0' && c <= '9') {
            const int slot = 2 * (c - '0');
            const size_t *slots = &search->slots[slot < search->n_slots ? slot : 0];
            const bool took_part = slots[0] != SIZE_MAX && slots[1] != SIZE_MAX;
            i++;
            part = (oribi_cpu_span){search->text + (took_part ? slots[0] : 0),
                                    took_part ? slots[1] - slots[0] : 0};
        } else {
            i += c == '\\' ? 1 : 0;
        }
        if (!oribi_cpu_text_append(run, out, part)) {
            return false;
        }
    }
    return true;
}

/* Bytes of the character that begins there: what has no right form is one. */
static size_t character_at(const oribi_regex_search *search, size_t at)
{
    const unsigned char *c = (const unsigned char *)search->text + at;
    const size_t left = search->bytes - at;
    size_t n = c[0] >= 0xf0 && c[0] < 0xf5 ? 4 : c[0] >= 0xe0 ? 3 : c[0] >= 0xc2 ? 2 : 1;
    n = c[0] >= 0xf5 || n > left ? 1 : n;
    for (size_t i = 1; i < n; i++) {
        if ((c[i] & 0xc0) != 0x80) {
            return 1;
        }
    }
    return n;
}

/* Appends the text with its matches replaced. An empty match where the last one ended is none. */
static bool replace_text(oribi_kit_run *run, const replace_rule *rule, oribi_regex_search *search,
                         TF_TString *out, int64_t *patience)
{
    size_t at = 0, last = SIZE_MAX;
    while (at <= search->bytes && (rule->is_global || last == SIZE_MAX) &&
           oribi_regex_search_next(search, at)) {
        const size_t begin = search->slots[0], end = search->slots[1];
        bool ok = oribi_cpu_text_append(run, out, (oribi_cpu_span){search->text + at, begin - at});
        if (begin == end && begin == last) {
            const size_t n = begin < search->bytes ? character_at(search, begin) : 0;
            ok = ok && oribi_cpu_text_append(run, out, (oribi_cpu_span){search->text + begin, n});
            at = begin + (n > 0 ? n : 1);
        } else {
            ok = ok && expand(run, rule, search, out);
            at = last = end;
        }
        if (!ok || oribi_kit_stops(run, patience, 100 + (int64_t)(search->reached - begin) * 20)) {
            return false;
        }
    }
    return at >= search->bytes ||
           oribi_cpu_text_append(run, out, (oribi_cpu_span){search->text + at, search->bytes - at});
}

static bool replace_all(oribi_kit_run *run, const replace_rule *rule)
{
    oribi_wide_dims dims;
    oribi_regex_search search;
    TF_Tensor *memory = NULL;
    int64_t patience = 0;
    int groups = 0;
    if (!oribi_cpu_wide_dims(run, run->in[0], &dims)) {
        return false;
    }
    const char *why = check_rewrite(rule->rewrite, &groups);
    if (why != NULL) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT, "the rewrite cannot be read: %s", why);
    }
    const TF_TString *x = TF_TensorData(run->in[0]);
    TF_TString *y = oribi_cpu_text_output(run, 0, dims.at, dims.n);
    const int n_slots = 2 * (groups + 1);
    void *room =
        y == NULL ? NULL
                  : oribi_kit_scratch(run, (int64_t)oribi_regex_search_bytes(rule->regex, n_slots),
                                      &memory);
    bool ok = room != NULL;
    if (ok) {
        oribi_regex_search_begin(&search, rule->regex, n_slots, room);
    }
    const int64_t count = ok ? TF_TensorElementCount(run->in[0]) : 0;
    for (int64_t i = 0; ok && i < count; i++) {
        const oribi_cpu_span text = oribi_cpu_text_at(x, i);
        search.text = text.at;
        search.bytes = text.n;
        ok = !oribi_kit_stops(run, &patience, 100 + (int64_t)(text.n & 0xfffff) * 20) &&
             (groups > rule->regex->n_groups /* nothing is replaced then, RE2 says */
                  ? oribi_cpu_text_append(run, &y[i], text)
                  : replace_text(run, rule, &search, &y[i], &patience));
    }
    TF_DeleteTensor(memory);
    return ok;
}

static bool replace_run(const void *state, oribi_kit_run *run)
{
    const replace_state *s = state;
    const replace_rule rule = {
        .regex = &s->regex, .rewrite = {s->rewrite, strlen(s->rewrite)}, .is_global = s->is_global};
    return replace_all(run, &rule);
}
ORIBI_KIT_COMPUTE(replace, 1)

typedef struct given_state {
    bool is_global;
} given_state;

static void given_read(oribi_kit_setup *setup, given_state *state)
{
    oribi_kit_attr_bool(setup, "replace_global", &state->is_global);
}
ORIBI_KIT_CREATE(given, given_state)

static bool given_run(const void *state, oribi_kit_run *run)
{
    replace_rule rule = {.is_global = ((const given_state *)state)->is_global};
    TF_Tensor *memory = NULL;
    rule.regex = oribi_cpu_regex_input(run, 1, &memory);
    const bool ok = rule.regex != NULL &&
                    oribi_cpu_text_scalar(run, 2, "the rewrite", &rule.rewrite) &&
                    replace_all(run, &rule);
    TF_DeleteTensor(memory);
    return ok;
}
ORIBI_KIT_COMPUTE(given, 3)

const oribi_cpu_kernel oribi_cpu_regex_replace_kernels[] = {
    ORIBI_CPU_STATE_ROW("StaticRegexReplace", replace, replace,
                        "all ways at once, in Perl's order"),
    ORIBI_CPU_STATE_ROW("RegexReplace", given, given, "reads the pattern, then all ways at once"),
    {.op_name = NULL},
};
