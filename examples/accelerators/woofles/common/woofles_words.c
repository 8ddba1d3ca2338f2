/* SPDX-License-Identifier: Apache-2.0 */
/* The shared words of a woofles' window, for ports whose window is ordinary memory: what is written
 * before a word is seen before it. */
#include "woofles_port.h"

uint32_t woofles_port_load(const uint32_t *word)
{
    return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

void woofles_port_store(uint32_t *word, uint32_t value)
{
    __atomic_store_n(word, value, __ATOMIC_RELEASE);
}
