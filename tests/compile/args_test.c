/* SPDX-License-Identifier: Apache-2.0 */
/* The descriptions of kernels' arguments miss no member of a struct, and read what it holds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "compile/lower/args_table.h"
#include "compile/lower/lower.h"
#include "compile/lower/lower_parts.h"
#include "micro/conv/conv2d_add_lanes_s8.h"
#include "micro/prepare.h"
#include "micro/unary/unary_f32.h"

#define NAMED(name) {#name, &oribi_args_##name},
static const struct {
    const char *name;
    const oribi_args *args;
} all[] = {ORIBI_ARGS_EACH(NAMED)};

static size_t bytes_of(const oribi_args_member *member)
{
    const size_t number = member->dtype == TF_INT8 || member->dtype == TF_UINT8     ? 1
                          : member->dtype == TF_INT16 || member->dtype == TF_UINT16 ? 2
                                                                                    : 4;
    return member->kind == ORIBI_ARGS_IS_ARRAY ? sizeof(void *) : number * member->count;
}

/* Is member `index` the first behind a struct within the struct? */
static bool is_behind_struct(const oribi_args *args, size_t index)
{
    const char *before = index > 0 ? oribi_args_name(args, index - 1) : "";
    const char *dot = strchr(before, '.');
    const size_t prefix = dot != NULL ? (size_t)(dot - before) + 1 : 0;
    return strncmp(before, oribi_args_name(args, index), prefix) != 0;
}

/* Members lie one behind the other; between them there is less than the next one's alignment, and
 * at the end of a struct, or of one within it, less than the widest. */
static bool covers(const oribi_args *args)
{
    size_t end = 0;
    for (size_t i = 0; i < args->n_members; i++) {
        const oribi_args_member *member = &args->members[i];
        const size_t one =
            is_behind_struct(args, i) ? sizeof(void *) : bytes_of(member) / member->count;
        if (member->offset < end || member->offset - end >= one) {
            return false;
        }
        end = member->offset + bytes_of(member);
    }
    return args->bytes >= end && args->bytes - end < sizeof(void *);
}

static void every_byte_of_every_struct_is_a_members_or_padding(void **state)
{
    (void)state;
    assert_true(sizeof all / sizeof all[0] > 60);
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        if (!covers(all[i].args) || strcmp(all[i].name, all[i].args->name) != 0) {
            fail_msg("%s", all[i].name);
        }
    }
}

static void a_member_that_is_missing_is_seen(void **state)
{
    (void)state;
    const oribi_args *whole = &oribi_args_conv2d_s8;
    oribi_args_member members[64];
    for (size_t gone = 0; gone < whole->n_members; gone++) {
        const size_t behind = whole->n_members - gone - 1;
        memcpy(members, whole->members, gone * sizeof members[0]);
        memcpy(members + gone, whole->members + gone + 1, behind * sizeof members[0]);
        oribi_args less = *whole;
        less.members = members;
        less.n_members--;
        assert_true(covers(whole));
        assert_true(behind == 0 || !covers(&less)); /* the last could be padding */
    }
}

static int32_t member_named(const oribi_args *args, const char *name)
{
    for (size_t i = 0; i < args->n_members; i++) {
        if (strcmp(oribi_args_name(args, i), name) == 0) {
            return (int32_t)i;
        }
    }
    fail_msg("no member %s", name);
    return -1;
}

static int32_t number_of(const oribi_args *args, const void *from, const char *name)
{
    return oribi_args_integer(&args->members[member_named(args, name)], from, 0);
}

static void members_of_each_width_are_read_with_their_sign(void **state)
{
    (void)state;
    const oribi_args *args = &oribi_args_conv2d_add_lanes_s8;
    const struct oribi_micro_conv2d_add_lanes_s8_args from = {
        .conv = {.batch = INT16_MIN, .taps = UINT16_MAX, .input_zero = INT8_MIN},
        .scales = {.a_multiplier = INT32_MIN, .high = INT8_MAX},
        .results = 7};
    assert_int_equal(number_of(args, &from, "conv.batch"), INT16_MIN);
    assert_int_equal(number_of(args, &from, "conv.taps"), UINT16_MAX);
    assert_int_equal(number_of(args, &from, "conv.input_zero"), INT8_MIN);
    assert_int_equal(number_of(args, &from, "scales.a_multiplier"), INT32_MIN);
    assert_int_equal(number_of(args, &from, "scales.high"), INT8_MAX);
    assert_int_equal(number_of(args, &from, "results"), 7);
    const struct oribi_micro_unary_f32_args slope = {.alpha = 0.25f};
    const int32_t alpha = member_named(&oribi_args_unary_f32, "alpha");
    assert_true(oribi_args_float(&oribi_args_unary_f32.members[alpha], &slope, 0) == 0.25f);
}

static void a_list_has_as_many_elements_as_its_rank_says(void **state)
{
    (void)state;
    const oribi_args *args = &oribi_args_reduce_f32;
    int32_t from[64] = {0};
    assert_true(args->bytes <= sizeof from);
    from[0] = 2; /* kept_rank, the first member */
    assert_int_equal(member_named(args, "kept_rank"), 0);
    assert_int_equal(oribi_args_count(args, (size_t)member_named(args, "kept_dims"), from), 2);
    assert_int_equal(oribi_args_count(args, (size_t)member_named(args, "dims"), from), 0);
    from[0] = INT32_MAX;
    assert_int_equal(oribi_args_count(args, (size_t)member_named(args, "kept_step"), from),
                     args->members[member_named(args, "kept_step")].count);
    from[0] = -1;
    assert_int_equal(oribi_args_count(args, (size_t)member_named(args, "kept_step"), from), 0);
}

static void a_struct_is_as_large_as_on_a_target_of_32_bits(void **state)
{
    (void)state;
    assert_int_equal(oribi_args_flash(&oribi_args_conv2d_lanes_s8), 40);
    assert_int_equal(oribi_args_flash(&oribi_args_conv2d_add_lanes_s8), 68);
    assert_int_equal(oribi_args_flash(&oribi_args_unary_f32), 16);
    assert_int_equal(oribi_args_flash(&oribi_args_lookup_8), 8);
}

static void arrays_are_placed_by_member_and_named_without_their_struct(void **state)
{
    (void)state;
    static const int32_t words[3] = {1, 2, 3};
    oribi_arena arena = {0};
    oribi_lowering lowering = {.arena = &arena, .status = TF_NewStatus()};
    oribi_call call = {.n_placed = 0};
    struct oribi_micro_conv2d_add_lanes_s8_args args = {.results = 5};
    args.conv.filter = words;
    assert_true(
        ORIBI_CALL_SET(&lowering, &call, "conv2d_add_lanes_s8", conv2d_add_lanes_s8, &args));
    args.results = 6; /* the call has a copy */
    assert_int_equal(number_of(call.args, call.arguments, "results"), 5);
    assert_non_null(ORIBI_CALL_PLACE(&call, &args, conv.filter, 3));
    assert_int_equal(call.n_placed, 1);
    assert_string_equal(call.placed[0].name, "filter");
    assert_int_equal(call.placed[0].member, member_named(call.args, "conv.filter"));
    assert_int_equal(call.placed[0].kind, ORIBI_ELEMENT_S32);
    args.conv.filter = NULL;
    assert_null(ORIBI_CALL_PLACE(&call, &args, conv.filter, 3));
    assert_int_equal(call.n_placed, 1);
    TF_DeleteStatus(lowering.status);
    oribi_arena_destroy(&arena);
}

/* --- Variants, with arguments that no header of micro/ declares ------------------------------ */

struct made_args {
    int16_t count;
    const int32_t *words;
    float slope;
};
static const oribi_args_member made_members[] = {
    ORIBI_ARGS_NUMBER(struct made_args, count),
    ORIBI_ARGS_ARRAY(struct made_args, words),
    ORIBI_ARGS_NUMBER(struct made_args, slope),
};
static const oribi_args made =
    ORIBI_ARGS(struct made_args, made_members, "made", "count\0words\0slope\0");

/* The plain arguments are a number: of words, or below 0 for one that cannot be prepared. */
static int64_t made_words(const void *plain)
{
    const int32_t n = *(const int32_t *)plain;
    return n < 0 ? 1 : n;
}

static int64_t made_prepare(const void *plain, int32_t *words, void *args)
{
    const int32_t n = *(const int32_t *)plain;
    if (n < 0) {
        return n;
    }
    for (int32_t i = 0; i < n; i++) {
        words[i] = i + 1;
    }
    *(struct made_args *)args = (struct made_args){(int16_t)n, words, 0.5f};
    return 4 * n;
}

static int64_t nothing_fits(const void *plain)
{
    (void)plain;
    return 0;
}

static const struct oribi_micro_variant picky = {.kernel = "picky", .words = nothing_fits};
static const struct oribi_micro_variant easy = {
    .kernel = "easy", .words = made_words, .prepare = made_prepare};
static const struct oribi_micro_variant elsewhere = {
    .kernel = "elsewhere", .words = made_words, .prepare = made_prepare};
static const oribi_variant_row rows[] = {
    {&picky, &made, ORIBI_ON(dsp)},
    {&elsewhere, &made, ORIBI_ON(plain) | ORIBI_ON(v6m)},
    {&easy, &made, ORIBI_ON(dsp) | ORIBI_ON(plain)},
    {NULL, NULL, 0},
};
static const oribi_compile_options options = {.core = ORIBI_CORE_dsp};

/* The call of a plain kernel with this number. */
static bool try_rows(int32_t plain, oribi_call *call, oribi_lowering *lowering)
{
    static const oribi_node node = {.name = "n", .op_name = "Op"};
    *call = (oribi_call){.node = &node};
    return oribi_variant_try(lowering, call, rows, &plain, 1);
}

static void the_first_variant_that_fits_has_the_call(void **state)
{
    (void)state;
    oribi_arena arena = {0};
    oribi_lowering lowering = {.arena = &arena, .options = &options, .status = TF_NewStatus()};
    oribi_call call;
    assert_true(try_rows(3, &call, &lowering));
    assert_string_equal(call.kernel, "easy");
    assert_int_equal(call.scratch_bytes, 12);
    assert_int_equal(call.n_placed, 1);
    assert_string_equal(call.placed[0].name, "words");
    assert_int_equal(call.placed[0].count, 3);
    assert_int_equal(((const int32_t *)call.placed[0].data)[2], 3);
    assert_int_equal(number_of(call.args, call.arguments, "count"), 3);
    assert_int_equal(oribi_args_flash(call.args), 12);
    TF_DeleteStatus(lowering.status);
    oribi_arena_destroy(&arena);
}

static void a_variant_is_for_the_cores_of_its_row(void **state)
{
    (void)state;
    static const char *const wanted[] = {"easy", "elsewhere", "elsewhere"};
    for (int32_t core = ORIBI_CORE_dsp; core <= ORIBI_CORE_v6m; core++) {
        oribi_arena arena = {0};
        const oribi_compile_options other = {.core = core};
        oribi_lowering lowering = {.arena = &arena, .options = &other, .status = TF_NewStatus()};
        oribi_call call;
        assert_true(try_rows(3, &call, &lowering));
        assert_string_equal(call.kernel, wanted[core]);
        TF_DeleteStatus(lowering.status);
        oribi_arena_destroy(&arena);
    }
}

static void a_layer_that_no_variant_fits_stays_without_a_kernel(void **state)
{
    (void)state;
    oribi_arena arena = {0};
    oribi_lowering lowering = {.arena = &arena, .options = &options, .status = TF_NewStatus()};
    oribi_call call;
    assert_true(try_rows(0, &call, &lowering));
    assert_null(call.kernel);
    assert_int_equal(call.n_placed, 0);
    TF_DeleteStatus(lowering.status);
    oribi_arena_destroy(&arena);
}

static void a_variant_that_cannot_be_prepared_names_the_node(void **state)
{
    (void)state;
    oribi_arena arena = {0};
    oribi_lowering lowering = {.arena = &arena, .options = &options, .status = TF_NewStatus()};
    oribi_call call;
    assert_false(try_rows(ORIBI_MICRO_TOO_LARGE, &call, &lowering));
    assert_int_equal(TF_GetCode(lowering.status), TF_INVALID_ARGUMENT);
    assert_non_null(strstr(TF_Message(lowering.status), "node 'n' (Op)"));
    TF_DeleteStatus(lowering.status);
    oribi_arena_destroy(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_byte_of_every_struct_is_a_members_or_padding),
        cmocka_unit_test(a_member_that_is_missing_is_seen),
        cmocka_unit_test(members_of_each_width_are_read_with_their_sign),
        cmocka_unit_test(a_list_has_as_many_elements_as_its_rank_says),
        cmocka_unit_test(a_struct_is_as_large_as_on_a_target_of_32_bits),
        cmocka_unit_test(arrays_are_placed_by_member_and_named_without_their_struct),
        cmocka_unit_test(the_first_variant_that_fits_has_the_call),
        cmocka_unit_test(a_variant_is_for_the_cores_of_its_row),
        cmocka_unit_test(a_layer_that_no_variant_fits_stays_without_a_kernel),
        cmocka_unit_test(a_variant_that_cannot_be_prepared_names_the_node),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
