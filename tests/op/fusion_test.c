/* SPDX-License-Identifier: Apache-2.0 */
/* Chains that an op stands for: how they are read, what is said about mistakes, and that they are
 * no part of an op's identity. What is done with them: tests/plugin/vendor_ops_test.c.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "op/fusion.h"
#include "op/op_test_support.h"
#include "tensorflow/c/op_traits.h"

/* An op that stands for the chain; told: it has an attribute that says what was found. */
static TF_Code define(const char *name, const char *chain, bool told, char message[400])
{
    TF_Status *status = TF_NewStatus();
    TF_OpDefinitionBuilder *builder = TF_NewOpDefinitionBuilder(name);
    TF_OpDefinitionBuilderAddInput(builder, "x: float");
    TF_OpDefinitionBuilderAddOutput(builder, "y: float");
    if (told) {
        TF_OpDefinitionBuilderAddAttr(builder, "fused_ops: list(string) = []");
    }
    if (chain != NULL) {
        TF_OpDefinitionBuilderAddFusion(builder, chain);
    }
    TF_RegisterOpDefinition(builder, status);
    const TF_Code code = TF_GetCode(status);
    snprintf(message, 400, "%s", TF_Message(status));
    TF_DeleteStatus(status);
    return code;
}

static void a_chain_is_read_word_by_word(void **state)
{
    (void)state;
    char message[400];
    assert_int_equal(define("ChainA", " First  BiasAdd=0 Add? A|V>B?  Last", true, message), TF_OK);
    const oribi_fusion *f = oribi_op_find("ChainA")->fusions;
    assert_string_equal(f->first, "First");
    assert_int_equal(f->n_words, 4);
    assert_true(f->words[0].or_zeros && !f->words[0].may_miss);
    assert_true(f->words[1].may_miss && !f->words[1].or_zeros);
    assert_int_equal(f->words[2].n_ops, 2);
    assert_string_equal(f->words[2].ops[0], "A");
    assert_string_equal(f->words[2].ops[1], "V>B");
    assert_true(f->words[2].may_miss && !f->words[3].may_miss);
    assert_string_equal(f->words[3].ops[0], "Last");
    assert_null(f->next);
    assert_false(f->of_planes);
    assert_int_equal(define("ChainPlanes", " planes:First", true, message), TF_OK);
    f = oribi_op_find("ChainPlanes")->fusions;
    assert_string_equal(f->first, "First");
    assert_true(f->of_planes && f->n_words == 0);
}

static void several_chains_are_kept_in_their_order(void **state)
{
    (void)state;
    TF_Status *status = TF_NewStatus();
    TF_OpDefinitionBuilder *builder = TF_NewOpDefinitionBuilder("ChainB");
    TF_OpDefinitionBuilderAddFusion(builder, "A B");
    TF_OpDefinitionBuilderAddFusion(builder, "C D E");
    TF_OpDefinitionBuilderAddFusion(NULL, "F G");
    TF_RegisterOpDefinition(builder, status);
    assert_int_equal(TF_GetCode(status), TF_OK);
    TF_DeleteStatus(status);
    const oribi_fusion *f = oribi_op_find("ChainB")->fusions;
    assert_string_equal(f->first, "A");
    assert_string_equal(f->next->first, "C");
    assert_int_equal(f->next->n_words, 2);
}

static void mistakes_are_told_with_the_chain_and_the_op(void **state)
{
    (void)state;
    static const struct {
        const char *chain, *why;
        bool told;
    } bad[] = {
        {"", "a chain begins with the name of one op", true},
        {"Alone", "a chain has 2 to 17 ops", true},
        {"planes: B", "a chain begins with the name of one op", true},
        {"A|B C", "a chain begins with the name of one op", true},
        {"A |B", "a word of the chain names no op", true},
        {"A B|", "a word of the chain names no op", true},
        {"A B?C", "it may end with '?' or '=0'", true},
        {"A B=1", "it may end with '?' or '=0'", true},
        {"A Add=0", "only BiasAdd can be missing with zeros in its place", true},
        {"A BiasAdd|B=0", "only BiasAdd can be missing with zeros in its place", true},
        {"A B?", "needs an attribute of this op, fused_ops", false},
        {"A B|C", "needs an attribute of this op, fused_ops", false},
        {"A 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17", "a chain has 2 to 17 ops", true},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char message[400];
        assert_int_equal(define("ChainBad", bad[i].chain, bad[i].told, message),
                         TF_INVALID_ARGUMENT);
        if (strstr(message, bad[i].why) == NULL || strstr(message, "ChainBad") == NULL ||
            strstr(message, bad[i].chain) == NULL) {
            fail_msg("'%s' is not what is said of \"%s\": %s", bad[i].why, bad[i].chain, message);
        }
        assert_null(oribi_op_find("ChainBad"));
    }
}

static void an_op_that_is_defined_twice_may_leave_its_chain_out(void **state)
{
    (void)state;
    char message[400];
    assert_int_equal(define("ChainTwice", "A B", false, message), TF_OK);
    assert_int_equal(define("ChainTwice", NULL, false, message), TF_OK);
    assert_non_null(oribi_op_find("ChainTwice")->fusions);
}

/* An op of two inputs and two attributes that stands for the formula. */
static TF_Code define_formula(const char *name, const char *formula, char message[400])
{
    TF_Status *status = TF_NewStatus();
    TF_OpDefinitionBuilder *builder = TF_NewOpDefinitionBuilder(name);
    TF_OpDefinitionBuilderAddInput(builder, "x: float");
    TF_OpDefinitionBuilderAddInput(builder, "y: float");
    TF_OpDefinitionBuilderAddOutput(builder, "z: float");
    TF_OpDefinitionBuilderAddAttr(builder, "alpha: float = 1.0");
    TF_OpDefinitionBuilderAddAttr(builder, "kind: string = 'none'");
    TF_OpDefinitionBuilderAddFusion(builder, formula);
    TF_RegisterOpDefinition(builder, status);
    const TF_Code code = TF_GetCode(status);
    snprintf(message, 400, "%s", TF_Message(status));
    TF_DeleteStatus(status);
    return code;
}

static void a_formula_is_a_tree_of_terms(void **state)
{
    (void)state;
    char message[400];
    assert_int_equal(define_formula("FormulaA",
                                    " (x, y) = Mul( -0.5,V>Op(y , x), @alpha ) ; kind=tanh ",
                                    message),
                     TF_OK);
    const oribi_fusion *f = oribi_op_find("FormulaA")->fusions;
    assert_string_equal(f->first, "Mul");
    assert_int_equal(f->n_inputs, 2);
    assert_int_equal(f->n_attrs, 1);
    assert_string_equal(f->says, "kind");
    assert_string_equal(f->says_what, "tanh");
    const oribi_term *term = f->formula->first;
    assert_int_equal(term->kind, ORIBI_TERM_NUMBER);
    assert_true(term->number == -0.5);
    term = term->next;
    assert_int_equal(term->kind, ORIBI_TERM_CALL);
    assert_string_equal(term->name, "V>Op");
    assert_int_equal(term->first->index, 1);
    assert_int_equal(term->first->next->index, 0);
    assert_string_equal(term->next->name, "alpha");
    assert_null(term->next->next);
}

static void mistakes_in_formulas_are_told(void **state)
{
    (void)state;
    static const char *const mistakes[][2] = {
        {"(x, y = Mul(x, y)", "a formula has ')' before"},
        {"(x, Y) = Mul(x, Y)", "of small letters"},
        {"(x, y) Mul(x, y)", "a formula has '=' before"},
        {"(x, y) = Mul(x, z)", "'z' is no input of the formula"},
        {"(x, y) = Mul(x, @beta)", "'@beta' is no attribute of this op that is a float"},
        {"(x, y) = Mul(x, @kind)", "'@kind' is no attribute of this op that is a float"},
        {"(x, y) = Mul(x, )", "is neither a name nor a number"},
        {"(x, y) = x", "a formula computes something"},
        {"(x, y) = Mul(x, y) z", "'z' follows the formula"},
        {"(x, y) = Mul(x, y); alpha = one", "a text attribute of this op"},
        {"(x) = A(A(A(A(A(A(A(A(A(A(A(A(A(A(A(A(A(x)))))))))))))))))", "of more than 16 levels"},
    };
    char message[400];
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        assert_int_equal(define_formula("FormulaB", mistakes[i][0], message), TF_INVALID_ARGUMENT);
        if (strstr(message, mistakes[i][1]) == NULL) {
            fail_msg("%s: %s", mistakes[i][0], message);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_formula_is_a_tree_of_terms),
        cmocka_unit_test(mistakes_in_formulas_are_told),
        cmocka_unit_test(a_chain_is_read_word_by_word),
        cmocka_unit_test(several_chains_are_kept_in_their_order),
        cmocka_unit_test(mistakes_are_told_with_the_chain_and_the_op),
        cmocka_unit_test(an_op_that_is_defined_twice_may_leave_its_chain_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
