/* SPDX-License-Identifier: Apache-2.0 */
/* Which op serves an operator of a model's format in one of its versions. */
#ifndef ORIBI_OP_OP_SERVES_H_
#define ORIBI_OP_OP_SERVES_H_

#include "base/text.h"
#include "op/spec.h"

typedef struct oribi_service { /* one call of TF_OpDefinitionBuilderServes */
    const char *domain, *operator_name;
    int32_t since, until; /* both included; until 0: no end */
    const struct oribi_service *next;
} oribi_service;

/* Reports services that say nothing. */
bool oribi_op_check_services(oribi_spec *spec);
/* ALREADY_EXISTS when both serve one version of an operator and have different names. */
bool oribi_op_services_agree(const oribi_op_def *present, const oribi_op_def *wanted,
                             TF_Status *status);
/* The op that serves this version, or NULL; out_others then tells the versions that are served,
 * and stays empty where no op serves the operator at all. */
const oribi_op_def *oribi_op_serving(const oribi_string *domain, const oribi_string *operator_name,
                                     int64_t version, oribi_text *out_others);

#endif
