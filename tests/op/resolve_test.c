/* SPDX-License-Identifier: Apache-2.0 */
/* From a node's attributes and input types to its whole signature, and the messages on the way. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "op/op_test_support.h"

enum { MAX_TYPES = 6, NO_INT = -99 };

/* One op, one node, and its signature as text ("float,float -> int32") or the message. */
typedef struct resolve_case {
    const char *specs[7];
    TF_DataType inputs[MAX_TYPES]; /* 0 ends; TF_BOOL as a value means a bool input */
    int64_t n;                     /* attr N, or NO_INT */
    TF_DataType t;                 /* attr T, or 0 */
    const char *want;
} resolve_case;

#define SINGLE   "attr T: {float, int32}", "input x: T", "output y: T"
#define REPEATED "attr N: int >= 1", "attr T: type", "input x: N * T", "output y: T"

static const resolve_case cases[] = {
    {{"input x: float", "output y: int32"}, {TF_FLOAT}, NO_INT, 0, "float -> int32"},
    {{SINGLE}, {TF_INT32}, NO_INT, 0, "int32 -> int32"},
    {{SINGLE}, {TF_INT32}, NO_INT, TF_INT32, "int32 -> int32"},
    {{"attr T: type = DT_BOOL", "output y: T"}, {0}, NO_INT, 0, " -> bool"},
    {{REPEATED}, {TF_FLOAT, TF_FLOAT, TF_FLOAT}, NO_INT, 0, "float,float,float -> float"},
    {{REPEATED}, {TF_FLOAT, TF_FLOAT}, 2, TF_FLOAT, "float,float -> float"},
    {{"attr Ts: list(type)", "input x: Ts", "output y: Ts"},
     {TF_FLOAT, TF_INT32},
     NO_INT,
     0,
     "float,int32 -> float,int32"},
    {{"attr Ts: list(type)", "input x: Ts", "input z: bool", "output y: Ts"},
     {TF_FLOAT, TF_INT32, TF_BOOL},
     NO_INT,
     0,
     "float,int32,bool -> float,int32"},
    {{"attr N: int", "input a: N * int32", "input b: N * float", "output y: N * int32"},
     {TF_INT32, TF_INT32, TF_FLOAT, TF_FLOAT},
     NO_INT,
     0,
     "int32,int32,float,float -> int32,int32"},
    {{"attr N: int", "attr M: int >= 0 = 1", "input a: N * int32", "input b: M * float"},
     {TF_INT32, TF_INT32, TF_FLOAT},
     NO_INT,
     0,
     "int32,int32,float -> "},
    {{"attr N: int >= 0", "input a: N * float", "output y: float"}, {0}, NO_INT, 0, " -> float"},
    {{"attr N: int", "output y: N * float"}, {0}, 3, 0, " -> float,float,float"},
    {{"input x: Ref(float)", "output y: Ref(float)"}, {TF_FLOAT}, NO_INT, 0, "float -> float"},
    {{"input x: Ref(float)", "output y: float"},
     {(TF_DataType)(TF_FLOAT + 100)},
     NO_INT,
     0,
     "float -> float"},
    /* refused */
    {{SINGLE}, {TF_BOOL}, NO_INT, 0, "node 'n' (op Resolve), from its inputs: Value for attr 'T'"},
    {{SINGLE},
     {TF_INT32},
     NO_INT,
     TF_FLOAT,
     "node 'n' (op Resolve): input 0 ('x') is int32, expected float (attr 'T')"},
    {{SINGLE}, {TF_INT32}, NO_INT, TF_BOOL, "node 'n' (op Resolve): Value for attr 'T' of bool"},
    {{SINGLE}, {TF_INT32, TF_INT32}, NO_INT, 0, "node 'n': op Resolve takes 1 inputs here, 2 are"},
    {{SINGLE}, {0}, NO_INT, 0, "node 'n': op Resolve takes 1 inputs here, 0 are given"},
    {{"input x: float"},
     {TF_INT32},
     NO_INT,
     0,
     "node 'n' (op Resolve): input 0 ('x') is int32, expected float"},
    {{REPEATED},
     {TF_FLOAT, TF_INT32},
     NO_INT,
     0,
     "node 'n' (op Resolve): input 1 ('x') is int32, expected float (attr 'T')"},
    {{REPEATED}, {TF_FLOAT}, 2, 0, "node 'n': op Resolve takes 2 inputs here, 1 are given"},
    {{REPEATED}, {TF_FLOAT}, 0, 0, "node 'n' (op Resolve): Value for attr 'N' of 0 must be at"},
    {{REPEATED}, {0}, NO_INT, 0, "node 'n' (op Resolve), from its inputs: Value for attr 'N' of 0"},
    {{"attr N: int", "input a: N * int32", "input b: N * float"},
     {TF_INT32, TF_INT32, TF_FLOAT},
     NO_INT,
     0,
     "node 'n': op Resolve takes 0 inputs here, 3 are given"},
    {{"attr N: int", "attr M: int", "input a: N * int32", "input b: M * int32"},
     {TF_INT32, TF_INT32},
     NO_INT,
     0,
     "node 'n' (op Resolve): 2 inputs do not tell attrs 'N' and 'M' apart; set one"},
    {{"attr T: type", "output y: T"},
     {0},
     NO_INT,
     0,
     "node 'n': attr 'T' (type) of op Resolve is missing and has no default"},
    {{"attr a: int", "output y: float"},
     {0},
     NO_INT,
     0,
     "node 'n': attr 'a' (int) of op Resolve is missing"},
    {{"input x: float"}, {TF_FLOAT}, 3, 0, "node 'n': op Resolve has no attr 'N'"},
    {{"attr N: string"},
     {0},
     3,
     0,
     "node 'n' (op Resolve): AttrValue had value with type 'int' when 'string' expected"},
    {{"attr N: int", "output y: N * float"},
     {0},
     INT64_C(1) << 40,
     0,
     "node 'n' (op Resolve): length 1099511627776 of 'y' is out of range"},
};

static void print_types(const TF_DataType *types, int32_t count, oribi_text *text)
{
    for (int32_t i = 0; i < count; i++) {
        oribi_text_printf(text, "%s%s", i > 0 ? "," : "", oribi_dtype_name(types[i]));
    }
}

static void resolve(const resolve_case *c, oribi_text *got, TF_Status *status)
{
    oribi_arena arena = {0};
    oribi_attrs attrs = {0};
    oribi_signature signature;
    int32_t n_inputs = 0;
    while (n_inputs < MAX_TYPES && c->inputs[n_inputs] != 0) {
        n_inputs++;
    }
    if (c->n != NO_INT) {
        oribi_attrs_set_int(&attrs, &arena, "N", c->n);
    }
    if (c->t != 0) {
        oribi_attrs_set_type(&attrs, &arena, "T", c->t);
    }
    oribi_attrs_set_string(&attrs, &arena, "_kernel", "notes of others are no one's business");
    if (oribi_op_resolve(oribi_op_find("Resolve"), "n", &attrs, c->inputs, n_inputs, &arena,
                         &signature, status)) {
        print_types(signature.input_types, signature.n_inputs, got);
        oribi_text_append(got, " -> ");
        print_types(signature.output_types, signature.n_outputs, got);
    } else {
        oribi_text_append(got, TF_Message(status));
    }
    oribi_arena_destroy(&arena);
}

static void nodes_resolve_or_say_why_not(void **state)
{
    (void)state;
    TF_Status *status = TF_NewStatus();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        oribi_text got = {0};
        test_begin(status);
        test_register("Resolve", cases[i].specs, status);
        if (TF_GetCode(status) != TF_OK) {
            fail_msg("case %zu: %s", i, TF_Message(status));
        }

        resolve(&cases[i], &got, status);

        bool refused = TF_GetCode(status) != TF_OK;
        size_t length = refused ? strlen(cases[i].want) : got.length + 1;
        if (strncmp(oribi_text_string(&got), cases[i].want, length) != 0) {
            fail_msg("case %zu: wanted '%s', got '%s'", i, cases[i].want, oribi_text_string(&got));
        }
        assert_true(!refused || TF_GetCode(status) == TF_INVALID_ARGUMENT);
        TF_SetStatus(status, TF_OK, "");
        oribi_text_destroy(&got);
        oribi_op_rollback();
    }
    TF_DeleteStatus(status);
}

static void defaults_are_filled_and_present_values_stay(void **state)
{
    (void)state;
    const char *const specs[] = {"attr a: int = 3", "attr b: list(string) = ['x', 'y']",
                                 "attr c: float = 0.5", "attr d: list(int) = [1]", NULL};
    TF_Status *status = TF_NewStatus();
    oribi_arena arena = {0};
    oribi_attrs attrs = {0};
    oribi_signature signature;
    test_begin(status);
    test_register("Defaults", specs, status);
    assert_true(oribi_attrs_set_int(&attrs, &arena, "a", 7));
    oribi_attr empty = {.name = "d", .kind = TF_ATTR_STRING, .is_list = true}; /* of no kind */
    assert_true(oribi_attrs_set(&attrs, &arena, &empty));

    assert_true(oribi_op_resolve(oribi_op_find("Defaults"), "n", &attrs, NULL, 0, &arena,
                                 &signature, status));

    assert_int_equal(attrs.count, 4);
    assert_int_equal(oribi_attrs_find(&attrs, "a")->u.i[0], 7);
    assert_int_equal(oribi_attrs_find(&attrs, "b")->count, 2);
    assert_string_equal(oribi_attrs_find(&attrs, "b")->u.s[1].data, "y");
    assert_true(oribi_attrs_find(&attrs, "c")->u.f[0] == 0.5f);
    assert_int_equal(oribi_attrs_find(&attrs, "d")->count, 0);
    assert_int_equal(oribi_attrs_find(&attrs, "d")->kind, TF_ATTR_INT);
    assert_int_equal(signature.n_inputs + signature.n_outputs, 0);
    oribi_arena_destroy(&arena);
    oribi_op_rollback();
    TF_DeleteStatus(status);
}

static void arguments_start_where_the_signature_says(void **state)
{
    (void)state;
    const char *const specs[] = {"attr N: int",
                                 "input a: float",
                                 "input b: N * int32",
                                 "input c: bool",
                                 "output y: N * float",
                                 "output z: int32",
                                 NULL};
    const TF_DataType types[] = {TF_FLOAT, TF_INT32, TF_INT32, TF_BOOL};
    TF_Status *status = TF_NewStatus();
    oribi_arena arena = {0};
    oribi_attrs attrs = {0};
    oribi_signature s;
    test_begin(status);
    test_register("Starts", specs, status);

    assert_true(
        oribi_op_resolve(oribi_op_find("Starts"), "n", &attrs, types, 4, &arena, &s, status));

    const int32_t inputs[] = {0, 1, 3, 4}, outputs[] = {0, 2, 3};
    assert_memory_equal(s.input_arg_start, inputs, sizeof inputs);
    assert_memory_equal(s.output_arg_start, outputs, sizeof outputs);
    oribi_arena_destroy(&arena);
    oribi_op_rollback();
    TF_DeleteStatus(status);
}

static void attributes_are_copied_replaced_and_compared(void **state)
{
    (void)state;
    oribi_arena arena = {0};
    oribi_attrs attrs = {0}, others = {0};
    char text[] = "before";
    assert_true(oribi_attrs_set_string(&attrs, &arena, "s", text));
    text[0] = 'X';
    assert_string_equal(oribi_attrs_find(&attrs, "s")->u.s[0].data, "before");

    for (int i = 0; i < 40; i++) { /* grows past its first capacity */
        char name[8];
        snprintf(name, sizeof name, "a%d", i);
        assert_true(oribi_attrs_set_int(&attrs, &arena, name, i));
    }
    assert_true(oribi_attrs_set_int(&attrs, &arena, "a7", 70));

    assert_int_equal(attrs.count, 41);
    assert_int_equal(oribi_attrs_find(&attrs, "a7")->u.i[0], 70);
    assert_null(oribi_attrs_find(&attrs, "a"));
    const int64_t ints[] = {1, 2};
    assert_true(oribi_attrs_set_ints(&attrs, &arena, "l", ints, 2));
    assert_true(oribi_attrs_set_ints(&others, &arena, "l", ints, 2));
    assert_true(oribi_attr_equal(oribi_attrs_find(&attrs, "l"), oribi_attrs_find(&others, "l")));
    assert_true(oribi_attrs_set_ints(&others, &arena, "l", ints, 1));
    assert_false(oribi_attr_equal(oribi_attrs_find(&attrs, "l"), oribi_attrs_find(&others, "l")));
    oribi_arena_destroy(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nodes_resolve_or_say_why_not),
        cmocka_unit_test(defaults_are_filled_and_present_values_stay),
        cmocka_unit_test(arguments_start_where_the_signature_says),
        cmocka_unit_test(attributes_are_copied_replaced_and_compared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
