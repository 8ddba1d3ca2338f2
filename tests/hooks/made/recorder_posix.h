/* SPDX-License-Identifier: Apache-2.0 */
/* Printing on a desk, for recorder_main.c. */
#include <stdint.h>
#include <stdio.h>

#define RECORDER_END return 0;

static void print(const char *text)
{
    fputs(text, stdout);
}

static void print_number(int32_t number)
{
    printf("%d", (int)number);
}
