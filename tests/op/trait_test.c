/* SPDX-License-Identifier: Apache-2.0 */
/* Traits of an op: what the specs mean for a node, what is said about mistakes, and that they are
 * no part of an op's identity.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "op/op_test_support.h"
#include "op/op_proto.h"
#include "support/fail_nth.h"
#include "op/traits.h"
#include "tensorflow/c/op_traits.h"

enum { NONE = -1 };

static TF_OpDefinitionBuilder *begin_op(const char *name)
{
    TF_OpDefinitionBuilder *builder = TF_NewOpDefinitionBuilder(name);
    TF_OpDefinitionBuilderAddInput(builder, "x: T");
    TF_OpDefinitionBuilderAddInput(builder, "parts: N * T");
    TF_OpDefinitionBuilderAddInput(builder, "axes: int32");
    TF_OpDefinitionBuilderAddInput(builder, "more: int32");
    TF_OpDefinitionBuilderAddOutput(builder, "y: T");
    TF_OpDefinitionBuilderAddAttr(builder, "T: type");
    TF_OpDefinitionBuilderAddAttr(builder, "U: type = DT_FLOAT");
    TF_OpDefinitionBuilderAddAttr(builder, "N: int >= 0");
    TF_OpDefinitionBuilderAddAttr(builder, "axis: int = 2");
    TF_OpDefinitionBuilderAddAttr(builder, "keep: bool = false");
    TF_OpDefinitionBuilderAddAttr(builder, "data_format: {'NHWC', 'NCHW'} = 'NHWC'");
    return builder;
}

/* The traits of a node of two parts, whose axes are input 3 then. */
static oribi_traits traits_of(const char *name, TF_DataType type, const char *attr, int64_t value)
{
    oribi_traits traits;
    oribi_arena arena = {0};
    oribi_attrs attrs = {0};
    oribi_signature signature;
    TF_Status *status = TF_NewStatus();
    const oribi_op_def *op = oribi_op_find(name);
    assert_non_null(op);
    assert_true(oribi_attrs_set_type(&attrs, &arena, "T", type));
    assert_true(oribi_attrs_set_int(&attrs, &arena, "N", 2));
    if (attr != NULL && value < 2 && strcmp(attr, "axis") != 0) {
        assert_true(oribi_attrs_set_bool(&attrs, &arena, attr, value != 0));
    } else if (attr != NULL) {
        assert_true(oribi_attrs_set_int(&attrs, &arena, attr, value));
    }
    assert_true(oribi_op_resolve(op, "node", &attrs, NULL, 0, &arena, &signature, status));

    oribi_op_traits(op, &attrs, &signature, &traits);

    assert_true(oribi_op_is(op, &attrs, traits.is));
    assert_int_equal(oribi_op_is(op, &attrs, ORIBI_TRAIT_TELLS),
                     (traits.is & ORIBI_TRAIT_TELLS) != 0);
    oribi_arena_destroy(&arena);
    TF_DeleteStatus(status);
    return traits;
}

static oribi_traits define(const char *spec, TF_DataType type, const char *attr, int64_t value)
{
    TF_Status *status = TF_NewStatus();
    TF_OpDefinitionBuilder *builder = begin_op("Traited");
    test_begin(status);
    TF_OpDefinitionBuilderAddTrait(builder, spec);
    TF_RegisterOpDefinition(builder, status);
    assert_string_equal(TF_Message(status), "");
    const oribi_traits traits = traits_of("Traited", type, attr, value);
    oribi_op_rollback();
    TF_DeleteStatus(status);
    return traits;
}

static void an_op_without_traits_has_none(void **state)
{
    (void)state;
    oribi_traits traits;
    oribi_op_traits(NULL, NULL, NULL, &traits);
    assert_int_equal(traits.is, 0);
    assert_int_equal(traits.n_data, 0);
    assert_int_equal(traits.axes, NONE);
    assert_false(oribi_op_is(NULL, NULL, ORIBI_TRAIT_ELEMENTWISE));
    TF_OpDefinitionBuilderAddTrait(NULL, "elementwise");
}

/* is, data, n_data, axes, more, axis */
static const struct {
    const char *spec;
    uint32_t is;
    int32_t data, n_data, axes, more;
    int64_t axis;
} meanings[] = {
    {"elementwise", ORIBI_TRAIT_ELEMENTWISE, 0, 5, NONE, NONE, 0},
    {" elementwise ( x , parts ) ", ORIBI_TRAIT_ELEMENTWISE, 0, 3, NONE, NONE, 0},
    {"identity",
     ORIBI_TRAIT_IDENTITY | ORIBI_TRAIT_ELEMENTWISE | ORIBI_TRAIT_VIEW | ORIBI_TRAIT_REARRANGES |
         ORIBI_TRAIT_MOVES,
     0, 1, NONE, NONE, 0},
    {"view(axes)", ORIBI_TRAIT_VIEW | ORIBI_TRAIT_REARRANGES | ORIBI_TRAIT_MOVES, 3, 1, NONE, NONE,
     0},
    {"moves(parts)", ORIBI_TRAIT_MOVES, 1, 2, NONE, NONE, 0},
    {"permutes(x, axes)", ORIBI_TRAIT_PERMUTES | ORIBI_TRAIT_REARRANGES | ORIBI_TRAIT_MOVES, 0, 1,
     3, NONE, 0},
    {"reduces(x, axes)", ORIBI_TRAIT_REDUCES, 0, 1, 3, NONE, 0},
    {"along(x, -1)", ORIBI_TRAIT_ALONG, 0, 1, NONE, NONE, -1},
    {"along(x, axis)", ORIBI_TRAIT_ALONG, 0, 1, NONE, NONE, 2},
    {"along(x, axes)", ORIBI_TRAIT_ALONG, 0, 1, 3, NONE, 0},
    {"pads(x, axes, more)", ORIBI_TRAIT_PADS, 0, 1, 3, 4, 0},
    {"pads(x, axes)", ORIBI_TRAIT_PADS, 0, 1, 3, NONE, 0},
    {"slices(x, axes, more)", ORIBI_TRAIT_SLICES | ORIBI_TRAIT_MOVES, 0, 1, 3, 4, 0},
    {"joins(parts, axes)", ORIBI_TRAIT_JOINS | ORIBI_TRAIT_MOVES, 1, 2, 3, NONE, 0},
    {"stacks(parts, axis)", ORIBI_TRAIT_STACKS | ORIBI_TRAIT_MOVES, 1, 2, NONE, NONE, 2},
    {"gathers(x, more, axes)", ORIBI_TRAIT_GATHERS | ORIBI_TRAIT_MOVES, 0, 1, 3, 4, 0},
    {"fills(axes, x)", ORIBI_TRAIT_FILLS | ORIBI_TRAIT_MOVES, 0, 1, 3, NONE, 0},
    {"tells(x, rank)", ORIBI_TRAIT_TELLS, 0, 1, NONE, NONE, 0},
    {"vectors(axis, parts)", ORIBI_TRAIT_VECTORS, NONE, 0, NONE, NONE, 2},
};

static void words_mean_what_the_header_says(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof meanings / sizeof meanings[0]; i++) {
        const oribi_traits t = define(meanings[i].spec, TF_FLOAT, NULL, 0);
        print_message("%s\n", meanings[i].spec);
        assert_int_equal(t.is, meanings[i].is);
        assert_int_equal(t.data, meanings[i].data);
        assert_int_equal(t.n_data, meanings[i].n_data);
        assert_int_equal(t.axes, meanings[i].axes);
        assert_int_equal(t.more, meanings[i].more);
        assert_int_equal(t.axis, meanings[i].axis);
    }
    assert_int_equal(define("packs(more)", TF_FLOAT, NULL, 0).packed, 1U << 4);
    assert_int_equal(define("vectors(data_format, parts, axes)", TF_FLOAT, NULL, 0).vectors, 0xe);
    assert_int_equal(define("parameters(parts, more)", TF_FLOAT, NULL, 0).parameters, 0x16);
    assert_int_equal(define("slices(x, axes, more)", TF_FLOAT, NULL, 0).parameters, 0x18);
    assert_int_equal(define("pads(x, axes, more)", TF_FLOAT, NULL, 0).parameters, 0x8);
    assert_int_equal(define("batch(x, more)", TF_FLOAT, NULL, 0).batch, 0x11);
    assert_int_equal(define("batch(parts)", TF_FLOAT, NULL, 0).batch, 0x6);
    assert_int_equal(define("batch(x)", TF_FLOAT, NULL, 0).n_data, 0);
    assert_int_equal(define("computes(clip)", TF_FLOAT, NULL, 0).formula, ORIBI_FORMULA_CLIP);
    assert_int_equal(define("tells(x, rank)", TF_FLOAT, NULL, 0).told, ORIBI_TOLD_RANK);
    assert_false(define("reduces(x, axes, keep)", TF_FLOAT, "keep", 0).keeps_dims);
    assert_true(define("reduces(x, axes, keep)", TF_FLOAT, "keep", 1).keeps_dims);
    assert_int_equal(define("along(x, axis)", TF_FLOAT, "axis", 7).axis, 7);
}

static void conditions_ask_attributes_and_types(void **state)
{
    (void)state;
    static const struct {
        const char *condition;
        TF_DataType type;
        bool keep, holds;
    } cases[] = {
        {"keep = true", TF_FLOAT, true, true},
        {"keep = true", TF_FLOAT, false, false},
        {"keep != true", TF_FLOAT, false, true},
        {"T = float", TF_FLOAT, false, true},
        {"T = float", TF_INT32, false, false},
        {"T != float and T != int32", TF_INT32, false, false},
        {"T != float and T != int32", TF_INT8, false, true},
        {"T = U", TF_FLOAT, false, true},
        {"T = U", TF_INT32, false, false},
        {"size(T) = size(U)", TF_INT32, false, true},
        {"size(T) = size(U)", TF_INT8, false, false},
        {"size(T) != size(U) and keep = false", TF_INT8, false, true},
        {"axis = 2", TF_FLOAT, false, true},
        {"axis = -2", TF_FLOAT, false, false},
        {"data_format = 'NHWC'", TF_FLOAT, false, true},
        {"data_format != \"NHWC\"", TF_FLOAT, false, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char spec[100];
        snprintf(spec, sizeof spec, "elementwise(x) if %s", cases[i].condition);
        const oribi_traits t = define(spec, cases[i].type, "keep", cases[i].keep);
        print_message("%s\n", spec);
        assert_int_equal(t.is != 0, cases[i].holds);
        assert_int_equal(t.n_data, cases[i].holds ? 1 : 0);
    }
}

static void mistakes_are_told_when_the_op_is_registered(void **state)
{
    (void)state;
    static const struct {
        const char *first, *second, *want;
    } bad[] = {
        {"elementwse", NULL,
         "No trait is called 'elementwse' from Trait(\"elementwse\") for Op Bad"},
        {"view(z)", NULL, "No input is called 'z'"},
        {"view(x", NULL, "A ')' is missing"},
        {"view(x, axes)", NULL, "one name too many"},
        {"reduces(x)", NULL, "A name is missing"},
        {"reduces", NULL, "needs names in parentheses"},
        {"reduces(x, axes, axis)", NULL, "No attribute of type bool is called 'axis'"},
        {"elementwise(x, axes)", NULL, "'axes' does not follow"},
        {"cost(tree, x)", NULL, "'tree' is not one of the words"},
        {"tells(x, colour)", NULL, "'colour' is not one of the words"},
        {"view(x) if z = 1", NULL, "No attribute with one value is called 'z'"},
        {"view(x) if keep", NULL, "'=' or '!=' is missing"},
        {"view(x) if keep = 1", NULL, "Attribute 'keep' is compared with"},
        {"view(x) if T = floaty", NULL, "Attribute 'T' is compared with"},
        {"view(x) if size(T) = U", NULL, "size(..) is missing"},
        {"view(x) or so", NULL, "Extra 'or so' unparsed"},
        {"view(x)", "moves(parts)", "'view(x)' names other data"},
        {"permutes(x, axes)", "tiles(x, more)", "names another input for axes"},
    };
    TF_Status *status = TF_NewStatus();
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        TF_OpDefinitionBuilder *builder = begin_op("Bad");
        TF_OpDefinitionBuilderAddTrait(builder, bad[i].first);
        if (bad[i].second != NULL) {
            TF_OpDefinitionBuilderAddTrait(builder, bad[i].second);
        }
        TF_RegisterOpDefinition(builder, status);
        print_message("%s: %s\n", bad[i].first, TF_Message(status));
        assert_int_equal(TF_GetCode(status), TF_INVALID_ARGUMENT);
        assert_non_null(strstr(TF_Message(status), bad[i].want));
        assert_null(oribi_op_find("Bad"));
    }
    TF_DeleteStatus(status);
}

static void register_with(const char *spec, TF_Status *status)
{
    TF_OpDefinitionBuilder *builder = begin_op("Twice");
    if (spec != NULL) {
        TF_OpDefinitionBuilderAddTrait(builder, spec);
    }
    TF_RegisterOpDefinition(builder, status);
    assert_string_equal(TF_Message(status), "");
}

static void a_second_definition_may_have_other_traits_and_the_first_ones_stay(void **state)
{
    (void)state;
    oribi_text first = {0}, bare = {0};
    TF_Status *status = TF_NewStatus();
    test_begin(status);
    register_with("elementwise(x)", status);
    oribi_proto_op_def(&first, oribi_op_find("Twice"));

    register_with(NULL, status);
    register_with("view(x)", status);

    assert_int_equal(traits_of("Twice", TF_FLOAT, NULL, 0).is, ORIBI_TRAIT_ELEMENTWISE);
    oribi_op_rollback();
    test_begin(status);
    register_with(NULL, status);
    oribi_proto_op_def(&bare, oribi_op_find("Twice"));
    assert_int_equal(first.length, bare.length); /* OpDef bytes know nothing of traits */
    assert_memory_equal(first.data, bare.data, bare.length);
    oribi_op_rollback();
    oribi_text_destroy(&first);
    oribi_text_destroy(&bare);
    TF_DeleteStatus(status);
}

static void the_65th_input_is_none_that_a_trait_may_name(void **state)
{
    (void)state;
    TF_Status *status = TF_NewStatus();
    TF_OpDefinitionBuilder *builder = TF_NewOpDefinitionBuilder("Many");
    for (int i = 0; i < 65; i++) {
        char spec[20];
        snprintf(spec, sizeof spec, "x%d: float", i);
        TF_OpDefinitionBuilderAddInput(builder, spec);
    }
    TF_OpDefinitionBuilderAddTrait(builder, "view(x63)");
    TF_OpDefinitionBuilderAddTrait(builder, "parameters(x64)");
    TF_RegisterOpDefinition(builder, status);
    assert_non_null(strstr(TF_Message(status), "'x64' is not among the first 64 inputs"));
    assert_null(strstr(TF_Message(status), "x63"));
    TF_DeleteStatus(status);
}

static bool register_traits(void *arg)
{
    TF_Status *status = arg;
    TF_OpDefinitionBuilder *builder = TF_NewOpDefinitionBuilder("Starved");
    TF_OpDefinitionBuilderAddInput(builder, "x: T");
    TF_OpDefinitionBuilderAddAttr(builder, "T: type");
    TF_OpDefinitionBuilderAddAttr(builder, "mode: string = ''");
    TF_OpDefinitionBuilderAddTrait(builder, "view if T != float and mode = 'a'");
    if (!oribi_op_begin("starved.so", status)) {
        TF_DeleteOpDefinitionBuilder(builder);
        return false;
    }
    TF_RegisterOpDefinition(builder, status);
    const bool ok = TF_GetCode(status) == TF_OK;
    assert_true(ok || TF_GetCode(status) == TF_RESOURCE_EXHAUSTED);
    oribi_op_rollback();
    return ok;
}

static void memory_that_runs_out_is_told_and_nothing_stays(void **state)
{
    (void)state;
    TF_Status *status = TF_NewStatus();
    fail_each_allocation(register_traits, status);
    TF_DeleteStatus(status);
}

static void cost_follows_from_shapes(void **state)
{
    (void)state;
    int64_t hwio[4] = {3, 3, 8, 16}, nhwc[4] = {1, 7, 7, 16}, nchw[4] = {1, 16, 7, 7};
    int64_t batches[3] = {5, 6, 4}, product[3] = {5, 2, 4};
    const oribi_shape filter = {4, hwio}, last = {4, nhwc}, first = {4, nchw};
    const oribi_shape b = {3, batches}, c = {3, product}, unknown = {-1, NULL};
    oribi_traits t = define("cost(conv, x)", TF_FLOAT, NULL, 0);
    assert_true(oribi_traits_products(&t, &filter, &last) == 3 * 3 * 8);
    assert_true(oribi_traits_products(&t, &filter, &unknown) == 0);
    assert_true(oribi_traits_products(&t, &unknown, &last) == 0);
    t.has_channels_first = true;
    assert_true(oribi_traits_products(&t, &filter, &first) == 3 * 3 * 8);
    t = define("cost(matmul, x)", TF_FLOAT, NULL, 0);
    assert_true(oribi_traits_products(&t, &b, &c) == 6);
    t = define("view(x)", TF_FLOAT, NULL, 0);
    assert_true(oribi_traits_products(&t, &b, &c) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_op_without_traits_has_none),
        cmocka_unit_test(words_mean_what_the_header_says),
        cmocka_unit_test(conditions_ask_attributes_and_types),
        cmocka_unit_test(mistakes_are_told_when_the_op_is_registered),
        cmocka_unit_test(a_second_definition_may_have_other_traits_and_the_first_ones_stay),
        cmocka_unit_test(the_65th_input_is_none_that_a_trait_may_name),
        cmocka_unit_test(memory_that_runs_out_is_told_and_nothing_stays),
        cmocka_unit_test(cost_follows_from_shapes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
