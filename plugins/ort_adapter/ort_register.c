/* SPDX-License-Identifier: Apache-2.0 */
/* What a library registers: domains with custom ops, collected while its entry point runs, then
 * put into groups that become ops. Not here: the definitions (ort_define.c).
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ort_adapter.h"
#include "tensorflow/c/adapter.h"
#include "tensorflow/c/logging.h"
#include "tensorflow/c/plugin_note.h"

ORIBI_PLUGIN("oribi_ort_adapter", "1", "Apache-2.0");

enum { FIRST_WITH_OPSETS = 17 };

struct ort_domain {
    struct ort_domain *next; /* of those that were added */
    char *name;
    const ort_custom_op **ops;
    size_t n_ops;
    bool is_added; /* kept then, whatever the library does with it */
};

struct ort_session_options {
    ort_domain *first, **last;
};

static ort_session_options collected; /* loads are serialised */

ort_status *oribi_ort_CreateCustomOpDomain(const char *name, ort_domain **out)
{
    const size_t bytes = strlen(name ? name : "") + 1;
    ort_domain *domain = calloc(1, sizeof *domain);
    char *own = malloc(bytes);
    *out = NULL;
    if (!domain || !own) {
        free(domain);
        free(own);
        return oribi_ort_fail_memory();
    }
    memcpy(own, name ? name : "", bytes);
    domain->name = own;
    *out = domain;
    return NULL;
}

static bool append(const ort_custom_op ***items, size_t *count, const ort_custom_op *op)
{
    const ort_custom_op **grown = reallocarray(*items, *count + 1, sizeof *grown);
    if (grown) {
        grown[(*count)++] = op;
        *items = grown;
    }
    return grown != NULL;
}

ort_status *oribi_ort_CustomOpDomain_Add(ort_domain *domain, const ort_custom_op *op)
{
    if (op->version == 0) {
        return oribi_ort_fail(ORT_INVALID_ARGUMENT, "an op of version 0; there is none below 1");
    }
    return append(&domain->ops, &domain->n_ops, op) ? NULL : oribi_ort_fail_memory();
}

ort_status *oribi_ort_AddCustomOpDomain(ort_session_options *options, ort_domain *domain)
{
    if (options == &collected && !domain->is_added) {
        domain->is_added = true;
        *options->last = domain;
        options->last = &domain->next;
    }
    return NULL;
}

static void domain_free(ort_domain *domain)
{
    free(domain->ops);
    free(domain->name);
    free(domain);
}

void oribi_ort_ReleaseCustomOpDomain(ort_domain *domain)
{
    if (domain && !domain->is_added) {
        domain_free(domain);
    }
}

ort_status *oribi_ort_HasSessionConfigEntry(const ort_session_options *options, const char *key,
                                            int *out)
{
    (void)options;
    (void)key;
    *out = 0;
    return NULL;
}

/* --- Groups ---------------------------------------------------------------------------------- */

/* See docs/reference/author-tools.md. */
char *oribi_ort_name_op(const char *domain, const char *name, unsigned number)
{
    const size_t prefix = strlen(domain);
    const size_t bytes = prefix + strlen(name) + 32;
    char *op = malloc(bytes);
    if (!op) {
        return NULL;
    }
    int length = snprintf(op, bytes, "%s>%s", prefix ? domain : "ONNX", name);
    if (number) {
        snprintf(op + length, bytes - (size_t)length, "_%u", number);
    }
    bool at_start = true;
    for (size_t i = 0; op[i]; i++) {
        const bool in_domain = i < prefix;
        const bool is_lower = op[i] >= 'a' && op[i] <= 'z';
        const bool is_other = (op[i] >= 'A' && op[i] <= 'Z') || (op[i] >= '0' && op[i] <= '9') ||
                              op[i] == '_' || op[i] == '>';
        if (in_domain && op[i] == '.') {
            op[i] = '>';
        } else if (!is_lower && !is_other) {
            op[i] = '_';
        } else if (in_domain && at_start && is_lower) {
            op[i] = (char)(op[i] - 'a' + 'A');
        }
        at_start = op[i] == '>';
    }
    return op;
}

static bool is_for_cpu(const ort_custom_op *op)
{
    const char *provider = op->provider ? op->provider(op) : NULL;
    return !provider || strcmp(provider, "CPUExecutionProvider") == 0;
}

static void read_versions(const ort_custom_op *op, int *since, int *until)
{
    const bool has_them = op->version >= FIRST_WITH_OPSETS && op->first_opset && op->last_opset;
    *since = has_them ? op->first_opset(op) : 1;
    *until = has_them ? op->last_opset(op) : 0;
    *since = *since < 1 ? 1 : *since;
    *until = *until == INT_MAX ? 0 : *until;
}

static bool add_to_group(ort_group **first, const char *domain, const ort_custom_op *op)
{
    const char *name = op->name(op);
    int since;
    int until;
    unsigned others = 0; /* groups of the same operator, for other versions */
    ort_group **at = first;
    read_versions(op, &since, &until);
    for (; *at; at = &(*at)->next) {
        if (strcmp((*at)->name, name) == 0 && strcmp((*at)->domain, domain) == 0) {
            if ((*at)->since == since && (*at)->until == until) {
                return append(&(*at)->members, &(*at)->n_members, op);
            }
            others++;
        }
    }
    ort_group *group = calloc(1, sizeof *group);
    if (!group) {
        return false;
    }
    *at = group;
    group->domain = domain;
    group->name = name;
    group->since = since;
    group->until = until;
    group->op = oribi_ort_name_op(domain, name, others ? others + 1 : 0);
    return group->op && append(&group->members, &group->n_members, op);
}

static bool make_groups(ort_group **first)
{
    for (ort_domain *domain = collected.first; domain; domain = domain->next) {
        for (size_t i = 0; i < domain->n_ops; i++) {
            const ort_custom_op *op = domain->ops[i];
            if (!is_for_cpu(op)) {
                TF_VLog(1, "ort_adapter: %s is left out: it is for %s", op->name(op),
                        op->provider(op));
            } else if (!add_to_group(first, domain->name, op)) {
                return false;
            }
        }
    }
    return true;
}

static void define_all(const char *path, TF_Status *status)
{
    ort_group *first = NULL;
    if (!make_groups(&first)) {
        TF_SetStatus(status, TF_RESOURCE_EXHAUSTED, "out of memory");
    } else if (!first) {
        char text[512];
        snprintf(text, sizeof text, "RegisterCustomOps of '%s' registered no op for the CPU", path);
        TF_SetStatus(status, TF_INVALID_ARGUMENT, text);
    }
    for (ort_group *group = first; group && TF_GetCode(status) == TF_OK; group = group->next) {
        oribi_ort_define(group, status);
    }
}

void TF_InitAdapter(const char *path, void (*entry)(void), TF_Status *status)
{
    collected = (ort_session_options){NULL, &collected.first};
    (void)oribi_ort_refused_version();
    TF_SetStatus(status, TF_OK, "");
    ort_status *failed = oribi_ort_call_register((ort_register_custom_ops)entry, &collected);
    const uint32_t refused = oribi_ort_refused_version();
    if (refused > 0 && !collected.first) {
        char text[160];
        snprintf(text, sizeof text,
                 "the library asks for version %u of ONNX Runtime's interface; %d is the newest "
                 "here; use a library that was built for an older one",
                 (unsigned)refused, (int)ORT_ABI_VERSION);
        TF_SetStatus(status, TF_UNIMPLEMENTED, text);
        oribi_ort_ReleaseStatus(failed);
    } else if (failed) {
        oribi_ort_to_status(failed, "RegisterCustomOps", status);
    } else {
        define_all(path, status);
    }
}
