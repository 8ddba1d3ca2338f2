/* SPDX-License-Identifier: Apache-2.0 */
/* Fields of a call that are members of an args struct, each by its name. */
#ifndef ORIBI_COMPILE_CALL_MEMBERS_H_
#define ORIBI_COMPILE_CALL_MEMBERS_H_

/* The numbers of one to eight members of what `args` points to, in this order:
 * ORIBI_CALL_MEMBERS(call, &args, in_h, in_w). */
#define ORIBI_CALL_MEMBERS(call, args, ...)                                                        \
    ORIBI__PICK(__VA_ARGS__, 8, 7, 6, 5, 4, 3, 2, 1, 0)(call, args, __VA_ARGS__)

#define ORIBI__PICK(a, b, c, d, e, f, g, h, n, ...) ORIBI__NAMED_##n

#define ORIBI__NAMED_1(c, a, m) oribi_call_number(c, #m, (a)->m)

#define ORIBI__NAMED_2(c, a, m, ...) (ORIBI__NAMED_1(c, a, m), ORIBI__NAMED_1(c, a, __VA_ARGS__))
#define ORIBI__NAMED_3(c, a, m, ...) (ORIBI__NAMED_1(c, a, m), ORIBI__NAMED_2(c, a, __VA_ARGS__))
#define ORIBI__NAMED_4(c, a, m, ...) (ORIBI__NAMED_1(c, a, m), ORIBI__NAMED_3(c, a, __VA_ARGS__))
#define ORIBI__NAMED_5(c, a, m, ...) (ORIBI__NAMED_1(c, a, m), ORIBI__NAMED_4(c, a, __VA_ARGS__))
#define ORIBI__NAMED_6(c, a, m, ...) (ORIBI__NAMED_1(c, a, m), ORIBI__NAMED_5(c, a, __VA_ARGS__))
#define ORIBI__NAMED_7(c, a, m, ...) (ORIBI__NAMED_1(c, a, m), ORIBI__NAMED_6(c, a, __VA_ARGS__))
#define ORIBI__NAMED_8(c, a, m, ...) (ORIBI__NAMED_1(c, a, m), ORIBI__NAMED_7(c, a, __VA_ARGS__))

#endif
