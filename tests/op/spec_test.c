/* SPDX-License-Identifier: Apache-2.0 */
/* The op-spec language: what it accepts, what it means, and what it says about mistakes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "op/op_test_support.h"

/* One definition, its printed form (which parses back to the same), or the error. */
typedef struct spec_case {
    const char *specs[6];
    const char *want; /* lines after the name */
} spec_case;

static const spec_case good[] = {
    {{"input x: float"}, "  input x: float\n"},
    {{"input  x :  float "}, "  input x: float\n"},
    {{"input x: float32", "input y: float64"}, "  input x: float\n  input y: double\n"},
    {{"input x: Ref(float)"}, "  input x: Ref(float)\n"},
    {{"input x: Ref ( float ) "}, "  input x: Ref(float)\n"},
    {{"attr T: type", "input x: T", "output y: T"},
     "  input x: T\n  output y: T\n  attr T: type\n"},
    {{"attr T: type", "input x: Ref(T)"}, "  input x: Ref(T)\n  attr T: type\n"},
    {{"attr N: int", "attr T: type", "input x: N * T"},
     "  input x: N * T\n  attr N: int >= 1\n  attr T: type\n"},
    {{"attr N: int >= 3", "input x: N*float"}, "  input x: N * float\n  attr N: int >= 3\n"},
    {{"attr N: int >= 0", "input x: N*float"}, "  input x: N * float\n  attr N: int >= 0\n"},
    {{"attr Ts: list(type)", "input x: Ts"}, "  input x: Ts\n  attr Ts: list(type) >= 1\n"},
    {{"attr Ts: list(type) >= 0 = []", "input x: Ts"},
     "  input x: Ts\n  attr Ts: list(type) >= 0 = []\n"},
    {{"input x: N*T", "attr T:{half,float}", "attr N:int"}, /* attributes first, in any order */
     "  input x: N * T\n  attr T: {half, float}\n  attr N: int >= 1\n"},
    {{"attr T: { int32 , float , } "}, "  attr T: {int32, float}\n"},
    {{"attr T: list({int32, bool})"}, "  attr T: list({int32, bool})\n"},
    {{"attr T: {bfloat16, float, quantizedtype}"},
     "  attr T: {bfloat16, float, qint8, quint8, qint32, qint16, quint16}\n"},
    {{"attr T: quantizedtype"}, "  attr T: {qint8, quint8, qint32, qint16, quint16}\n"},
    {{"attr T: realnumbertype"},
     "  attr T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, "
     "uint64}\n"},
    {{"attr T: numbertype"},
     "  attr T: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, "
     "qint32, bfloat16, qint16, quint16, uint16, complex128, half, uint32, uint64}\n"},
    {{"attr s: {'a', \"b c\", '', 'it\\'s'} = ''"}, "  attr s: {'a', 'b c', '', 'it\\'s'} = ''\n"},
    {{"attr s: string = 'a\\n\\x41\\102' \"z\""}, "  attr s: string = 'a\\012ABz'\n"},
    {{"attr s: list(string) = ['a', 'b']"}, "  attr s: list(string) = ['a', 'b']\n"},
    {{"attr i: int = -7"}, "  attr i: int = -7\n"},
    {{"attr i: int = 0x10"}, "  attr i: int = 16\n"},
    {{"attr i: int >= -2 = -2"}, "  attr i: int >= -2 = -2\n"},
    {{"attr i: int = 9223372036854775807"}, "  attr i: int = 9223372036854775807\n"},
    {{"attr i: int = -9223372036854775808"}, "  attr i: int = -9223372036854775808\n"},
    {{"attr i: list(int) = [1, 2,-3]"}, "  attr i: list(int) = [1, 2, -3]\n"},
    {{"attr i: list(int) >= 2 = [1, 2]"}, "  attr i: list(int) >= 2 = [1, 2]\n"},
    {{"attr f: float = 1e-4"}, "  attr f: float = 9.99999975e-05\n"},
    {{"attr f: float = -1.5f"}, "  attr f: float = -1.5\n"},
    {{"attr f: float = 3"}, "  attr f: float = 3\n"},
    {{"attr f: float = -inf"}, "  attr f: float = -inf\n"},
    {{"attr f: list(float) = []"}, "  attr f: list(float) = []\n"},
    {{"attr b: bool = true"}, "  attr b: bool = true\n"},
    {{"attr b: list(bool) = [false,true]"}, "  attr b: list(bool) = [false, true]\n"},
    {{"attr t: type = DT_FLOAT"}, "  attr t: type = DT_FLOAT\n"},
    {{"attr t: {float, half} = DT_HALF"}, "  attr t: {float, half} = DT_HALF\n"},
    {{"attr t: list(type) = [DT_INT32, DT_BOOL]"}, "  attr t: list(type) = [DT_INT32, DT_BOOL]\n"},
    {{"attr s: shape = {}"}, "  attr s: shape = { }\n"},
    {{"attr s: shape = { unknown_rank: true }"}, "  attr s: shape = { unknown_rank: true }\n"},
    {{"attr s: shape = { dim { size: 3 } dim { size: -1 } }"},
     "  attr s: shape = { dim { size: 3 } dim { size: -1 } }\n"},
    {{"attr s: shape = < dim: < size: 3 >, dim { size: 1 name: 'n' }; >"},
     "  attr s: shape = { dim { size: 3 } dim { size: 1 } }\n"},
    {{"attr s: list(shape) = [{}, {dim {size: 2}}]"},
     "  attr s: list(shape) = [{ }, { dim { size: 2 } }]\n"},
    {{"attr t: tensor = { dtype: DT_INT32 tensor_shape {} int_val: 1 }"},
     "  attr t: tensor = { dtype: DT_INT32 tensor_shape { } ... }\n"},
    {{"attr f: func"}, "  attr f: func\n"},
    {{"attr f: func = { name: 'g' }"}, "  attr f: func = { name: 'g' }\n"},
    {{"attr f: list(func) = []"}, "  attr f: list(func) = []\n"},
};

static const spec_case bad[] = {
    {{"input X: float"}, "Trouble parsing 'name:' from Input(\"X: float\") for Op Spec"},
    {{"input x float"}, "Trouble parsing 'name:' from Input(\"x float\") for Op Spec"},
    {{"output x: Tx"}, "Reference to unknown attr 'Tx' from Output(\"x: Tx\") for Op Spec"},
    {{"input x: M*float"}, "Reference to unknown attr 'M' from Input(\"x: M*float\") for Op Spec"},
    {{"attr M: float", "input x: M*float"},
     "Reference to attr 'M' with type float that isn't int from Input(\"x: M*float\")"},
    {{"attr T: int", "input x: T"}, "Reference to attr 'T' with type int that isn't type or list"},
    {{"attr N: int", "attr T: list(type)", "input x: N*T"},
     "Reference to attr 'T' with type list(type) that isn't type from"},
    {{"input x: Ref(float"},
     "Did not find closing ')' for 'Ref(', instead found: '' from Input(\"x: Ref(float\")"},
    {{"input x: Ref(float]"}, "Did not find closing ')' for 'Ref(', instead found: ']'"},
    {{"input x: float junk"}, "Extra 'junk' unparsed at the end from Input(\"x: float junk\")"},
    {{"input x: 3"}, "Trouble parsing either a type or an attr name at '3'"},
    {{"attr 3: int"}, "Trouble parsing '<name>:' from Attr(\"3: int\") for Op Spec"},
    {{"attr a int"}, "Trouble parsing '<name>:' from Attr(\"a int\") for Op Spec"},
    {{"attr a: int32"}, "Extra '32' unparsed at the end from Attr(\"a: int32\") for Op Spec"},
    {{"attr a: number"}, "Trouble parsing type string at 'number' from Attr(\"a: number\")"},
    {{"attr a: {foo}"}, "Unrecognized type string 'foo' from Attr(\"a: {foo}\")"},
    {{"attr a: {float; int32}"}, "Expected , or } after types in list, not: '; int32}'"},
    {{"attr a: {'x' 'y'}"}, "Expected , or } after strings in list, not: ''y'}'"},
    {{"attr a: {'x', 3}"}, "Trouble parsing allowed string at '3}'"},
    {{"attr a: {'x}"}, "Trouble parsing allowed string at ''x}'"},
    {{"attr a: list(int"}, "Expected ) to close 'list(', not: '' from Attr(\"a: list(int\")"},
    {{"attr a: list(int]"}, "Expected ) to close 'list(', not: ']'"},
    {{"attr a: list int"}, "Trouble parsing type string at 'list"},
    {{"attr a: int >= b"},
     "Could not parse integer lower limit after '>=', found 'b' instead from Attr"},
    {{"attr a: int >= 99999999999999999999"}, "Could not parse integer lower limit after '>='"},
    {{"attr a: int = 3.5"}, "Could not parse default value '3.5' from Attr(\"a: int = 3.5\")"},
    {{"attr a: int = "}, "Could not parse default value '' from"},
    {{"attr a: int = 9223372036854775808"}, "Could not parse default value '92233720368547"},
    {{"attr a: list(int) = 3"}, "Could not parse default value '3'"},
    {{"attr a: list(int) = [1, 2"}, "Could not parse default value '[1, 2'"},
    {{"attr a: list(int) = [1 2]"}, "Could not parse default value '[1 2]'"},
    {{"attr a: int = [1]"}, "Could not parse default value '[1]'"},
    {{"attr a: string = x"}, "Could not parse default value 'x'"},
    {{"attr a: string = 'x"}, "Could not parse default value ''x'"},
    {{"attr a: string = '\\q'"}, "Could not parse default value ''\\q''"},
    {{"attr a: float = fast"}, "Could not parse default value 'fast'"},
    {{"attr a: bool = yes"}, "Could not parse default value 'yes'"},
    {{"attr a: type = float"}, "Could not parse default value 'float'"},
    {{"attr a: type = DT_NOPE"}, "Could not parse default value 'DT_NOPE'"},
    {{"attr a: shape = { dim { size: -2 } }"}, "Could not parse default value '{ dim"},
    {{"attr a: shape = { unknown_rank: true dim { size: 1 } }"}, "Could not parse default value"},
    {{"attr a: shape = { dimension { } }"}, "Could not parse default value"},
    {{"attr a: tensor = { }"}, "Could not parse default value '{ }'"},
    {{"attr a: tensor = { dtype: DT_INT32 tensor_shape {} float_val: 1 }"}, "Could not parse"},
    {{"attr a: tensor = { dtype: DT_INT32 tensor_shape { dim { size: 99999999999 } } }"},
     "Could not parse default value"},
    {{"attr a: tensor = { dtype: DT_INT32 tensor_shape {} int_val: [1, 2] }"}, "Could not parse"},
    {{"attr a: tensor = { dtype: DT_INT32 tensor_shape {} tensor_content: 'abc' }"},
     "Could not parse default value"},
    {{"attr a: func = { attr { } }"}, "Could not parse default value"},
    /* the whole definition */
    {{"attr a: int", "attr a: int"}, "Duplicate name: a; in OpDef: Spec"},
    {{"attr a: int", "input a: float"}, "Duplicate name: a; in OpDef: Spec"},
    {{"input a: float", "output a: float"}, "Duplicate name: a; in OpDef: Spec"},
    {{"attr float: int"}, "Attr can't have name float that matches a data type; in OpDef:"},
    {{"attr a: string >= 1"}, "Attr 'a' with minimum for unsupported type string; in OpDef:"},
    {{"attr a: list(int) >= -1"},
     "Attr 'a' with list type must have a non-negative minimum, not -1; in OpDef:"},
    {{"attr a: int >= 1 = 0"}, "Value for attr 'a' of 0 must be at least minimum 1; in OpDef:"},
    {{"attr a: list(int) >= 2 = [1]"},
     "Length for attr 'a' of 1 must be at least minimum 2; in OpDef:"},
    {{"attr a: {float, double} = DT_STRING"},
     "Value for attr 'a' of string is not in the list of allowed values: float, double; in OpDef:"},
    {{"attr a: {'foo', 'bar'} = 'baz'"},
     "Value for attr 'a' of \"baz\" is not in the list of allowed values: \"foo\", \"bar\"; in"},
    {{"attr a: list({float}) = [DT_FLOAT, DT_INT32]"},
     "Value for attr 'a' of int32 is not in the list of allowed values: float; in OpDef:"},
};

static void check_printed(const oribi_op_def *op, const char *want)
{
    oribi_text text = {0};
    oribi_op_print(op, &text);
    assert_memory_equal(oribi_text_string(&text), "Spec\n", 5);
    assert_string_equal(oribi_text_string(&text) + 5, want);
    oribi_text_destroy(&text);
}

static void good_specs_mean_what_they_say(void **state)
{
    (void)state;
    TF_Status *status = TF_NewStatus();
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        test_begin(status);
        test_register("Spec", good[i].specs, status);
        if (TF_GetCode(status) != TF_OK) {
            fail_msg("case %zu '%s': %s", i, good[i].specs[0], TF_Message(status));
        }

        check_printed(oribi_op_find("Spec"), good[i].want);
        oribi_op_rollback();
    }
    TF_DeleteStatus(status);
}

static void printed_definitions_parse_back_to_the_same(void **state)
{
    (void)state;
    TF_Status *status = TF_NewStatus();
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        char lines[512];
        const char *specs[8] = {NULL};
        int n = 0;
        if (strstr(good[i].want, "...") != NULL) {
            continue; /* tensors are cut in print */
        }
        snprintf(lines, sizeof lines, "%s", good[i].want);
        for (char *line = strtok(lines, "\n"); line != NULL; line = strtok(NULL, "\n")) {
            specs[n++] = line + 2;
        }
        test_begin(status);
        test_register("Spec", specs, status);
        if (TF_GetCode(status) != TF_OK) {
            fail_msg("case %zu '%s': %s", i, specs[0], TF_Message(status));
        }

        check_printed(oribi_op_find("Spec"), good[i].want);
        oribi_op_rollback();
    }
    TF_DeleteStatus(status);
}

static void bad_specs_are_refused_with_the_offending_text(void **state)
{
    (void)state;
    TF_Status *status = TF_NewStatus();
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        TF_SetStatus(status, TF_OK, "");
        test_register("Spec", bad[i].specs, status);

        assert_int_equal(TF_GetCode(status), TF_INVALID_ARGUMENT);
        if (strstr(TF_Message(status), bad[i].want) != TF_Message(status)) {
            fail_msg("case %zu: wanted '%s', got '%s'", i, bad[i].want, TF_Message(status));
        }
        assert_null(oribi_op_find("Spec"));
    }
    TF_DeleteStatus(status);
}

static void every_mistake_is_reported_at_once(void **state)
{
    (void)state;
    const char *specs[] = {"input x: U", "attr a: nonsense", "output y: float z", NULL};
    TF_Status *status = TF_NewStatus();

    test_register("Spec", specs, status);

    assert_string_equal(TF_Message(status),
                        "Trouble parsing type string at 'nonsense' from Attr(\"a: nonsense\") for "
                        "Op Spec\nReference to unknown attr 'U' from Input(\"x: U\") for Op Spec\n"
                        "Extra 'z' unparsed at the end from Output(\"y: float z\") for Op Spec");
    TF_DeleteStatus(status);
}

static void a_broken_attr_brings_no_second_message_for_its_uses(void **state)
{
    (void)state;
    const char *specs[] = {"attr T: nonsense", "input x: T", NULL};
    TF_Status *status = TF_NewStatus();

    test_register("Spec", specs, status);

    assert_null(strchr(TF_Message(status), '\n'));
    TF_DeleteStatus(status);
}

static void op_names_follow_the_rules(void **state)
{
    (void)state;
    static const char *const accepted[] = {
        "Abc", "A", "A_b1", "Com>Acme>Foo", "ONNX>Resize", "_Internal", "_FusedConv2D"};
    static const char *const refused[] = {"abc", "", "3A", "A-b", "A>", ">A", "A>b", "A b", "_a-b"};
    const char *specs[] = {NULL};
    TF_Status *status = TF_NewStatus();
    for (size_t i = 0; i < sizeof accepted / sizeof accepted[0]; i++) {
        test_begin(status);
        test_register(accepted[i], specs, status);
        assert_int_equal(TF_GetCode(status), TF_OK);
        oribi_op_rollback();
    }
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        test_register(refused[i], specs, status);
        assert_int_equal(TF_GetCode(status), TF_INVALID_ARGUMENT);
        assert_non_null(strstr(TF_Message(status), "(Did you use CamelCase?)"));
    }
    TF_DeleteStatus(status);
}

static const TF_Tensor *default_tensor(const char *spec, TF_Status *status)
{
    const char *specs[] = {spec, NULL};
    test_register("Spec", specs, status);
    if (TF_GetCode(status) != TF_OK) {
        fail_msg("%s: %s", spec, TF_Message(status));
    }
    return oribi_op_find("Spec")->attrs[0].default_value->u.tensor[0];
}

static void default_tensors_hold_their_values(void **state)
{
    (void)state;
    TF_Status *status = TF_NewStatus();

    test_begin(status);
    const TF_Tensor *ints = default_tensor(
        "attr t: tensor = { dtype: DT_INT32 tensor_shape { dim { size: 3 } } int_val: 1 "
        "int_val: -2 }",
        status);
    const int32_t want_ints[] = {1, -2, -2}; /* the last value repeats */
    assert_memory_equal(TF_TensorData(ints), want_ints, sizeof want_ints);
    oribi_op_rollback();

    test_begin(status);
    const TF_Tensor *bytes = default_tensor(
        "attr t: tensor = { dtype: DT_UINT8 tensor_shape { dim { size: 2 } } int_val: [7, 255] }",
        status);
    const uint8_t want_bytes[] = {7, 255};
    assert_memory_equal(TF_TensorData(bytes), want_bytes, sizeof want_bytes);
    oribi_op_rollback();

    test_begin(status);
    const TF_Tensor *complex = default_tensor(
        "attr t: tensor = { dtype: DT_COMPLEX64 tensor_shape { } scomplex_val: [1.5, -2] }",
        status);
    const float want_complex[] = {1.5f, -2.0f};
    assert_memory_equal(TF_TensorData(complex), want_complex, sizeof want_complex);
    oribi_op_rollback();

    test_begin(status);
    const TF_Tensor *content =
        default_tensor("attr t: tensor = { dtype: DT_INT16 tensor_shape { dim { size: 2 } } "
                       "tensor_content: '\\001\\000\\377\\377' }",
                       status);
    const int16_t want_content[] = {1, -1};
    assert_memory_equal(TF_TensorData(content), want_content, sizeof want_content);
    oribi_op_rollback();

    test_begin(status);
    const TF_Tensor *strings =
        default_tensor("attr t: tensor = { dtype: DT_STRING tensor_shape { dim { size: 2 } } "
                       "string_val: 'a string that is longer than the small form' }",
                       status);
    const TF_TString *text = TF_TensorData(strings);
    assert_int_equal(TF_StringGetSize(&text[1]), 43);
    assert_memory_equal(TF_StringGetDataPointer(&text[1]), "a string that", 13);
    oribi_op_rollback();
    TF_DeleteStatus(status);
}

static void shape_fn(TF_ShapeInferenceContext *ctx, TF_Status *status)
{
    TF_ShapeInferenceContextSetUnknownShape(ctx, status);
}

static void flags_follow_their_argument_and_second_calls_are_errors(void **state)
{
    (void)state;
    TF_Status *status = TF_NewStatus();
    test_begin(status);
    TF_OpDefinitionBuilder *builder = TF_NewOpDefinitionBuilder("Flags");
    TF_OpDefinitionBuilderSetIsCommutative(builder, true);
    TF_OpDefinitionBuilderSetIsAggregate(builder, false);
    TF_OpDefinitionBuilderSetIsAggregate(builder, true);
    TF_OpDefinitionBuilderSetIsStateful(builder, true);
    TF_OpDefinitionBuilderSetIsStateful(builder, false);
    TF_OpDefinitionBuilderSetAllowsUninitializedInput(builder, true);
    TF_OpDefinitionBuilderDeprecated(builder, 9, "use Flags2");
    TF_RegisterOpDefinition(builder, status);
    assert_int_equal(TF_GetCode(status), TF_OK);
    const oribi_op_def *op = oribi_op_find("Flags");
    assert_true(op->is_commutative && op->is_aggregate && !op->is_stateful &&
                op->allows_uninitialized_input);
    assert_int_equal(op->deprecation_version, 9);
    assert_string_equal(op->deprecation_explanation, "use Flags2");
    oribi_op_rollback();

    builder = TF_NewOpDefinitionBuilder("Twice");
    TF_OpDefinitionBuilderDeprecated(builder, 9, "a");
    TF_OpDefinitionBuilderDeprecated(builder, 9, "b");
    TF_OpDefinitionBuilderSetShapeInferenceFunction(builder, shape_fn);
    TF_OpDefinitionBuilderSetShapeInferenceFunction(builder, shape_fn);
    TF_RegisterOpDefinition(builder, status);
    assert_string_equal(
        TF_Message(status),
        "Deprecated called twice for Op Twice\nSetShapeFn called twice for Op Twice");
    TF_DeleteStatus(status);
}

static void docs_are_split_into_summary_description_and_blocks(void **state)
{
    (void)state;
    TF_Status *status = TF_NewStatus();
    test_begin(status);
    TF_OpDefinitionBuilder *builder = TF_NewOpDefinitionBuilder("Doc");
    TF_OpDefinitionBuilderAddInput(builder, "x: float");
    TF_OpDefinitionBuilderAddAttr(builder, "a: int");
    TF_OpDefinitionBuilderDoc(builder, "\nSums it up.\n\nLonger\ntext.\n\nx: the input\n  goes on\n"
                                       "a: a number\n");
    TF_RegisterOpDefinition(builder, status);
    assert_int_equal(TF_GetCode(status), TF_OK);
    const oribi_op_def *op = oribi_op_find("Doc");
    assert_string_equal(op->summary, "Sums it up.");
    assert_string_equal(op->description, "Longer\ntext.");
    assert_string_equal(op->inputs[0].description, "the input\n  goes on");
    assert_string_equal(op->attrs[0].description, "a number");
    oribi_op_rollback();

    builder = TF_NewOpDefinitionBuilder("Doc");
    TF_OpDefinitionBuilderDoc(builder, "Sum.\n\nnope: text\n");
    TF_RegisterOpDefinition(builder, status);
    assert_int_equal(TF_GetCode(status), TF_INVALID_ARGUMENT);
    assert_non_null(strstr(TF_Message(status), "'nope'"));
    TF_DeleteStatus(status);
}

static int n_deleted;
static void count_delete(void *data)
{
    assert_ptr_equal(data, &n_deleted);
    n_deleted++;
}

static void data_fn(void *data, TF_ShapeInferenceContext *ctx, TF_Status *status)
{
    (void)data;
    TF_ShapeInferenceContextSetUnknownShape(ctx, status);
}

static void shape_data_is_deleted_unless_the_op_is_registered(void **state)
{
    (void)state;
    TF_Status *status = TF_NewStatus();
    n_deleted = 0;

    TF_OpDefinitionBuilder *builder = TF_NewOpDefinitionBuilder("Data");
    TF_OpDefinitionBuilderSetShapeInferenceFunctionWithData(builder, data_fn, &n_deleted,
                                                            count_delete);
    TF_DeleteOpDefinitionBuilder(builder);
    assert_int_equal(n_deleted, 1);

    builder = TF_NewOpDefinitionBuilder("bad");
    TF_OpDefinitionBuilderSetShapeInferenceFunctionWithData(builder, data_fn, &n_deleted,
                                                            count_delete);
    TF_RegisterOpDefinition(builder, status);
    assert_int_equal(n_deleted, 2);

    builder = TF_NewOpDefinitionBuilder("KeptData");
    TF_OpDefinitionBuilderSetShapeInferenceFunctionWithData(builder, data_fn, &n_deleted,
                                                            count_delete);
    TF_RegisterOpDefinition(builder, status);
    assert_int_equal(TF_GetCode(status), TF_OK);
    assert_int_equal(n_deleted, 2);
    TF_DeleteOpDefinitionBuilder(NULL);
    TF_DeleteStatus(status);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(good_specs_mean_what_they_say),
        cmocka_unit_test(printed_definitions_parse_back_to_the_same),
        cmocka_unit_test(bad_specs_are_refused_with_the_offending_text),
        cmocka_unit_test(every_mistake_is_reported_at_once),
        cmocka_unit_test(a_broken_attr_brings_no_second_message_for_its_uses),
        cmocka_unit_test(op_names_follow_the_rules),
        cmocka_unit_test(default_tensors_hold_their_values),
        cmocka_unit_test(flags_follow_their_argument_and_second_calls_are_errors),
        cmocka_unit_test(docs_are_split_into_summary_description_and_blocks),
        cmocka_unit_test(shape_data_is_deleted_unless_the_op_is_registered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
