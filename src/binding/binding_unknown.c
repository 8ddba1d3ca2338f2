/* SPDX-License-Identifier: Apache-2.0 */
/* Which outputs have ops that nothing registers? TensorFlow's models keep beside what runs what
 * saves, restores and initialises them, and the importer makes control flow, variables and tables
 * in its own way (import/tensorflow): here are their outputs, so that graphs can be asked.
 */
#include <stdlib.h>
#include <string.h>

#include "binding/binding.h"
#include "import/graphdef/graphdef_attr.h"

/* Outputs in order: an attribute that is a type, "*" before one that lists types, or a type's
 * number; before it "=": of the shape of input 0, "!": of no dimensions, "&": variables of the
 * older kind. */
static const struct {
    const char *op, *outputs;
} table[] = {
    {"Assert", ""},
    {"Assign", "=&T"},
    {"AssignAdd", "=&T"},
    {"AssignSub", "=&T"},
    {"Case", "*Tout"},
    {"CheckNumerics", "=T"},
    {"DestroyResourceOp", ""},
    {"DisableCopyOnRead", ""},
    {"EnsureShape", "T"},
    {"Enter", "=T"},
    {"Exit", "=T"},
    {"HashTable", "&7"},
    {"HashTableV2", "!20"},
    {"IdentityN", "*T"},
    {"If", "*Tout"},
    {"InitializeTable", ""},
    {"InitializeTableFromTextFile", ""},
    {"InitializeTableFromTextFileV2", ""},
    {"InitializeTableV2", ""},
    {"LookupTableExportV2", "Tkeys Tvalues"},
    {"LookupTableFind", "Tout"},
    {"LookupTableFindV2", "Tout"},
    {"LookupTableImportV2", ""},
    {"LookupTableInsertV2", ""},
    {"LookupTableSizeV2", "!9"},
    {"LoopCond", "!10"},
    {"Merge", "T !3"},
    {"MergeV2Checkpoints", ""},
    {"MutableHashTableV2", "!20"},
    {"NextIteration", "=T"},
    {"PartitionedCall", "*Tout"},
    {"PlaceholderWithDefault", "dtype"},
    {"ReadFile", "7"},
    {"ResourceGather", "dtype"},
    {"RestoreV2", "*dtypes"},
    {"SaveV2", ""},
    {"ShardedFilename", "!7"},
    {"StatefulPartitionedCall", "*Tout"},
    {"StatelessCase", "*Tout"},
    {"StatelessIf", "*Tout"},
    {"StatelessWhile", "*T"},
    {"Switch", "=T =T"},
    {"TensorListFromTensor", "21"},
    {"TensorListGetItem", "element_dtype"},
    {"TensorListLength", "!3"},
    {"TensorListReserve", "21"},
    {"TensorListSetItem", "21"},
    {"TensorListStack", "element_dtype"},
    {"Variable", "&dtype"},
    {"VariableV2", "&dtype"},
    {"While", "*T"},
};

static const char *outputs_of(const char *type)
{
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        if (strcmp(table[i].op, type) == 0) {
            return table[i].outputs;
        }
    }
    return NULL;
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

static bool add_types(TF_Operation *self, const char *name, bool is_list, const oribi_shape *shape,
                      TF_Status *status)
{
    oribi_attrs kept = {0};
    const oribi_attr *types = typed(self, name, TF_ATTR_TYPE, is_list, &kept);
    if (types == NULL) {
        return oribi_fail(status, TF_INVALID_ARGUMENT, "NodeDef missing attr '%s'", name);
    }
    for (int32_t i = 0; i < types->count; i++) {
        ORIBI_TRY(oribi_binding_add_output(self, types->u.type[i], shape, status));
    }
    return true;
}

/* One word of the table. */
static bool add_word(TF_Operation *self, const char *word, size_t length, TF_Status *status)
{
    char name[32] = {0};
    oribi_shape shape = {-1, NULL};
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
    const bool is_list = *word == '*';
    memcpy(name, word + is_list, length - is_list);
    return *name >= '0' && *name <= '9'
               ? oribi_binding_add_output(self, (TF_DataType)atoi(name), &shape, status)
               : add_types(self, name, is_list, &shape, status);
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

bool oribi_binding_settle_unknown(TF_Operation *self, int32_t n_read, TF_Status *status)
{
    const char *word = outputs_of(self->type);
    const bool is_known = word != NULL;
    while (is_known && *word != '\0') {
        const size_t length = strcspn(word, " ");
        ORIBI_TRY(add_word(self, word, length, status));
        word += length + (word[length] == ' ');
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
