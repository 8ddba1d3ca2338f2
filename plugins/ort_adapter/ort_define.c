/* SPDX-License-Identifier: Apache-2.0 */
/* One op definition of all that is registered under one name. A parameter is an argument: input0,
 * input1, ... An optional one is a list of `n_input1` elements, none or one; a variadic one takes
 * the rest. Where registrations differ in a type, or it is open, the argument has a type attribute.
 * The node's attributes, which nobody declares, come as messages: onnx_attributes.
 */
#include <stdio.h>
#include <string.h>

#include "ort_adapter.h"
#include "tensorflow/c/logging.h"

enum { FIRST_WITH_OPTIONAL = 8, FIRST_WITH_VARIADIC = 14, MOST_PARAMETERS = 64 };

typedef struct side { /* inputs, or outputs */
    const char *word;
    size_t (*count)(const ort_custom_op *op);
    int32_t (*type)(const ort_custom_op *op, size_t i);
    int32_t (*kind)(const ort_custom_op *op, size_t i);
    int (*least)(const ort_custom_op *op);
    int (*are_alike)(const ort_custom_op *op);
} side;

static size_t count_inputs(const ort_custom_op *op)
{
    return op->n_inputs ? op->n_inputs(op) : 0;
}

static size_t count_outputs(const ort_custom_op *op)
{
    return op->n_outputs ? op->n_outputs(op) : 0;
}

static int32_t type_of_input(const ort_custom_op *op, size_t i)
{
    return op->input_type(op, i);
}

static int32_t type_of_output(const ort_custom_op *op, size_t i)
{
    return op->output_type(op, i);
}

int32_t oribi_ort_input_kind(const ort_custom_op *op, size_t i)
{
    return op->version >= FIRST_WITH_OPTIONAL && op->input_kind ? op->input_kind(op, i)
                                                                : ORT_REQUIRED;
}

int32_t oribi_ort_output_kind(const ort_custom_op *op, size_t i)
{
    return op->version >= FIRST_WITH_OPTIONAL && op->output_kind ? op->output_kind(op, i)
                                                                 : ORT_REQUIRED;
}

static int least_inputs(const ort_custom_op *op)
{
    return op->version >= FIRST_WITH_VARIADIC && op->least_inputs ? op->least_inputs(op) : 1;
}

static int least_outputs(const ort_custom_op *op)
{
    return op->version >= FIRST_WITH_VARIADIC && op->least_outputs ? op->least_outputs(op) : 1;
}

static int are_inputs_alike(const ort_custom_op *op)
{
    return op->version < FIRST_WITH_VARIADIC || !op->are_inputs_alike || op->are_inputs_alike(op);
}

static int are_outputs_alike(const ort_custom_op *op)
{
    return op->version < FIRST_WITH_VARIADIC || !op->are_outputs_alike || op->are_outputs_alike(op);
}

static const side inputs = {"input",      count_inputs,    type_of_input, oribi_ort_input_kind,
                            least_inputs, are_inputs_alike};
static const side outputs = {"output",      count_outputs,    type_of_output, oribi_ort_output_kind,
                             least_outputs, are_outputs_alike};

/* --- What the registrations of a group say together ------------------------------------------- */

static bool have_one_form(const ort_group *group, const side *s)
{
    const ort_custom_op *first = group->members[0];
    const size_t n = s->count(first);
    for (size_t m = 1; m < group->n_members; m++) {
        bool same = s->count(group->members[m]) == n;
        for (size_t i = 0; i < n && same; i++) {
            same = s->kind(group->members[m], i) == s->kind(first, i);
        }
        if (!same) {
            return false;
        }
    }
    return n <= MOST_PARAMETERS;
}

/* The element type that all have there; 0: it is open, or they differ. */
static int32_t common_type(const ort_group *group, const side *s, size_t i)
{
    const int32_t type = s->type(group->members[0], i);
    for (size_t m = 1; m < group->n_members; m++) {
        if (s->type(group->members[m], i) != type) {
            return ORT_TYPE_UNDEFINED;
        }
    }
    return type;
}

/* Is it a list whose elements have a type each? */
static bool is_mixed(const ort_group *group, const side *s, size_t i)
{
    const ort_custom_op *op = group->members[0];
    return s->kind(op, i) == ORT_VARIADIC && !s->are_alike(op) &&
           common_type(group, s, i) == ORT_TYPE_UNDEFINED;
}

/* The input whose type an output without one of its own has: the last that agrees with it in all
 * registrations, as in ONNX Runtime; -1: there is none. */
static int find_source(const ort_group *group, size_t output)
{
    for (size_t i = count_inputs(group->members[0]); i-- > 0;) {
        bool agrees = !is_mixed(group, &inputs, i);
        for (size_t m = 0; m < group->n_members && agrees; m++) {
            agrees =
                type_of_input(group->members[m], i) == type_of_output(group->members[m], output);
        }
        if (agrees) {
            return (int)i;
        }
    }
    return -1;
}

/* --- Specs ------------------------------------------------------------------------------------ */

/* "T1: {float, int64}", or "T1: type" where any will do. */
static void add_type_attr(TF_OpDefinitionBuilder *builder, const ort_group *group, size_t i)
{
    char list[480] = "";
    size_t length = 0;
    bool is_open = false;
    for (size_t m = 0; m < group->n_members; m++) {
        const int32_t type = type_of_input(group->members[m], i);
        bool is_new = true;
        for (size_t k = 0; k < m; k++) {
            is_new = is_new && type_of_input(group->members[k], i) != type;
        }
        is_open = is_open || type == ORT_TYPE_UNDEFINED;
        if (is_new && length + 24 < sizeof list) {
            length += (size_t)snprintf(list + length, sizeof list - length, "%s%s",
                                       length ? ", " : "", oribi_ort_type_name(type));
        }
    }
    char spec[560];
    const bool may_lack = oribi_ort_input_kind(group->members[0], i) != ORT_REQUIRED;
    const int32_t some = type_of_input(group->members[0], i);
    snprintf(spec, sizeof spec, "T%zu: %s%s%s%s%s", i, is_open ? "type" : "{", is_open ? "" : list,
             is_open ? "" : "}", may_lack ? " = " : "",
             !may_lack ? ""
             : is_open ? "float"
                       : oribi_ort_type_name(some));
    TF_OpDefinitionBuilderAddAttr(builder, spec);
}

static void add_argument(TF_OpDefinitionBuilder *builder, const side *s, size_t i, const char *type,
                         int32_t kind, int least)
{
    char spec[160];
    if (kind != ORT_REQUIRED) {
        snprintf(spec, sizeof spec, "n_%s%zu: int >= %d", s->word, i,
                 kind == ORT_OPTIONAL || least < 0 ? 0 : least);
        TF_OpDefinitionBuilderAddAttr(builder, spec);
        snprintf(spec, sizeof spec, "%s%zu: n_%s%zu * %s", s->word, i, s->word, i, type);
    } else {
        snprintf(spec, sizeof spec, "%s%zu: %s", s->word, i, type);
    }
    if (s == &inputs) {
        TF_OpDefinitionBuilderAddInput(builder, spec);
    } else {
        TF_OpDefinitionBuilderAddOutput(builder, spec);
    }
}

static void add_inputs(TF_OpDefinitionBuilder *builder, const ort_group *group)
{
    const ort_custom_op *op = group->members[0];
    for (size_t i = 0; i < count_inputs(op); i++) {
        const int32_t type = common_type(group, &inputs, i);
        char spec[80];
        if (is_mixed(group, &inputs, i)) {
            const int least = least_inputs(op);
            snprintf(spec, sizeof spec, "T%zu: list(type) >= %d", i, least < 0 ? 0 : least);
            TF_OpDefinitionBuilderAddAttr(builder, spec);
            snprintf(spec, sizeof spec, "input%zu: T%zu", i, i);
            TF_OpDefinitionBuilderAddInput(builder, spec);
            continue;
        }
        snprintf(spec, sizeof spec, "T%zu", i);
        if (type == ORT_TYPE_UNDEFINED) {
            add_type_attr(builder, group, i);
        }
        add_argument(builder, &inputs, i,
                     type == ORT_TYPE_UNDEFINED ? spec : oribi_ort_type_name(type),
                     oribi_ort_input_kind(op, i), least_inputs(op));
    }
}

static void add_outputs(TF_OpDefinitionBuilder *builder, const ort_group *group)
{
    const ort_custom_op *op = group->members[0];
    for (size_t i = 0; i < count_outputs(op); i++) {
        const int32_t type = common_type(group, &outputs, i);
        char own[24];
        snprintf(own, sizeof own, "T%d", find_source(group, i));
        add_argument(builder, &outputs, i,
                     type == ORT_TYPE_UNDEFINED ? own : oribi_ort_type_name(type),
                     oribi_ort_output_kind(op, i), least_outputs(op));
    }
}

/* --- The group -------------------------------------------------------------------------------- */

/* Why no definition can say it, or NULL. */
static const char *find_obstacle(const ort_group *group)
{
    const ort_custom_op *op = group->members[0];
    if (!have_one_form(group, &inputs) || !have_one_form(group, &outputs)) {
        return "its registrations differ in their parameters";
    }
    for (size_t m = 0; m < group->n_members; m++) {
        for (size_t i = 0; i < count_inputs(op); i++) {
            const int32_t type = type_of_input(group->members[m], i);
            if (type != ORT_TYPE_UNDEFINED && oribi_ort_type_to_tf(type) == 0) {
                return "an input has an element type that is not known here";
            }
        }
        for (size_t i = 0; i < count_outputs(op); i++) {
            const int32_t type = type_of_output(group->members[m], i);
            if (type != ORT_TYPE_UNDEFINED && oribi_ort_type_to_tf(type) == 0) {
                return "an output has an element type that is not known here";
            }
        }
    }
    for (size_t i = 0; i < count_outputs(op); i++) {
        if (common_type(group, &outputs, i) == ORT_TYPE_UNDEFINED && find_source(group, i) < 0) {
            return "the type of an output does not follow from those of the inputs";
        }
    }
    return NULL;
}

static void register_kernel(const ort_group *group, TF_Status *status)
{
    const TF_KernelFunctions functions = {.struct_size = TF_KERNEL_FUNCTIONS_STRUCT_SIZE,
                                          .data = (void *)(uintptr_t)group,
                                          .create = oribi_ort_kernel_create,
                                          .compute = oribi_ort_kernel_compute,
                                          .destroy = oribi_ort_kernel_destroy};
    TF_KernelBuilder *builder = TF_NewKernelBuilderWithData(group->op, "CPU", &functions);
    if (builder) {
        TF_RegisterKernelBuilder(group->op, builder, status);
    } else {
        TF_SetStatus(status, TF_RESOURCE_EXHAUSTED, "out of memory");
    }
}

void oribi_ort_define(const ort_group *group, TF_Status *status)
{
    const char *obstacle = find_obstacle(group);
    if (obstacle) {
        TF_Log(TF_WARNING, "custom op %s of domain '%s' is left out: %s", group->name,
               group->domain, obstacle);
        return;
    }
    TF_OpDefinitionBuilder *builder = TF_NewOpDefinitionBuilder(group->op);
    if (!builder) {
        TF_SetStatus(status, TF_RESOURCE_EXHAUSTED, "out of memory");
        return;
    }
    add_inputs(builder, group);
    add_outputs(builder, group);
    TF_OpDefinitionBuilderAddAttr(builder, "onnx_attributes: list(string) = []");
    TF_OpDefinitionBuilderServes(builder, group->domain, group->name, group->since, group->until);
    TF_OpDefinitionBuilderSetShapeInferenceFunctionWithData(builder, oribi_ort_infer,
                                                            (void *)(uintptr_t)group, NULL);
    TF_RegisterOpDefinition(builder, status);
    if (TF_GetCode(status) == TF_OK) {
        register_kernel(group, status);
    }
}
