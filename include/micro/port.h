/* SPDX-License-Identifier: Apache-2.0 */
/* What an application may replace, with -D or in a header that TVMGEN_CONFIG_HEADER names
 * ("my_config.h"). Every file of emitted code includes this one.
 */
#ifndef ORIBI_MICRO_PORT_H_
#define ORIBI_MICRO_PORT_H_

#include <limits.h>

#ifdef TVMGEN_CONFIG_HEADER
#include TVMGEN_CONFIG_HEADER
#endif

#ifdef __AVR__
#error                                                                                             \
    "AVR is not supported: int has 16 bits, and constants in flash need instructions of their own"
#elif INT_MAX < 2147483647
#error "int has less than 32 bits here: shifts and sums of this C would overflow"
#elif CHAR_BIT != 8
#error "a byte does not have 8 bits here: the weights are laid out in such bytes"
#endif

#ifdef __FAST_MATH__
#error                                                                                             \
    "compile without -ffast-math: results would differ from those that the model was checked with"
#endif

/* Before each operator: a watchdog, a profiler. */
#ifndef TVMGEN_ON_OP
#define TVMGEN_ON_OP(index) ((void)0)
#endif

/* Inside long operators, at least once for each row of results: a watchdog, another task. */
#ifndef TVMGEN_YIELD
#define TVMGEN_YIELD() ((void)0)
#endif

/* On a definition: its section, by name. */
#ifndef TVMGEN_SECTION
#if defined(__GNUC__) || defined(__clang__) || defined(__ICCARM__) || defined(__TI_ARM__)
#define TVMGEN_SECTION(name) __attribute__((section(name)))
#else
#error "define TVMGEN_SECTION(name), or compile the model without --place"
#endif
#endif

/* On a definition: its alignment in bytes. */
#ifndef TVMGEN_ALIGNED
#if defined(__GNUC__) || defined(__clang__) || defined(__ICCARM__) || defined(__TI_ARM__)
#define TVMGEN_ALIGNED(bytes) __attribute__((aligned(bytes)))
#else
#error "define TVMGEN_ALIGNED(bytes) for this compiler"
#endif
#endif

/* On every array of weights that has no section of its own. */
#ifndef TVMGEN_CONSTANT
#define TVMGEN_CONSTANT
#endif

/* On memory that --workspace static defines. */
#ifndef TVMGEN_WORKSPACE
#define TVMGEN_WORKSPACE
#endif

#endif
