/* SPDX-License-Identifier: Apache-2.0 */
/* Requests to the image, its replies, and what they must be. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "oribi/verify_wire.h"
#include "compare/compare.h"
#include "verify.h"

/* The first case once more, from the same state, with its real numbers. */
static void put_feed(const verify *v, const verify_case *first, verify_bytes *out)
{
    verify_bytes scales = {0};
    verify_put_scales(v, &scales);
    verify_frame(out, ORIBI_WIRE_HELLO, NULL, 0, NULL, 0);
    verify_frame(out, ORIBI_WIRE_FEED, scales.data, scales.n, first->inputs, v->input_bytes);
    free(scales.data);
}

static void put_requests(const verify *v, const verify_case *cases, int n, verify_bytes *out)
{
    uint8_t flags[4] = {v->is_per_node ? ORIBI_WIRE_STEPS : 0};
    flags[0] |= v->is_profiled && v->result.n_runs == 0 ? ORIBI_WIRE_COUNT : 0;
    verify_frame(out, ORIBI_WIRE_HELLO, NULL, 0, NULL, 0);
    for (int i = 0; i < n; i++) {
        verify_frame(out, ORIBI_WIRE_RUN, flags, sizeof flags, cases[i].inputs, v->input_bytes);
        flags[0] &= (uint8_t)~ORIBI_WIRE_COUNT; /* the first run */
    }
    if (!v->is_fed) {
        put_feed(v, cases, out);
    }
    verify_frame(out, ORIBI_WIRE_END, NULL, 0, NULL, 0);
}

/* A board is on a serial line; the image in emulation reads the file "in" and writes the file
 * "out". */
static int exchange(const verify *v, const verify_bytes *requests, int n, verify_bytes *out_replies)
{
    const int64_t expected = (int64_t)ORIBI_WIRE_IDENTITY_BYTES +
                             (int64_t)n * (int64_t)(ORIBI_WIRE_RESULT_WORDS * 4 + v->output_bytes +
                                                    12 + (size_t)v->n_values * 4);
    const char *port = cli_value(v->args, "--port");
    if (port != NULL) {
        return verify_serial(v, port, requests, out_replies);
    }
    char *in = verify_path(v, "in"), *out = verify_path(v, "out");
    int code = cli_write_file(in, requests->data, requests->n, true);
    code = code == CLI_OK ? verify_emulate(v, expected) : code;
    if (code == CLI_OK) {
        size_t bytes = 0;
        uint8_t *data = cli_read_file(out, &bytes);
        code = data != NULL ? CLI_OK : CLI_BAD_INPUT;
        *out_replies = (verify_bytes){data, bytes, bytes};
    }
    free(in);
    free(out);
    return code;
}

/* --- Replies --------------------------------------------------------------------------------- */

static int check_identity(verify *v, const verify_frame_view *frame)
{
    const char *sha256 = cli_json_text(v->report, "sha256");
    char hex[65] = "";
    if (frame->type != ORIBI_WIRE_IDENTITY || frame->bytes != ORIBI_WIRE_IDENTITY_BYTES ||
        verify_word(frame->payload) != ORIBI_WIRE_PROTOCOL) {
        cli_error("verify: the target does not answer as this version's harness does");
        return CLI_MISMATCH;
    }
    for (int i = 0; i < 32; i++) {
        snprintf(hex + (size_t)2 * (size_t)i, 3, "%02x", frame->payload[24 + i]);
    }
    if (strcmp(hex, sha256) != 0 || verify_word(frame->payload + 4) != v->input_bytes ||
        verify_word(frame->payload + 8) != v->output_bytes) {
        cli_error("verify: the target runs another model (SHA-256 %.16s...)", hex);
        return CLI_MISMATCH;
    }
    v->result.count_kind = verify_word(frame->payload + 20);
    return CLI_OK;
}

/* Compares all outputs with `expected`. */
static int compare(const verify *v, const uint8_t *bytes, const uint8_t *expected,
                   const verify_case *which, const char *whose)
{
    size_t at = 0;
    for (const oribi_json_value *port = v->outputs->child; port != NULL; port = port->next) {
        const size_t n = (size_t)cli_json_number(port, "size");
        for (size_t k = 0; k < n; k++) {
            if (bytes[at + k] != expected[at + k]) {
                cli_error("verify: %s: output '%s' differs from %s at byte %zu: %d, expected %d",
                          which->what, port->key, whose, k, (int8_t)bytes[at + k],
                          (int8_t)expected[at + k]);
                return CLI_MISMATCH;
            }
        }
        at += n;
    }
    return CLI_OK;
}

/* The next output's bytes as a tensor, at *at of all outputs in a row; NULL: a shape that only a
 * run knows. */
static TF_Tensor *take_output(const verify *v, int i, const uint8_t *bytes, size_t *at)
{
    cli_dims dims;
    (void)cli_port_dims(v->session.model, false, i, true, &dims);
    TF_Tensor *tensor = cli_tensor(oribi_model_output_type(v->session.model, i), &dims);
    const size_t n = tensor == NULL ? 0 : TF_TensorByteSize(tensor);
    if (n > v->output_bytes - *at) {
        TF_DeleteTensor(tensor);
        return NULL;
    }
    if (n > 0) {
        memcpy(TF_TensorData(tensor), bytes + *at, n);
    }
    *at += n;
    return tensor;
}

/* Compares the outputs with those of a golden file, within the limits that the user gives. */
static int compare_golden(const verify *v, const uint8_t *bytes, const verify_case *which)
{
    compare_limits limits;
    bool has_limits;
    int code = compare_limits_read(v->args, &limits, &has_limits) ? CLI_OK : CLI_USAGE;
    if (!has_limits || code != CLI_OK) {
        return code == CLI_OK ? compare(v, bytes, which->golden, which, "the golden output") : code;
    }
    size_t at = 0, golden_at = 0;
    for (int i = 0; code == CLI_OK && i < oribi_model_num_outputs(v->session.model); i++) {
        if (verify_is_state(v, i, true)) {
            continue;
        }
        compare_verdict verdict;
        char words[400];
        TF_Tensor *a = take_output(v, i, bytes, &at);
        TF_Tensor *b = take_output(v, i, which->golden, &golden_at);
        if (a == NULL || b == NULL || !compare_judge(a, b, &limits, &verdict)) {
            compare_verdict_print(&verdict, words, sizeof words);
            cli_error("verify: %s: output '%s' %s", which->what,
                      oribi_model_output_name(v->session.model, i),
                      a == NULL || b == NULL ? "has a shape that only a run knows" : words);
            code = CLI_MISMATCH;
        }
        TF_DeleteTensor(a);
        TF_DeleteTensor(b);
    }
    return code;
}

/* Prints what the target computed, as `oribi run` does. */
static void print_outputs(const verify *v, const uint8_t *bytes)
{
    bool bad = false;
    size_t at = 0;
    const int top_k = (int)cli_number(v->args, "--top-k", 0, 1, 1000000, &bad);
    for (int i = 0; !bad && i < oribi_model_num_outputs(v->session.model); i++) {
        if (verify_is_state(v, i, true)) {
            continue;
        }
        TF_Tensor *tensor = take_output(v, i, bytes, &at);
        if (tensor == NULL) {
            return;
        }
        cli_output_print(oribi_model_output_name(v->session.model, i), tensor, top_k, NULL, 0,
                         false);
        TF_DeleteTensor(tensor);
    }
}

static void note_result(verify *v, const uint8_t *payload)
{
    verify_result *r = &v->result;
    const uint32_t stack = verify_word(payload + 4), touched = verify_word(payload + 8);
    if (r->n_runs == 0) {
        r->count = verify_word(payload + 16) | (uint64_t)verify_word(payload + 20) << 32;
    }
    r->stack_bytes = r->n_runs == 0 || stack > r->stack_bytes ? stack : r->stack_bytes;
    r->touched_bytes = r->n_runs == 0 || touched > r->touched_bytes ? touched : r->touched_bytes;
    r->n_runs++;
}

static int check_result(verify *v, const verify_frame_view *frame, const verify_case *which)
{
    const size_t head = (size_t)ORIBI_WIRE_RESULT_WORDS * 4;
    if (frame->type != ORIBI_WIRE_RESULT || frame->bytes != head + v->output_bytes) {
        cli_error("verify: %s: the target's answer cannot be read", which->what);
        return CLI_MISMATCH;
    }
    const uint32_t status = verify_word(frame->payload), flags = verify_word(frame->payload + 12);
    if (status != 0) {
        cli_error("verify: %s: tvmgen_%s_run returned %d", which->what, v->name, (int32_t)status);
        return CLI_MISMATCH;
    }
    if ((flags & ORIBI_WIRE_OUTSIDE) != 0) {
        cli_error("verify: %s: bytes beside the workspace, an input or an output were written",
                  which->what);
        return CLI_MISMATCH;
    }
    int code = compare(v, frame->payload + head, which->expected, which, "the host session");
    if (code == CLI_OK && which->golden != NULL) {
        code = compare_golden(v, frame->payload + head, which);
    }
    if (code == CLI_OK && (flags & ORIBI_WIRE_UNEQUAL) != 0) {
        cli_error("verify: %s: outputs depend on what the workspace held before the run",
                  which->what);
        code = CLI_MISMATCH;
    }
    if (code == CLI_OK && (flags & ORIBI_WIRE_STEPS_DIFFER) != 0) {
        cli_error("verify: %s: tvmgen_%s_step gives other outputs than _run", which->what, v->name);
        code = CLI_MISMATCH;
    }
    if (code == CLI_OK && which->is_given && !cli_has(v->args, "--json")) {
        print_outputs(v, frame->payload + head);
    }
    note_result(v, frame->payload);
    return code;
}

/* The next frame, unless it is a fault, a refusal or missing. */
static int next(const verify *v, const verify_bytes *replies, size_t *at, const char *when,
                verify_frame_view *out)
{
    if (!verify_next_frame(replies, at, out)) {
        cli_error("verify: %s: the target did not answer", when);
        return CLI_MISMATCH;
    }
    if (out->type == ORIBI_WIRE_FAULT && out->bytes == 16) {
        cli_note("%s:", when);
        verify_explain_fault(v, out->payload);
        return CLI_MISMATCH;
    }
    if (out->type == ORIBI_WIRE_DEVICE && out->bytes == (size_t)ORIBI_WIRE_DEVICE_WORDS * 4) {
        verify_explain_device(v, when, out->payload);
        return CLI_MISMATCH;
    }
    if (out->type == ORIBI_WIRE_REFUSAL && out->bytes == 4) {
        cli_error("verify: %s: the target refuses the request (reason %u)", when,
                  (unsigned)verify_word(out->payload));
        return CLI_MISMATCH;
    }
    return CLI_OK;
}

static int check_feed(verify *v, const verify_bytes *replies, size_t *at, const verify_case *first)
{
    verify_frame_view frame;
    int code = next(v, replies, at, "real numbers", &frame);
    code = code == CLI_OK ? check_identity(v, &frame) : code;
    code = code == CLI_OK ? next(v, replies, at, "real numbers", &frame) : code;
    code = code == CLI_OK ? verify_check_units(v, &frame, first) : code;
    code = code == CLI_OK ? next(v, replies, at, "real numbers", &frame) : code;
    return code == CLI_OK ? verify_check_reals(v, &frame, first) : code;
}

int verify_check(verify *v, const verify_case *cases, int n_cases)
{
    verify_bytes requests = {0}, replies = {0};
    verify_frame_view frame;
    size_t at = 0;
    put_requests(v, cases, n_cases, &requests);
    int code = exchange(v, &requests, n_cases, &replies);
    code = code == CLI_OK ? next(v, &replies, &at, "start", &frame) : code;
    code = code == CLI_OK ? check_identity(v, &frame) : code;
    for (int i = 0; code == CLI_OK && i < n_cases; i++) {
        code = next(v, &replies, &at, cases[i].what, &frame);
        if (code == CLI_OK && frame.type == ORIBI_WIRE_HASHES &&
            frame.bytes == (size_t)4 * (size_t)v->n_values) {
            code = verify_check_values(v, &cases[i], frame.payload);
            code = code == CLI_OK ? next(v, &replies, &at, cases[i].what, &frame) : code;
        }
        if (code == CLI_OK && frame.type == ORIBI_WIRE_OPERATORS) {
            code = verify_take_profile(v, &frame);
            code = code == CLI_OK ? next(v, &replies, &at, cases[i].what, &frame) : code;
        }
        code = code == CLI_OK ? check_result(v, &frame, &cases[i]) : code;
    }
    if (code == CLI_OK && !v->is_fed) {
        code = check_feed(v, &replies, &at, cases);
        v->is_fed = true;
    }
    if (code == CLI_OK && at < replies.n) { /* after END */
        code = next(v, &replies, &at, "end", &frame);
    }
    free(requests.data);
    free(replies.data);
    return code;
}
