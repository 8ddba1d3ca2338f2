/* SPDX-License-Identifier: Apache-2.0 */
/* Sequences and optionals as inputs and outputs: NAME=[@a.npy,@b.npy] or [@FOLDER/], an .npz whose
 * members are the elements, a .pb of ONNX's SequenceProto or OptionalProto, NAME=none. An output is
 * printed and stored element by element, as NAME[0], NAME[1] and so on.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "format/wire.h"
#include "tensorflow/c/variant.h"

TF_Tensor *cli_list_make(TF_Tensor *const *items, int n, bool is_sequence)
{
    TF_Status *status = TF_NewStatus();
    const int64_t count = n;
    TF_Tensor *list = TF_AllocateTensor(TF_VARIANT, &count, is_sequence ? 1 : 0,
                                        (is_sequence ? (size_t)n : 1) * sizeof(TF_VariantHead *));

    if (list == NULL) {
        cli_no_memory((size_t)n * sizeof(TF_VariantHead *));
    }
    for (int i = 0; i < n && TF_GetCode(status) == TF_OK; i++) {
        TF_TensorSetVariantTensor(list, i, items[i], status);
    }
    if (TF_GetCode(status) != TF_OK) {
        cli_error("element of a list: %s", TF_Message(status));
        TF_DeleteTensor(list);
        list = NULL;
    }
    TF_DeleteStatus(status);
    return list;
}

typedef struct items {
    TF_Tensor **at;
    int n;
} items;

static void add(void *arg, const char *name, TF_Tensor *tensor)
{
    items *all = arg;

    (void)name;
    all->at = cli_grow(all->at, (size_t)all->n + 1, sizeof *all->at);
    all->at[all->n++] = tensor;
}

static TF_Tensor *finish(items *all, bool is_good, bool is_sequence)
{
    TF_Tensor *list = is_good ? cli_list_make(all->at, all->n, is_sequence) : NULL;

    for (int i = 0; i < all->n; i++) {
        TF_DeleteTensor(all->at[i]);
    }
    free(all->at);
    return list;
}

/* A SequenceProto has its tensors as fields 3; an OptionalProto one, or a sequence as field 5. */
static TF_Tensor *parse_pb(oribi_wire wire, bool is_sequence, const char *path)
{
    TF_Status *status = TF_NewStatus();
    oribi_wire_field field;
    oribi_wire inner;
    items all = {0};
    bool good = true;

    while (good && oribi_wire_next(&wire, &field, status)) {
        if (field.number == 5 && !is_sequence && oribi_wire_enter(&wire, &field, &inner, status)) {
            TF_DeleteStatus(status);
            (void)finish(&all, false, false);
            return parse_pb(inner, true, path);
        }
        if (field.number == 3 && field.type == ORIBI_WIRE_BYTES) {
            TF_Tensor *tensor = cli_pb_parse(field.data, field.bytes, path);
            good = tensor != NULL && (is_sequence || all.n == 0);
            if (tensor != NULL) {
                add(&all, "", tensor);
            }
        } else if (field.number > 3) {
            cli_error("%s: not a sequence or optional of dense tensors", path);
            good = false;
        }
    }
    if (good && TF_GetCode(status) != TF_OK) {
        cli_error("%s: %s", path, TF_Message(status));
        good = false;
    }
    TF_DeleteStatus(status);
    return finish(&all, good, is_sequence);
}

/* rank of the input: 1 a sequence, 0 an optional tensor, -1 an optional sequence. */
TF_Tensor *cli_list_read(const cli_input *input, int rank)
{
    const char *spec = input->spec, *path = spec + 1;

    if (strcmp(spec, "none") == 0 && rank != 1) {
        return cli_list_make(NULL, 0, false);
    }
    if (spec[0] == '@' && cli_ends_with(path, ".pb")) {
        size_t bytes;
        uint8_t *data = cli_read_file(path, &bytes);
        TF_Tensor *list =
            data == NULL ? NULL : parse_pb(oribi_wire_over(data, bytes), rank == 1, path);
        free(data);
        return list;
    }
    if (spec[0] == '@' && cli_ends_with(path, ".npz") && rank != 0) {
        items all = {0};
        const bool good = cli_npz_each(path, add, &all);
        return finish(&all, good, true);
    }
    if (rank != 0) {
        cli_error("input '%s': it is a sequence: [@a.npy,@b.npy], [@FOLDER/], @FILE.npz or "
                  "@FILE.pb%s",
                  input->text, rank < 0 ? ", or none" : "");
        return NULL;
    }
    TF_Tensor *value = cli_list_element(input);
    items one = {0};
    if (value != NULL) {
        add(&one, "", value);
    }
    return finish(&one, value != NULL, false);
}

void cli_list_each(const char *name, const TF_Tensor *list,
                   void (*hook)(void *arg, const char *name, TF_Tensor *element), void *arg)
{
    TF_Status *status = TF_NewStatus();
    const int64_t n = TF_TensorElementCount(list);
    const size_t room = strlen(name) + 24;
    char *own = cli_alloc(room);

    for (int64_t i = 0; i < n; i++) {
        TF_Tensor *element = TF_TensorVariantTensor(list, i, status);
        (void)snprintf(own, room, "%s[%lld]", name, (long long)i);
        if (element != NULL) {
            hook(arg, TF_NumDims(list) == 0 ? name : own, element);
        }
    }
    free(own);
    TF_DeleteStatus(status);
}
