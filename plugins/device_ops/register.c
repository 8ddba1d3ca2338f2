/* SPDX-License-Identifier: Apache-2.0 */
/* All kernels of the room, registered for the device of the plugin that this library is linked to.
 */
#include <stdio.h>
#include <string.h>

#include "device_ops/device_op.h"

static const device_ops_target *target;

static const op_table *const tables[] = {
    &op_elementwise_table, &op_product_table, &op_softmax_table, &op_view_table, &op_conv_table,
    &op_pool_table,        &op_move_table,    &op_join_table,    &op_pad_table,  &op_reduce_table,
    &op_normalize_table,   &op_slice_table,   &op_resize_table};

const device_ops_target *op_target(void)
{
    return target;
}

const device_ops_image *op_image(const char *family)
{
    for (int i = 0; i < target->n_images; i++) {
        if (strcmp(target->images[i].family, family) == 0) {
            return &target->images[i];
        }
    }
    return NULL;
}

static void add(const op_entry *entry, TF_Status *status)
{
    oribi_kit_kernel kernel = {.op = entry->op,
                               .device = target->device_type,
                               .types = {{"T", ORIBI_KIT_TYPE(TF_FLOAT)}},
                               .create = entry->create,
                               .compute = entry->compute,
                               .destroy = op_delete};
    memcpy(kernel.host, entry->host, sizeof kernel.host);
    oribi_kit_register(&kernel, status);
}

void device_ops_register(const device_ops_target *own)
{
    TF_Status *status = TF_NewStatus();
    target = own;
    for (size_t t = 0; t < sizeof tables / sizeof *tables; t++) {
        for (int i = 0; i < tables[t]->n; i++) {
            const op_entry *entry = &tables[t]->entries[i];
            if (entry->family != NULL && op_image(entry->family) == NULL) {
                continue;
            }
            TF_SetStatus(status, TF_OK, "");
            add(entry, status);
            if (TF_GetCode(status) != TF_OK) {
                (void)fprintf(stderr, "%s: %s: %s\n", own->device_type, entry->op,
                              TF_Message(status));
            }
        }
    }
    TF_DeleteStatus(status);
}
