/* SPDX-License-Identifier: Apache-2.0 */
/* See names.h. Inputs, outputs, pools and devices share the macros TVMGEN_<MODEL>_<NAME>_...;
 * variables are members of one struct, as are devices. What the C itself calls something gets out
 * of the way by a suffix (../common/c_names.c), or is refused where the caller chose the name.
 */
#include "compile/plan/names.h"

#include <string.h>

#include "base/map.h"
#include "compile/plan/planning.h"
#include "tensor/status.h"

static const char *const kinds[] = {[ORIBI_NAME_INPUT] = "input",
                                    [ORIBI_NAME_OUTPUT] = "output",
                                    [ORIBI_NAME_VARIABLE] = "variable",
                                    [ORIBI_NAME_POOL] = "pool",
                                    [ORIBI_NAME_DEVICE] = "device"};

static bool is_text(const char *text, size_t length, const char *whole)
{
    return strlen(whole) == length && memcmp(text, whole, length) == 0;
}

/* 0: the item is of something else, 1: of anything of that name, 2: of this kind. */
static int32_t match(const char *item, int32_t length, enum oribi_name_kind kind, const char *name)
{
    const size_t prefix = strlen(kinds[kind]);
    const size_t whole = (size_t)length;
    if (whole > prefix && memcmp(item, kinds[kind], prefix) == 0 && item[prefix] == ':' &&
        is_text(item + prefix + 1, whole - prefix - 1, name)) {
        return 2;
    }
    return is_text(item, whole, name) ? 1 : 0;
}

const char *oribi_program_renamed(const oribi_program *c, enum oribi_name_kind kind,
                                  const char *name)
{
    const char *found = name;
    int32_t best = 0;
    for (int32_t i = 0; i < c->options->renames.n; i++) {
        int32_t length;
        const char *to = oribi_option_split(c->options->renames.items[i], '=', &length);
        const int32_t fit = match(c->options->renames.items[i], length, kind, name);
        if (fit > 0 && fit >= best) {
            best = fit;
            found = to;
        }
    }
    return found;
}

/* --- Everything that has a name --------------------------------------------------------------- */

typedef struct named {
    enum oribi_name_kind kind;
    const char *model_name; /* hostile */
    const char *c_name;     /* of a member */
    const char *macro;      /* TVMGEN_<MODEL>_<macro>_SIZE; NULL: it has none */
} named;

static int32_t count_names(const oribi_program *c)
{
    return c->n_inputs + c->n_outputs + c->n_states + c->n_pools + c->devices.partition.n_devices;
}

/* NULL: no memory. */
static const named *list_names(const oribi_program *c, oribi_arena *arena)
{
    named *list = oribi_arena_array(arena, (size_t)count_names(c) + 1, sizeof *list);
    named *at = list;
    if (list == NULL) {
        return NULL;
    }
    for (int32_t i = 0; i < c->n_inputs + c->n_outputs; i++) {
        const bool is_input = i < c->n_inputs;
        const oribi_port *port = is_input ? &c->inputs[i] : &c->outputs[i - c->n_inputs];
        *at++ = (named){is_input ? ORIBI_NAME_INPUT : ORIBI_NAME_OUTPUT, port->model_name,
                        port->name, port->macro};
    }
    for (int32_t i = 0; i < c->n_states; i++) {
        *at++ = (named){ORIBI_NAME_VARIABLE, c->states[i].model_name, c->states[i].name, NULL};
    }
    for (int32_t i = 0; i < c->n_pools; i++) {
        const char *macro = oribi_arena_printf(arena, "%s_WORKSPACE_POOL", c->pools[i].macro);
        *at++ = (named){ORIBI_NAME_POOL, c->pools[i].option_name, c->pools[i].name, macro};
        if (macro == NULL) {
            return NULL;
        }
    }
    for (int32_t i = 0; i < c->devices.partition.n_devices; i++) {
        const oribi_device_names *names = &c->devices.names[i];
        const char *macro = oribi_arena_printf(arena, "%s_MEMORY", names->macro);
        *at++ =
            (named){ORIBI_NAME_DEVICE, c->devices.partition.devices[i].name, names->member, macro};
        if (macro == NULL) {
            return NULL;
        }
    }
    return list;
}

/* --- Checks ----------------------------------------------------------------------------------- */

/* Is there another that --rename NAME=NEW would rename too? */
static bool is_shared(const named *list, int32_t n, const named *one)
{
    int32_t count = 0;
    for (int32_t i = 0; i < n; i++) {
        count += strcmp(list[i].model_name, one->model_name) == 0 ? 1 : 0;
    }
    return count > 1;
}

/* Offers the option that helps. */
static bool fail_collision(const named *list, int32_t n, const named *a, const named *b,
                           const char *c_name, TF_Status *status)
{
    oribi_text first = {0}, second = {0};
    const bool needs_kind = is_shared(list, n, b);
    oribi_compile_append_safe(&first, a->model_name);
    oribi_compile_append_safe(&second, b->model_name);
    oribi_fail(status, TF_INVALID_ARGUMENT,
               "%s '%s' and %s '%s' would both be called '%s' in C; give one of them another name: "
               "--rename '%s%s%s=NEW'",
               kinds[a->kind], oribi_text_string(&first), kinds[b->kind],
               oribi_text_string(&second), c_name, needs_kind ? kinds[b->kind] : "",
               needs_kind ? ":" : "", oribi_text_string(&second));
    oribi_text_destroy(&first);
    oribi_text_destroy(&second);
    return false;
}

static bool check_macros(const named *list, int32_t n, TF_Status *status)
{
    oribi_map seen = {0};
    bool ok = true;
    for (int32_t i = 0; ok && i < n; i++) {
        const named *other = list[i].macro == NULL ? NULL : oribi_map_get(&seen, list[i].macro);
        if (other != NULL) {
            ok = fail_collision(list, n, other, &list[i], list[i].macro, status);
        } else if (list[i].macro != NULL &&
                   !oribi_map_put(&seen, list[i].macro, (void *)(uintptr_t)&list[i])) {
            ok = oribi_fail_memory(status);
        }
    }
    oribi_map_destroy(&seen);
    return ok;
}

/* Members of the struct that has all of one kind. */
static bool check_members(const named *list, int32_t n, enum oribi_name_kind kind,
                          TF_Status *status)
{
    oribi_map seen = {0};
    bool ok = true;
    for (int32_t i = 0; ok && i < n; i++) {
        const named *other = list[i].kind == kind ? oribi_map_get(&seen, list[i].c_name) : NULL;
        if (other != NULL) {
            ok = fail_collision(list, n, other, &list[i], list[i].c_name, status);
        } else if (list[i].kind == kind &&
                   !oribi_map_put(&seen, list[i].c_name, (void *)(uintptr_t)&list[i])) {
            ok = oribi_fail_memory(status);
        }
    }
    oribi_map_destroy(&seen);
    return ok;
}

/* Each --rename is of something. */
static bool check_renames(const oribi_program *c, const named *list, int32_t n, TF_Status *status)
{
    for (int32_t i = 0; i < c->options->renames.n && !c->has_siblings; i++) {
        int32_t length;
        bool is_found = false;
        const char *item = c->options->renames.items[i];
        (void)oribi_option_split(item, '=', &length);
        for (int32_t k = 0; k < n && !is_found; k++) {
            is_found = match(item, length, list[k].kind, list[k].model_name) > 0;
        }
        if (!is_found) {
            return oribi_fail(status, TF_NOT_FOUND,
                              "--rename %s: there is no input, output, variable, pool or device of "
                              "that name; `oribi inspect` lists inputs and outputs",
                              item);
        }
    }
    return true;
}

bool oribi_program_check_names(const oribi_program *c, TF_Status *status)
{
    oribi_arena arena = {0};
    const int32_t n = count_names(c);
    const named *list = list_names(c, &arena);
    const bool ok = list == NULL
                        ? oribi_fail_memory(status)
                        : check_renames(c, list, n, status) && check_macros(list, n, status) &&
                              check_members(list, n, ORIBI_NAME_VARIABLE, status) &&
                              check_members(list, n, ORIBI_NAME_DEVICE, status);
    oribi_arena_destroy(&arena);
    return ok;
}
