/* SPDX-License-Identifier: Apache-2.0 */
/* tf.train.Example, read where it lies: see example.h. */
#include "cpu/text/example.h"

static bool take_number(oribi_cpu_span *from, uint64_t *out)
{
    *out = 0;
    for (int shift = 0; shift < 64 && from->n > 0; shift += 7) {
        const uint8_t byte = (uint8_t)*from->at++;
        from->n--;
        *out |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80) {
            return true;
        }
    }
    return false;
}

static bool take_part(oribi_cpu_span *from, uint64_t bytes, oribi_cpu_span *out)
{
    if (bytes > from->n) {
        return false;
    }
    *out = (oribi_cpu_span){from->at, (size_t)bytes};
    from->at += bytes;
    from->n -= (size_t)bytes;
    return true;
}

static bool take_fixed(oribi_cpu_span *from, size_t bytes, uint64_t *out)
{
    oribi_cpu_span part;
    *out = 0;
    if (!take_part(from, bytes, &part)) {
        return false;
    }
    for (size_t i = 0; i < bytes; i++) {
        *out |= (uint64_t)(uint8_t)part.at[i] << (8 * i);
    }
    return true;
}

bool oribi_cpu_field_next(oribi_cpu_span *message, oribi_cpu_field *out, bool *bad)
{
    uint64_t key = 0;
    if (message->n == 0) {
        return false;
    }
    bool ok = take_number(message, &key) && key >> 3 != 0 && key <= UINT32_MAX;
    *out = (oribi_cpu_field){.number = (uint32_t)(key >> 3), .type = (uint32_t)(key & 7)};
    switch (out->type) {
    case ORIBI_CPU_VARINT:
        ok = ok && take_number(message, &out->value);
        break;
    case ORIBI_CPU_BYTES:
        ok = ok && take_number(message, &out->value) && take_part(message, out->value, &out->part);
        break;
    case ORIBI_CPU_FIXED_32:
        ok = ok && take_fixed(message, 4, &out->value);
        break;
    default: /* 1: eight bytes; groups are not read */
        ok = ok && out->type == 1 && take_fixed(message, 8, &out->value);
        break;
    }
    *bad = *bad || !ok;
    return ok;
}

bool oribi_cpu_field_find(oribi_cpu_span message, uint32_t number, oribi_cpu_span *out)
{
    oribi_cpu_field field;
    bool bad = false, is_found = false;
    while (oribi_cpu_field_next(&message, &field, &bad)) {
        if (field.number == number && field.type == ORIBI_CPU_BYTES) {
            *out = field.part;
            is_found = true;
        }
    }
    return is_found;
}

bool oribi_cpu_features_next(oribi_cpu_features *self)
{
    oribi_cpu_field field;
    for (;;) {
        while (!oribi_cpu_field_next(&self->map, &field, &self->bad)) {
            if (self->bad || !oribi_cpu_field_next(&self->rest, &field, &self->bad)) {
                return false;
            }
            if (field.number == 1 && field.type == ORIBI_CPU_BYTES) {
                self->map = field.part;
            }
        }
        if (field.number == 1 && field.type == ORIBI_CPU_BYTES) {
            break;
        }
    }
    oribi_cpu_span entry = field.part;
    self->key = self->list = (oribi_cpu_span){"", 0};
    while (oribi_cpu_field_next(&entry, &field, &self->bad)) {
        if (field.type == ORIBI_CPU_BYTES && field.number == 1) {
            self->key = field.part;
        } else if (field.type == ORIBI_CPU_BYTES && field.number == 2) {
            self->list = field.part;
        }
    }
    return !self->bad;
}

oribi_cpu_values oribi_cpu_values_of(oribi_cpu_span feature)
{
    static const TF_DataType types[] = {0, TF_STRING, TF_FLOAT, TF_INT64};
    oribi_cpu_values self = {.rest = {"", 0}, .packed = {"", 0}};
    oribi_cpu_field field;
    while (oribi_cpu_field_next(&feature, &field, &self.bad)) {
        if (field.number <= 3 && field.type == ORIBI_CPU_BYTES) {
            self.dtype = types[field.number];
            self.rest = field.part;
        }
    }
    return self;
}

/* The next of numbers that stand one behind the other. */
static bool next_packed(oribi_cpu_values *self)
{
    if (self->packed.n == 0) {
        return false;
    }
    const bool ok = self->dtype == TF_FLOAT ? take_fixed(&self->packed, 4, &self->at.value)
                                            : take_number(&self->packed, &self->at.value);
    self->bad = self->bad || !ok;
    return ok;
}

bool oribi_cpu_values_next(oribi_cpu_values *self)
{
    const uint32_t alone = self->dtype == TF_STRING  ? ORIBI_CPU_BYTES
                           : self->dtype == TF_FLOAT ? ORIBI_CPU_FIXED_32
                                                     : ORIBI_CPU_VARINT;
    for (;;) {
        if (next_packed(self)) {
            return true;
        }
        if (self->bad || !oribi_cpu_field_next(&self->rest, &self->at, &self->bad)) {
            return false;
        }
        if (self->at.number == 1 && self->at.type == alone) {
            return true;
        }
        if (self->at.number == 1 && self->at.type == ORIBI_CPU_BYTES) {
            self->packed = self->at.part;
        }
    }
}
