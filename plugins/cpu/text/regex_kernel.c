/* SPDX-License-Identifier: Apache-2.0 */
/* ONNX>RegexFullMatch and StaticRegexFullMatch, whose pattern is read once, when the kernel is
 * made, and RegexFullMatch, whose pattern is an input.
 */
#include "cpu/base/families.h"
#include "cpu/text/regex_input.h"

void oribi_cpu_regex_attr(oribi_kit_setup *setup, oribi_regex *regex)
{
    char pattern[ORIBI_REGEX_STEPS] = "";
    oribi_kit_attr_string(setup, "pattern", pattern, sizeof pattern);
    if (oribi_kit_setup_is_ok(setup)) {
        const char *why = oribi_regex_read(pattern, strlen(pattern), regex);
        if (why != NULL) {
            (void)oribi_kit_setup_fail(setup, TF_INVALID_ARGUMENT, "the pattern cannot be read: %s",
                                       why);
        }
    }
}

const oribi_regex *oribi_cpu_regex_input(oribi_kit_run *run, int index, TF_Tensor **out_memory)
{
    oribi_cpu_span pattern;
    oribi_regex *regex = oribi_cpu_text_scalar(run, index, "the pattern", &pattern)
                             ? oribi_kit_scratch(run, (int64_t)sizeof(oribi_regex), out_memory)
                             : NULL;
    const char *why = regex != NULL ? oribi_regex_read(pattern.at, pattern.n, regex) : NULL;
    if (why != NULL) {
        (void)oribi_kit_fail(run, TF_INVALID_ARGUMENT, "the pattern cannot be read: %s", why);
    }
    return why != NULL ? NULL : regex;
}

static void match_read(oribi_kit_setup *setup, oribi_regex *regex)
{
    oribi_cpu_regex_attr(setup, regex);
}
ORIBI_KIT_CREATE(match, oribi_regex)

static bool match_all(oribi_kit_run *run, const oribi_regex *regex)
{
    oribi_wide_dims dims;
    TF_Tensor *memory = NULL;
    int64_t patience = 0;
    if (!oribi_cpu_wide_dims(run, run->in[0], &dims)) {
        return false;
    }
    const TF_TString *x = TF_TensorData(run->in[0]);
    bool *y = oribi_kit_output(run, 0, dims.at, dims.n);
    oribi_regex_room *room =
        y == NULL ? NULL : oribi_kit_scratch(run, (int64_t)sizeof(oribi_regex_room), &memory);
    const int64_t count = room == NULL ? 0 : TF_TensorElementCount(run->in[0]);
    for (int64_t i = 0; i < count; i++) {
        const oribi_cpu_span text = oribi_cpu_text_at(x, i);
        const int64_t cost = (int64_t)(text.n < 1000000 ? text.n : 1000000) * 10;
        if (oribi_kit_stops(run, &patience, 2000 + cost)) {
            break;
        }
        y[i] = oribi_regex_matches(regex, text.at, text.n, room);
    }
    TF_DeleteTensor(memory);
    return room != NULL && oribi_kit_is_ok(run);
}

static bool match_run(const void *state, oribi_kit_run *run)
{
    return match_all(run, state);
}
ORIBI_KIT_COMPUTE(match, 1)

static bool given_run(const void *state, oribi_kit_run *run)
{
    TF_Tensor *memory = NULL;
    (void)state;
    const oribi_regex *regex = oribi_cpu_regex_input(run, 1, &memory);
    const bool ok = regex != NULL && match_all(run, regex);
    TF_DeleteTensor(memory);
    return ok;
}
ORIBI_KIT_COMPUTE(given, 2)

const oribi_cpu_kernel oribi_cpu_regex_kernel_kernels[] = {
    ORIBI_CPU_STATE_ROW("ONNX>RegexFullMatch", match, match, "all ways at once"),
    ORIBI_CPU_STATE_ROW("StaticRegexFullMatch", match, match, "all ways at once"),
    ORIBI_CPU_ROW("RegexFullMatch", given, "reads the pattern, then all ways at once"),
    {.op_name = NULL},
};
