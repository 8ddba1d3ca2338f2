/* SPDX-License-Identifier: Apache-2.0 */
/* Which outputs have ops that nothing registers? TensorFlow's models keep beside what runs what
 * saves, restores and initialises them, and the importer makes control flow, variables and tables
 * in its own way (import/tensorflow): here are their outputs, so that graphs can be asked.
 */
#include <stdlib.h>
#include <string.h>

#include "binding/binding.h"
#include "binding/binding_texts.h"
#include "import/graphdef/graphdef_attr.h"
#include "plugin/plugin.h"

/* Outputs in order: an attribute that is a type, "*" before one that lists types, or a type's
 * number; before it "=": of the shape of input 0, "!": of no dimensions, "&": variables of the
 * older kind; "%" before the attribute that says how many there are, a comma behind it; "/" before
 * the type of an attribute that is not there, which else is that of input 0; behind it ":" and the
 * argument's name, unless that is "output". "@1=3" behind all: input 1 has type 3. "$" first: there
 * is more to it than its inputs say. */
static const struct {
    const char *op, *outputs;
} table[] = {
    {"Assert", "$"},
    {"Assign", "=&T:output_ref"},
    {"AssignAdd", "=&T:output_ref"},
    {"AssignSub", "=&T:output_ref"},
    {"AvgPoolGrad", "T"},
    {"Case", "$*Tout"},
    {"CheckNumerics", "=T"},
    {"Conv2DBackpropFilter", "T"},
    {"DestroyResourceOp", "$"},
    {"DisableCopyOnRead", ""},
    {"EnsureShape", "T"},
    {"Enter", "=T"},
    {"Exit", "=T"},
    {"HashTable", "$&7:table_handle"},
    {"HashTableV2", "$!20:table_handle"},
    {"IdentityN", "*T"},
    {"If", "$*Tout"},
    {"InitializeTable", "$"},
    {"InitializeTableFromTextFile", "$"},
    {"InitializeTableFromTextFileV2", "$"},
    {"InitializeTableV2", "$"},
    {"LookupTableExportV2", "$Tkeys:keys Tvalues:values"},
    {"LookupTableFind", "Tout:values"},
    {"LookupTableFindV2", "$Tout:values"},
    {"LookupTableImportV2", "$"},
    {"LookupTableInsertV2", "$"},
    {"LookupTableSizeV2", "$!9:size"},
    {"LoopCond", "!10"},
    {"MaxPoolGrad", "=T"},
    {"Merge", "T:output !3:value_index"},
    {"MergeV2Checkpoints", "$"},
    {"MutableHashTableV2", "$!20:table_handle"},
    {"NextIteration", "=T"},
    {"PartitionedCall", "*Tout"},
    {"PlaceholderWithDefault", "dtype"},
    {"ReadFile", "7:contents"},
    {"ResourceGather", "$dtype"},
    {"RestoreV2", "$*dtypes:tensors"},
    {"SaveV2", "$"},
    {"ShardedFilename", "!7:filename"},
    {"SoftmaxCrossEntropyWithLogits", "T:loss =T:backprop"},
    {"SparseSoftmaxCrossEntropyWithLogits", "T:loss =T:backprop"},
    {"StatefulPartitionedCall", "$*Tout"},
    {"StatelessCase", "*Tout"},
    {"StatelessIf", "*Tout"},
    {"StatelessWhile", "*T"},
    {"Switch", "=T:output_false =T:output_true"},
    {"TensorListFromTensor", "21:output_handle"},
    {"TensorListGetItem", "element_dtype:item"},
    {"TensorListLength", "!3:length"},
    {"TensorListReserve", "21:handle"},
    {"TensorListSetItem", "21:output_handle"},
    {"TensorListStack", "element_dtype:tensor"},
    {"Variable", "$&dtype:ref"},
    {"VariableV2", "$&dtype:ref"},
    {"While", "$*T"},
};

const oribi_binding_texts *oribi_binding_texts_find(void)
{
    const oribi_binding_texts *own = &oribi_binding_text_table; /* weak: may be absent */
    return own != NULL
               ? own
               : oribi_plugin_own_data(ORIBI_BINDING_TEXTS_FILE, "oribi_binding_text_table");
}

static const char *row_of(const char *type)
{
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        if (strcmp(table[i].op, type) == 0) {
            return table[i].outputs;
        }
    }
    const oribi_binding_texts *texts = oribi_binding_texts_find();
    const size_t length = strlen(type);
    for (const char *const *row = texts != NULL ? texts->made : NULL; row != NULL && *row != NULL;
         row++) {
        if (strncmp(*row, type, length) == 0 && (*row)[length] == '\t') {
            return *row + length + 1;
        }
    }
    return NULL;
}

static const char *outputs_of(const char *type)
{
    const char *row = row_of(type);
    return row != NULL ? row + (*row == '$') : NULL;
}

bool oribi_binding_is_stateful(const TF_Operation *self)
{
    const char *row = row_of(self->type);
    oribi_wire signature;
    oribi_wire_field field;
    bool is_stateful = false;
    if (self->op != NULL || row != NULL) {
        return self->op != NULL ? self->op->is_stateful : *row == '$';
    }
    TF_Status *status = TF_NewStatus();
    if (status != NULL && oribi_binding_find_function(self->graph, self->type, &signature)) {
        while (oribi_wire_next(&signature, &field, status)) {
            is_stateful = is_stateful || (field.number == 17 && field.value != 0);
        }
    }
    TF_DeleteStatus(status);
    return is_stateful;
}

bool oribi_binding_is_known(const char *type)
{
    return outputs_of(type) != NULL;
}

/* An attribute as one of this kind; NULL: it has none, or another one. */
static const oribi_attr *typed(TF_Operation *self, const char *name, uint8_t kind, bool is_list,
                               oribi_attrs *kept)
{
    const oribi_attr_def def = {.name = name, .kind = kind, .is_list = is_list};
    const oribi_binding_attr *attr = oribi_binding_find_attr(self, name);
    TF_Status *status = TF_NewStatus();
    const bool ok =
        attr != NULL && status != NULL &&
        oribi_graphdef_read_attr(self->graph->known, kept, name, &def, attr->value, status);
    TF_DeleteStatus(status);
    return ok ? oribi_attrs_find(kept, name) : NULL;
}

/* As many outputs as `count` says, of each type that the attribute has. */
static bool add_types(TF_Operation *self, char *name, bool is_list, int64_t count,
                      const oribi_shape *shape, TF_Status *status)
{
    oribi_attrs kept = {0};
    char *usual = strchr(name, '/');
    TF_DataType first = usual != NULL ? (TF_DataType)atoi(usual + 1) : 0;
    if (usual != NULL) {
        *usual = '\0';
    }
    const oribi_attr *types = typed(self, name, TF_ATTR_TYPE, is_list, &kept);
    if (types == NULL && usual == NULL && !is_list && self->n_inputs > 0) {
        const oribi_value *input = oribi_binding_value(self->inputs[0], status);
        ORIBI_TRY(input != NULL);
        first = input->dtype;
    }
    if (types == NULL && first == 0) {
        return oribi_fail(status, TF_INVALID_ARGUMENT, "NodeDef missing attr '%s'", name);
    }
    const int32_t n = types != NULL ? types->count : 1;
    for (int64_t i = 0; i < n * count; i++) {
        ORIBI_TRY(oribi_binding_add_output(self, types != NULL ? types->u.type[i % n] : first,
                                           shape, status));
    }
    return true;
}

/* One word of the table. A list has no more outputs than that. */
enum { MOST_COUNTED = 4096 };

static bool add_word(TF_Operation *self, const char *word, size_t length, TF_Status *status)
{
    char name[40] = {0};
    oribi_shape shape = {-1, NULL};
    int64_t count = 1;
    if (*word == '=' && self->n_inputs > 0) {
        const oribi_value *first = oribi_binding_value(self->inputs[0], status);
        ORIBI_TRY(first != NULL);
        shape = first->shape;
    } else if (*word == '!') {
        shape.rank = 0;
    }
    if (*word == '=' || *word == '!') {
        word++;
        length--;
    }
    if (*word == '&') {
        word++;
        length--;
        self->is_reference = true;
    }
    const bool is_list = *word == '*', is_counted = *word == '%';
    memcpy(name, word + is_list + is_counted, length - is_list - is_counted);
    char *type = name;
    if (is_counted) {
        oribi_attrs kept = {0};
        type = strchr(name, ',');
        *type++ = '\0';
        const oribi_attr *attr = typed(self, name, TF_ATTR_INT, false, &kept);
        count = attr != NULL ? attr->u.i[0] : -1;
        ORIBI_TRY((count >= 0 && count <= MOST_COUNTED) ||
                  oribi_fail(status, TF_INVALID_ARGUMENT, "attr '%s' is no number from 0 to %d",
                             name, MOST_COUNTED));
    }
    return *type >= '0' && *type <= '9'
               ? oribi_binding_add_output(self, (TF_DataType)atoi(type), &shape, status)
               : add_types(self, type, is_list, count, &shape, status);
}

/* "@1=3": input 1 has type 3. Not there at all: the importer says so. */
static bool check_input(const TF_Operation *self, const char *word, TF_Status *status)
{
    const int i = atoi(word + 1);
    const TF_DataType wanted = (TF_DataType)atoi(strchr(word, '=') + 1);
    if (i >= self->n_inputs) {
        return true;
    }
    const TF_Output from = self->inputs[i];
    const oribi_value *value = oribi_binding_value(from, status);
    ORIBI_TRY(value != NULL);
    const TF_DataType given = value->dtype;
    return given == wanted || given == (TF_DataType)0 ||
           oribi_fail(status, TF_INVALID_ARGUMENT,
                      "Input %d of node %s was passed %s from %s:%d incompatible with expected %s.",
                      i, self->name, oribi_dtype_name(given), from.oper->name, from.index,
                      oribi_dtype_name(wanted));
}

/* What the node itself says of its shapes. */
static bool add_shapes(TF_Operation *self, const char *name, bool is_list, TF_Status *status)
{
    oribi_attrs kept = {0};
    oribi_graph *known = self->graph->known;
    const oribi_attr *shapes = typed(self, name, TF_ATTR_SHAPE, is_list, &kept);
    for (int32_t i = 0; shapes != NULL && i < shapes->count && i < self->n_outputs; i++) {
        ORIBI_TRY(oribi_graph_merge_shape(known, &shapes->u.shape[i],
                                          &known->values[self->outputs[i]]->shape) ||
                  oribi_fail_memory(status));
    }
    return true;
}

/* The name of the nth word's argument, or of the last one's, which may be a list. */
static oribi_string argument_of(const char *words, int32_t n)
{
    static const oribi_string usual = {"output", 6};
    const char *name = strchr(words, ':');
    for (const char *next = strchr(words, ' '); n > 0 && next != NULL; n--) {
        words = next + 1;
        name = strchr(words, ':');
        next = strchr(words, ' ');
    }
    return name != NULL ? (oribi_string){name + 1, strcspn(name + 1, " ")} : usual;
}

/* An argument of a signature: its name and type, or the attribute that is its type. */
typedef struct argument {
    oribi_string name, attr;
    int64_t type;
} argument;

static bool read_argument(const oribi_wire *signature, const oribi_wire_field *field, argument *out,
                          TF_Status *status)
{
    oribi_wire wire;
    oribi_wire_field part;
    *out = (argument){{"", 0}, {"", 0}, 0};
    ORIBI_TRY(oribi_wire_enter(signature, field, &wire, status));
    while (oribi_wire_next(&wire, &part, status)) {
        ORIBI_TRY(part.number != 1 ||
                  oribi_wire_string(&part, "an argument's name", &out->name, status));
        ORIBI_TRY(part.number != 3 || oribi_wire_int(&part, "a type", &out->type, status));
        ORIBI_TRY(part.number != 4 || oribi_wire_string(&part, "an attribute", &out->attr, status));
    }
    return oribi_ok(status);
}

oribi_string oribi_binding_output_name(const TF_Operation *self, int32_t output, int32_t *out_start)
{
    const char *words = outputs_of(self->type);
    argument found = {{"output", 6}, {"", 0}, 0};
    oribi_wire signature;
    oribi_wire_field field;
    int32_t n = 0;
    *out_start = 0;
    for (int32_t i = 0; self->output_starts != NULL && i < self->op->n_outputs; i++) {
        if (output >= self->output_starts[i] && output < self->output_starts[i + 1]) {
            *out_start = self->output_starts[i];
            return (oribi_string){self->op->outputs[i].name, strlen(self->op->outputs[i].name)};
        }
    }
    if (self->op == NULL && words != NULL) {
        *out_start = strchr(words, ' ') != NULL ? output : 0;
        return argument_of(words, output);
    }
    TF_Status *status = TF_NewStatus();
    if (self->op == NULL && status != NULL &&
        oribi_binding_find_function(self->graph, self->type, &signature)) {
        while (oribi_wire_next(&signature, &field, status)) {
            if (field.number == 3 && n++ == output) {
                (void)read_argument(&signature, &field, &found, status);
                *out_start = output;
            }
        }
    }
    TF_DeleteStatus(status);
    return found.name;
}

/* The type of a call's next output. */
static bool add_result(TF_Operation *self, const argument *from, TF_Status *status)
{
    oribi_attrs kept = {0};
    char name[64] = {0};
    int64_t type = from->type;
    if (from->attr.length > 0 && from->attr.length < sizeof name) {
        memcpy(name, from->attr.data, from->attr.length);
        const oribi_attr *given = typed(self, name, TF_ATTR_TYPE, false, &kept);
        type = given != NULL ? (int64_t)given->u.type[0] : 0;
    }
    return oribi_binding_add_output(self, (TF_DataType)(type > 0 && type < 100 ? type : 0), NULL,
                                    status);
}

bool oribi_binding_settle_call(TF_Operation *self, oribi_wire signature, bool is_strict,
                               TF_Status *status)
{
    oribi_wire_field field;
    argument output;
    int32_t n_inputs = 0;
    while (oribi_wire_next(&signature, &field, status)) {
        n_inputs += field.number == 2;
        ORIBI_TRY(field.number != 3 || (read_argument(&signature, &field, &output, status) &&
                                        add_result(self, &output, status)));
    }
    ORIBI_TRY(oribi_ok(status));
    return !is_strict || n_inputs == self->n_inputs ||
           oribi_fail(status, TF_INVALID_ARGUMENT, "function '%s' takes %d inputs; it gets %d",
                      self->type, (int)n_inputs, (int)self->n_inputs);
}

bool oribi_binding_settle_unknown(TF_Operation *self, int32_t n_read, TF_Status *status)
{
    const char *word = outputs_of(self->type);
    const bool is_known = word != NULL;
    while (is_known && *word != '\0') {
        ORIBI_TRY(*word == '@' ? check_input(self, word, status)
                               : add_word(self, word, strcspn(word, ": "), status));
        word += strcspn(word, " ");
        word += *word == ' ';
    }
    while (!is_known && self->n_outputs < n_read) {
        ORIBI_TRY(oribi_binding_add_output(self, (TF_DataType)0, NULL, status));
    }
    const bool has_shape = is_known && (strstr(self->type, "Variable") != NULL ||
                                        strcmp(self->type, "PlaceholderWithDefault") == 0);
    return (!has_shape || add_shapes(self, "shape", false, status)) &&
           (!is_known || add_shapes(self, "output_shapes", true, status));
}

bool oribi_binding_take_shapes(TF_Operation *self, TF_Status *status)
{
    static const char name[] = "_output_shapes";
    ORIBI_TRY(add_shapes(self, name, true, status));
    for (int32_t i = 0; i < self->n_attrs; i++) {
        if (oribi_string_is(self->attrs[i].name, name)) {
            self->attrs[i] = self->attrs[--self->n_attrs];
            break;
        }
    }
    return true;
}
