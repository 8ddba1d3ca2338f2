/* SPDX-License-Identifier: Apache-2.0 */
/* Do all rows of a table run? table_test.py defines TABLE and COUNT. Prints of each its name and
 * ports, whether its CRC holds, and the outputs of a run on bytes that count. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include TABLE_HEADER

enum { PORTS = 8 };

static void *make(size_t bytes)
{
    void *made = aligned_alloc(64, (bytes + 63) / 64 * 64 + 64);
    if (made == NULL) {
        abort();
    }
    return made;
}

static void print_port(const struct tvmgen_model_port *p)
{
    printf("port %s %s %u %u %.9g %d", p->name, p->type, (unsigned)p->bytes, (unsigned)p->count,
           (double)p->scale, (int)p->zero_point);
    for (int32_t i = 0; i < p->rank; i++) {
        printf(" %d", (int)p->shape[i]);
    }
    puts("");
}

static int32_t run(const struct tvmgen_model *m)
{
    const void *inputs[PORTS];
    void *outputs[PORTS];
    uint8_t *pools[PORTS];
    void *const state = make(m->state_bytes);
    for (int32_t i = 0; i < m->n_inputs; i++) {
        uint8_t *in = make(m->inputs[i].bytes);
        for (uint32_t k = 0; k < m->inputs[i].bytes; k++) {
            in[k] = strcmp(m->inputs[i].type, "float") == 0 ? 0 : (uint8_t)(k * 5 % 100);
        }
        inputs[i] = in;
        print_port(&m->inputs[i]);
    }
    for (int32_t i = 0; i < m->n_outputs; i++) {
        outputs[i] = make(m->outputs[i].bytes);
        print_port(&m->outputs[i]);
    }
    for (int32_t i = 0; i < m->n_pools; i++) {
        pools[i] = make(m->pool_bytes[i]);
    }
    if (m->reset != NULL) {
        m->reset(state);
    }
    const int32_t code = m->run(inputs, outputs, pools, state);
    for (int32_t i = 0; i < m->n_outputs; i++) {
        printf("out");
        for (uint32_t k = 0; k < m->outputs[i].bytes; k++) {
            printf(" %u", (unsigned)((const uint8_t *)outputs[i])[k]);
        }
        puts("");
    }
    return code;
}

int main(void)
{
    for (int32_t i = 0; i < COUNT; i++) {
        const struct tvmgen_model *m = &TABLE[i];
        printf("model %s %s %s %u %d\n", m->name, m->source, m->sha256,
               (unsigned)m->constants_bytes, m->crc32() == m->constants_crc32);
        if (m->struct_size != sizeof *m || run(m) != 0) {
            return 1;
        }
    }
    return 0;
}
