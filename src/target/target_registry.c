/* SPDX-License-Identifier: Apache-2.0 */
/* The targets of the process, in the order of registration. Nothing is taken out before the end. */
#include <string.h>

#include "base/alloc.h"
#include "base/log.h"
#include "base/thread.h"
#include "target/target.h"
#include "tensor/status.h"
#include "tvm/runtime/device.h"

enum { FIRST_DRIVER_CONTRACT = 104 }; /* that has a record of the driver */

typedef struct entry {
    struct entry *next;
    const oribi_target *target;
} entry;

static oribi_mutex mutex = ORIBI_MUTEX_INIT;
static entry *first, **last = &first;

bool oribi_target_is_name(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        const char c = text[i];
        const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        if (!is_letter && (i == 0 || !((c >= '0' && c <= '9') || c == '_' || c == '-'))) {
            return false;
        }
    }
    return length > 0;
}

/* A kind becomes part of functions' names, TVMDevice<Kind>Open. */
static bool is_kind(const char *name)
{
    return name != NULL && strlen(name) <= 64 && oribi_target_is_name(name, strlen(name));
}

static bool check_pattern(const oribi_target *target, int32_t index, TF_Status *status)
{
    const oribi_target_pattern *p = &target->patterns[index];
    const char *missing = p->struct_size < sizeof *p ? "struct_size"
                          : p->name == NULL          ? "name"
                          : p->ops == NULL           ? "ops"
                          : p->write == NULL         ? "write"
                                                     : NULL;
    if (missing != NULL) {
        return oribi_fail(status, TF_INVALID_ARGUMENT,
                          "target '%s': pattern %d has no %s; fill in oribi_target_pattern",
                          target->name, (int)index, missing);
    }
    for (int32_t i = 0; i < p->n_ops && i < ORIBI_PATTERN_MAX; i++) {
        if (p->ops[i] == NULL) {
            return oribi_fail(status, TF_INVALID_ARGUMENT,
                              "target '%s': pattern '%s': operator %d is NULL", target->name,
                              p->name, (int)i);
        }
    }
    return (p->n_ops > 0 && p->n_ops <= ORIBI_PATTERN_MAX) ||
           oribi_fail(status, TF_INVALID_ARGUMENT,
                      "target '%s': pattern '%s' has %d operators; 1 to %d are possible",
                      target->name, p->name, (int)p->n_ops, (int)ORIBI_PATTERN_MAX);
}

static bool check_patterns(const oribi_target *target, TF_Status *status)
{
    if ((target->n_patterns <= 0 || target->patterns == NULL) &&
        (target->n_patterns != 0 || !oribi_target_compiles(target))) {
        return oribi_fail(status, TF_INVALID_ARGUMENT,
                          "target '%s' has no patterns; without one, or compile_region, it takes "
                          "nothing",
                          target->name);
    }
    for (int32_t i = 0; i < target->n_patterns; i++) {
        ORIBI_TRY(check_pattern(target, i, status));
    }
    return true;
}

bool oribi_target_compiles(const oribi_target *target)
{
    return target->struct_size >= TF_OFFSET_OF_END(oribi_target, compiler) &&
           target->compile_region != NULL;
}

bool oribi_target_has_load(const oribi_target *target)
{
    return target->struct_size >= TF_OFFSET_OF_END(oribi_target, has_load) && target->has_load != 0;
}

int32_t oribi_target_driver_contract(const oribi_target *target)
{
    return target->struct_size >= TF_OFFSET_OF_END(oribi_target, driver_contract)
               ? target->driver_contract
               : 0;
}

/* A driver for a later contract expects of generated code what this library cannot write. */
static bool check_contract(const oribi_target *target, TF_Status *status)
{
    const int32_t wanted = oribi_target_driver_contract(target);
    return wanted == 0 || (wanted >= FIRST_DRIVER_CONTRACT && wanted <= TVM_DEVICE_CONTRACT) ||
           oribi_fail(status, TF_INVALID_ARGUMENT,
                      "target '%s': driver_contract is %d, but this Oribi writes for drivers of %d "
                      "to %d, as TVM_DEVICE_CONTRACT numbers them, or 0: use a newer Oribi, or an "
                      "older driver",
                      target->name, (int)wanted, (int)FIRST_DRIVER_CONTRACT,
                      (int)TVM_DEVICE_CONTRACT);
}

static bool check(const oribi_target *target, TF_Status *status)
{
    if (target == NULL ||
        target->struct_size < TF_OFFSET_OF_END(oribi_target, cache_line)) { /* of 1.1 to 1.3 */
        return oribi_fail(status, TF_INVALID_ARGUMENT,
                          "a target is NULL or has no struct_size; set it to sizeof(oribi_target)");
    }
    if (!is_kind(target->name)) {
        return oribi_fail(status, TF_INVALID_ARGUMENT,
                          "a target's name must be a letter, then letters, digits, '-' or '_', at "
                          "most 64 of them");
    }
    const int64_t alignment = target->memory_alignment, line = target->cache_line;
    if (target->activate_us < 0 || target->memory_bytes < 0 || alignment < 0 || alignment > 4096 ||
        (alignment & (alignment - 1)) != 0 || target->memory_bytes > UINT32_MAX || line < 0 ||
        line > 4096 || (line & (line - 1)) != 0) {
        return oribi_fail(status, TF_INVALID_ARGUMENT,
                          "target '%s': activate_us and memory_bytes (below 4 GiB) must not be "
                          "negative, memory_alignment and cache_line powers of two up to 4096",
                          target->name);
    }
    if (target->device_api == 0 &&
        (target->is_asynchronous != 0 || target->has_cache_hooks != 0 || target->has_address != 0 ||
         target->memory_bytes > 0 || oribi_target_has_load(target))) {
        return oribi_fail(status, TF_INVALID_ARGUMENT,
                          "target '%s': without device_api no hooks are called, so it cannot be "
                          "asynchronous, have a memory, cache hooks, addresses of its own or Load",
                          target->name);
    }
    return check_contract(target, status) && check_patterns(target, status);
}

static bool insert(const oribi_target *target, TF_Status *status)
{
    entry *made = oribi_claim_zero(1, sizeof *made, status);
    ORIBI_TRY(made != NULL);
    made->target = target;
    oribi_mutex_lock(&mutex);
    for (const entry *e = first; e != NULL; e = e->next) {
        if (strcmp(e->target->name, target->name) == 0) {
            oribi_mutex_unlock(&mutex);
            oribi_free(made);
            return oribi_fail(status, TF_ALREADY_EXISTS,
                              "a target named '%s' is already registered", target->name);
        }
    }
    *last = made;
    last = &made->next;
    oribi_mutex_unlock(&mutex);
    return true;
}

void oribi_target_register(const oribi_target *target, TF_Status *status)
{
    TF_SetStatus(status, TF_OK, "");
    if (!check(target, status) || !insert(target, status)) {
        oribi_log(ORIBI_LOG_ERROR, "%s", TF_Message(status));
    }
}

static bool is_named(const oribi_target *target, const char *name)
{
    return strcmp(target->name, name) == 0;
}

bool oribi_target_takes(const oribi_target *target, const char *op)
{
    for (int32_t i = 0; i < target->n_patterns; i++) {
        for (int32_t k = 0; k < target->patterns[i].n_ops; k++) {
            if (strcmp(target->patterns[i].ops[k], op) == 0) {
                return true;
            }
        }
    }
    return false;
}

static const oribi_target *find(bool (*holds)(const oribi_target *target, const char *text),
                                const char *text)
{
    const oribi_target *found = NULL;
    oribi_mutex_lock(&mutex);
    for (const entry *e = first; e != NULL && found == NULL; e = e->next) {
        found = holds(e->target, text) ? e->target : NULL;
    }
    oribi_mutex_unlock(&mutex);
    return found;
}

const oribi_target *oribi_target_find(const char *name)
{
    return find(is_named, name);
}

const oribi_target *oribi_target_taking(const char *op)
{
    return find(oribi_target_takes, op);
}

void oribi_target_list(oribi_text *text)
{
    oribi_mutex_lock(&mutex);
    for (const entry *e = first; e != NULL; e = e->next) {
        oribi_text_printf(text, "%s%s", e == first ? "" : ", ", e->target->name);
    }
    oribi_mutex_unlock(&mutex);
}

void oribi_target_forget_all(void)
{
    oribi_mutex_lock(&mutex);
    for (entry *next; first != NULL; first = next) {
        next = first->next;
        oribi_free(first);
    }
    last = &first;
    oribi_mutex_unlock(&mutex);
}
