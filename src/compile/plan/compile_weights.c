/* SPDX-License-Identifier: Apache-2.0 */
/* The constants of a model as one list, and as one image of bytes. How they are written out:
 * emit_weights.c. */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "compile/plan/planning.h"
#include "compile/common/checksum.h"
#include "tensor/status.h"

/* --- List ------------------------------------------------------------------------------------ */

/* The smallest multiple of alignment, a power of two, that is not below bytes. */
static bool round_up(int64_t bytes, int32_t alignment, int64_t *out, TF_Status *status)
{
    size_t padded;
    if (!oribi_size_round_up((size_t)bytes, (size_t)alignment, &padded)) {
        return oribi_fail(status, TF_RESOURCE_EXHAUSTED,
                          "the weights exceed the address space: %lld bytes, in multiples of %d",
                          (long long)bytes, (int)alignment);
    }
    *out = (int64_t)padded;
    return true;
}

static int64_t bytes_of(const oribi_placed *placed)
{
    return placed->count * oribi_element_bytes(placed->kind);
}

int32_t oribi_weights_alignment(const oribi_placed *placed)
{
    const int32_t element = (int32_t)oribi_element_bytes(placed->kind);
    const int32_t least = element > ORIBI_WEIGHTS_ALIGNMENT ? element : ORIBI_WEIGHTS_ALIGNMENT;
    return placed->alignment > least ? placed->alignment : least;
}

int32_t oribi_weights_most_alignment(const oribi_program *c)
{
    int32_t most = ORIBI_WEIGHTS_ALIGNMENT;
    for (int32_t i = 0; i < c->n_arrays; i++) {
        const int32_t one = oribi_weights_alignment(c->arrays[i].placed);
        most = one > most ? one : most;
    }
    return most;
}

static bool add(oribi_program *c, const char *owner, const oribi_placed *placed,
                const char *section, TF_Status *status)
{
    oribi_weights_array *array = &c->arrays[c->n_arrays++];
    array->placed = placed;
    array->section = section;
    size_t end = 0;
    ORIBI_TRY(round_up(c->image_bytes, oribi_weights_alignment(placed), &array->offset, status) &&
              round_up(bytes_of(placed), ORIBI_WEIGHTS_ALIGNMENT, &array->padded_bytes, status));
    if (!oribi_size_add((size_t)array->offset, (size_t)array->padded_bytes, &end)) {
        return oribi_fail(status, TF_RESOURCE_EXHAUSTED, "the weights exceed the address space");
    }
    c->image_bytes = (int64_t)end;
    array->symbol =
        oribi_arena_printf(&c->arena, "%s%s%s", owner, owner[0] != 0 ? "_" : "", placed->name);
    return array->symbol != NULL || oribi_fail_memory(status);
}

/* The section that --place names for a node; the last one counts. */
static const char *section_of(const oribi_program *c, const char *node)
{
    const char *section = NULL;
    for (int32_t i = 0; i < c->options->places.n; i++) {
        int32_t length;
        const char *one = oribi_option_split(c->options->places.items[i], ':', &length);
        if ((size_t)length == strlen(node) &&
            memcmp(c->options->places.items[i], node, (size_t)length) == 0) {
            section = one;
        }
    }
    return section;
}

static bool check_places(const oribi_program *c, TF_Status *status)
{
    if (c->options->places.n > 0 && c->options->weights == ORIBI_WEIGHTS_BIN) {
        return oribi_fail(
            status, TF_INVALID_ARGUMENT,
            "--place needs weights that the linker sees, but --weights bin is one file");
    }
    for (int32_t i = 0; i < c->options->places.n; i++) {
        int32_t length;
        bool is_found = false;
        (void)oribi_option_split(c->options->places.items[i], ':', &length);
        for (int32_t k = 0; k < c->n_calls; k++) {
            for (int32_t p = 0; p < oribi_call_n_parts(&c->calls[k]) && !is_found; p++) {
                const oribi_call *call = oribi_call_part(&c->calls[k], p);
                is_found =
                    strlen(call->node->name) == (size_t)length && call->n_placed > 0 &&
                    memcmp(call->node->name, c->options->places.items[i], (size_t)length) == 0;
            }
        }
        if (!is_found && !c->has_siblings) {
            return oribi_fail(status, TF_NOT_FOUND,
                              "--place: model '%s' has no node '%.*s' with weights; report.json "
                              "lists its nodes",
                              c->name, (int)length, c->options->places.items[i]);
        }
    }
    return true;
}

static bool add_call(oribi_program *c, oribi_call *call, TF_Status *status)
{
    const char *section = section_of(c, call->node->name);
    call->first_array = c->n_arrays;
    for (int32_t k = 0; k < call->n_placed; k++) {
        ORIBI_TRY(add(c, call->name, &call->placed[k], section, status));
    }
    return true;
}

bool oribi_program_list_arrays(oribi_program *c, TF_Status *status)
{
    int32_t n = c->n_constants;
    for (int32_t i = 0; i < c->n_calls; i++) {
        for (int32_t p = 0; p < oribi_call_n_parts(&c->calls[i]); p++) {
            n += oribi_call_part(&c->calls[i], p)->n_placed;
        }
    }
    c->arrays = oribi_claim_array(&c->arena, (size_t)n + 1, sizeof *c->arrays, status);
    ORIBI_TRY(c->arrays != NULL);
    c->n_arrays = 0;
    c->image_bytes = ORIBI_WEIGHTS_HEAD;
    ORIBI_TRY(check_places(c, status));
    for (int32_t i = 0; i < c->n_calls; i++) {
        oribi_rings *rings = c->calls[i].rings;
        for (int32_t p = 0; p < oribi_call_n_parts(&c->calls[i]); p++) {
            ORIBI_TRY(add_call(c, rings != NULL ? &rings->parts[p].call : &c->calls[i], status));
        }
    }
    c->first_constant = c->n_arrays;
    for (int32_t i = 0; i < c->n_constants; i++) {
        ORIBI_TRY(add(c, "", &c->constants[i], NULL, status));
    }
    return true;
}

/* --- Image ----------------------------------------------------------------------------------- */

static bool host_is_little(void)
{
    const uint16_t one = 1;
    uint8_t first;
    memcpy(&first, &one, 1);
    return first == 1;
}

void oribi_weights_append(oribi_text *text, const oribi_placed *placed)
{
    const size_t size = (size_t)oribi_element_bytes(placed->kind);
    const char *data = placed->data;
    while (text->length % (size_t)oribi_weights_alignment(placed) != 0 && !text->failed) {
        oribi_text_append_n(text, "", 1);
    }
    if (host_is_little() || size == 1) {
        oribi_text_append_n(text, data, (size_t)bytes_of(placed));
    } else {
        for (int64_t i = 0; i < placed->count; i++) {
            for (size_t k = size; k-- > 0;) {
                oribi_text_append_n(text, data + (size_t)i * size + k, 1);
            }
        }
    }
    while (text->length % ORIBI_WEIGHTS_ALIGNMENT != 0) {
        oribi_text_append_n(text, "", 1);
    }
}

/* body: what follows the head. */
static void write_head(char *head, const char *body, uint64_t bytes)
{
    char hex[65];
    oribi_sha256_hex(body, (size_t)bytes, hex);
    memcpy(head, "ORIBIW01", 8);
    for (int32_t i = 0; i < 8; i++) {
        head[8 + i] = (char)(uint8_t)(bytes >> (8 * i));
    }
    for (int32_t i = 0; i < 16; i++) {
        unsigned value = 0;
        (void)sscanf(hex + 2 * i, "%2x", &value);
        head[16 + i] = (char)(uint8_t)value;
    }
}

bool oribi_weights_image(const oribi_program *c, oribi_text *text)
{
    static const char head[ORIBI_WEIGHTS_HEAD];
    oribi_text_append_n(text, head, sizeof head); /* written when the rest is known */
    for (int32_t i = 0; i < c->n_arrays; i++) {
        oribi_weights_append(text, c->arrays[i].placed);
    }
    if (!text->failed) {
        write_head(text->data, text->data + sizeof head, text->length - sizeof head);
    }
    return !text->failed;
}

int64_t oribi_call_flash(const oribi_call *call)
{
    int64_t bytes = call->rings != NULL ? oribi_rings_flash(call->rings) : 0;
    for (int32_t p = 0; p < oribi_call_n_parts(call); p++) {
        const oribi_call *part = oribi_call_part(call, p);
        for (int32_t i = 0; i < part->n_placed; i++) {
            bytes += bytes_of(&part->placed[i]);
        }
        bytes += part->kernel != NULL ? oribi_args_flash(part->args) : 0;
    }
    return bytes;
}
