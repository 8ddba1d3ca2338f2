/* SPDX-License-Identifier: Apache-2.0 */
/* Which op serves an operator of a model's format, by domain, name and version: what plugins say
 * with TF_OpDefinitionBuilderServes. Not here: operators that importers translate themselves.
 */
#include <inttypes.h>
#include <stdatomic.h>
#include <string.h>

#include "op/op_serves.h"

static atomic_int n_serving; /* definitions that ever served: none is the rule */

bool oribi_op_check_services(oribi_spec *spec)
{
    bool ok = true;
    for (const oribi_service *s = spec->entry->def.services; s != NULL; s = s->next) {
        if (s->operator_name[0] == '\0' || s->since < 1 || (s->until != 0 && s->until < s->since)) {
            ok = oribi_spec_fail(spec,
                                 "Serves '%s' of domain '%s' from version %d to %d: it needs an "
                                 "operator's name and 1 <= since <= until, or until 0",
                                 s->operator_name, s->domain, (int)s->since, (int)s->until);
        }
        atomic_fetch_add(&n_serving, 1);
    }
    return ok;
}

static bool is_of(const oribi_service *s, const char *domain, size_t domain_length,
                  const char *operator_name, size_t length)
{
    return strlen(s->domain) == domain_length && memcmp(s->domain, domain, domain_length) == 0 &&
           strlen(s->operator_name) == length &&
           memcmp(s->operator_name, operator_name, length) == 0;
}

static bool overlaps(const oribi_service *a, const oribi_service *b)
{
    return (a->until == 0 || a->until >= b->since) && (b->until == 0 || b->until >= a->since);
}

/* Returns the service of `op` that shares a version with one of `wanted`, or NULL. */
static const oribi_service *find_overlap(const oribi_op_def *op, const oribi_op_def *wanted)
{
    for (const oribi_service *a = op->services; a != NULL; a = a->next) {
        for (const oribi_service *b = wanted->services; b != NULL; b = b->next) {
            if (strcmp(a->domain, b->domain) == 0 &&
                strcmp(a->operator_name, b->operator_name) == 0 && overlaps(a, b)) {
                return a;
            }
        }
    }
    return NULL;
}

bool oribi_op_services_agree(const oribi_op_def *present, const oribi_op_def *wanted,
                             TF_Status *status)
{
    const oribi_service *taken =
        strcmp(present->name, wanted->name) != 0 ? find_overlap(present, wanted) : NULL;
    return taken == NULL ||
           oribi_fail(
               status, TF_ALREADY_EXISTS,
               "op %s of '%s' serves the operator '%s' of domain '%s' in versions that op %s "
               "of '%s' serves (%d to %d, 0: no end); let their ranges not overlap",
               wanted->name, wanted->provider, taken->operator_name, taken->domain, present->name,
               present->provider, (int)taken->since, (int)taken->until);
}

typedef struct search {
    const char *domain, *operator_name;
    size_t domain_length, length;
    int64_t version;
    const oribi_op_def *found;
    oribi_text *others;
} search;

static bool visit(void *arg, const oribi_op_def *op)
{
    search *s = arg;
    for (const oribi_service *one = op->services; one != NULL; one = one->next) {
        if (!is_of(one, s->domain, s->domain_length, s->operator_name, s->length)) {
            continue;
        }
        if (s->version >= one->since && (one->until == 0 || s->version <= one->until)) {
            s->found = op;
            return false;
        }
        oribi_text_printf(s->others, "%s%d to ", oribi_text_string(s->others)[0] ? ", " : "",
                          (int)one->since);
        if (one->until == 0) {
            oribi_text_printf(s->others, "any later (op %s)", op->name);
        } else {
            oribi_text_printf(s->others, "%d (op %s)", (int)one->until, op->name);
        }
    }
    return true;
}

const oribi_op_def *oribi_op_serving(const oribi_string *domain, const oribi_string *operator_name,
                                     int64_t version, oribi_text *out_others)
{
    search s = {.domain = domain->data,
                .operator_name = operator_name->data,
                .domain_length = domain->length,
                .length = operator_name->length,
                .version = version,
                .others = out_others};
    if (atomic_load(&n_serving) > 0) {
        oribi_op_each_present(visit, &s); /* what is in reserve serves nothing */
    }
    return s.found;
}
