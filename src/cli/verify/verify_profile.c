/* SPDX-License-Identifier: Apache-2.0 */
/* `oribi verify --profile`: what each operator takes on the target, by the counter of its port. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "oribi/verify_wire.h"
#include "verify.h"

static const char *text_of(const oribi_json_value *json, const char *key)
{
    const char *text = cli_json_text(json, key);
    return text != NULL ? text : "";
}

/* Nodes that are no operator, views, have no number. */
void verify_list_operators(verify *v)
{
    const oribi_json_value *node = cli_json_first(v->report, "nodes");
    for (; node != NULL; node = node->next) {
        const oribi_json_value *number = oribi_json_find(node, "operator");
        if (number != NULL && number->kind == ORIBI_JSON_NUMBER &&
            number->integer == v->n_operators) {
            v->operators = cli_grow(v->operators, (size_t)v->n_operators + 1, sizeof *v->operators);
            v->operators[v->n_operators++] = (verify_operator){.node = text_of(node, "name"),
                                                               .op = text_of(node, "op"),
                                                               .kernel = text_of(node, "kernel")};
        }
    }
}

int verify_take_profile(verify *v, const verify_frame_view *frame)
{
    if (frame->bytes != (size_t)8 * (size_t)v->n_operators) {
        cli_error("verify: the target counts %zu operators, the model has %d", frame->bytes / 8,
                  (int)v->n_operators);
        return CLI_MISMATCH;
    }
    for (int32_t i = 0; i < v->n_operators; i++) {
        const uint8_t *words = frame->payload + (size_t)8 * (size_t)i;
        v->operators[i].count = verify_word(words) | (uint64_t)verify_word(words + 4) << 32;
    }
    v->has_profile = true;
    return CLI_OK;
}

int verify_check_profile(const verify *v)
{
    const char *why = NULL;
    if (v->result.n_runs == 0) {
        why = "the first run is counted, and there is none";
    } else if (!v->has_profile) {
        why = "the image is of a version that counts no operators; build it anew (--image)";
    } else if (v->result.count_kind == ORIBI_WIRE_COUNTS_NOTHING) {
        why = "the target's port counts nothing (oribi_port_ticks of platform/harness/port.h)";
    }
    if (why != NULL) {
        cli_error("verify: --profile: %s", why);
    }
    return why == NULL ? CLI_OK : v->result.n_runs == 0 ? CLI_USAGE : CLI_UNSUPPORTED;
}

const char *verify_unit(const verify *v)
{
    return v->result.count_kind == ORIBI_WIRE_COUNTS_CYCLES ? "cycles" : "instructions";
}

void verify_print_profile(const verify *v)
{
    uint64_t sum = 0;
    for (int32_t i = 0; i < v->n_operators; i++) {
        sum += v->operators[i].count;
    }
    printf("\n%12s %7s  operator\n", verify_unit(v), "share");
    for (int32_t i = 0; i < v->n_operators; i++) {
        const verify_operator *o = &v->operators[i];
        cli_print("%12" PRIu64 " %6.1f%%  %d %s (%s) '%s'\n", o->count,
                  sum > 0 ? 100.0 * (double)o->count / (double)sum : 0.0, (int)i, o->op, o->kernel,
                  o->node);
    }
    printf("%12" PRIu64 " %6.1f%%  all of them\n", sum, sum > 0 ? 100.0 : 0.0);
}

void verify_put_profile(oribi_json *json, const verify *v)
{
    oribi_json_key(json, "operators");
    oribi_json_open(json, '[');
    for (int32_t i = 0; i < v->n_operators; i++) {
        oribi_json_open(json, '{');
        oribi_json_put_string(json, "node", v->operators[i].node);
        oribi_json_put_string(json, "op", v->operators[i].op);
        oribi_json_put_string(json, "kernel", v->operators[i].kernel);
        oribi_json_put_uint(json, verify_unit(v), v->operators[i].count);
        oribi_json_close(json, '}');
    }
    oribi_json_close(json, ']');
}
