/* SPDX-License-Identifier: Apache-2.0 */
/* `oribi verify --state INPUT=OUTPUT`: in the C they are one state, kept from run to run; the host
 * session has both, so the output of a run is fed to the next one here. State of the model itself
 * the session keeps. What the C starts from is in report.json.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "verify.h"

static int find(const verify *v, const char *name, bool is_output)
{
    const oribi_model *model = v->session.model;
    const int n = is_output ? oribi_model_num_outputs(model) : oribi_model_num_inputs(model);
    for (int i = 0; i < n; i++) {
        const char *other =
            is_output ? oribi_model_output_name(model, i) : oribi_model_input_name(model, i);
        if (strcmp(other, name) == 0) {
            return i;
        }
    }
    return -1;
}

bool verify_states_read(verify *v)
{
    const oribi_json_value *state;
    for (state = cli_json_first(v->report, "states"); state != NULL; state = state->next) {
        const char *input = cli_json_text(state, "input");
        const char *output = cli_json_text(state, "output");
        const oribi_json_value *fill = oribi_json_find(state, "fill");
        if (output == NULL) { /* the model's own */
            continue;
        }
        const int in = input != NULL ? find(v, input, false) : -1, out = find(v, output, true);
        if (in < 0 || out < 0 || fill == NULL || fill->kind != ORIBI_JSON_NUMBER ||
            v->n_states == VERIFY_MAX_PORTS) {
            cli_error("verify: report.json names a state that the model does not have");
            return false;
        }
        v->states[v->n_states++] =
            (verify_state){.input = in, .output = out, .fill = (int32_t)fill->integer};
    }
    return true;
}

bool verify_is_state(const verify *v, int port, bool is_output)
{
    bool is = false;
    for (int k = 0; k < v->n_states; k++) {
        is = is || port == (is_output ? v->states[k].output : v->states[k].input);
    }
    return is;
}

/* A tensor as input `index` wants it. */
static TF_Tensor *make(const verify *v, int index)
{
    cli_dims dims;
    (void)cli_port_dims(v->session.model, true, index, true, &dims);
    return cli_tensor(oribi_model_input_type(v->session.model, index), &dims);
}

void verify_states_reset(verify *v)
{
    for (int k = 0; k < v->n_states; k++) {
        verify_state *s = &v->states[k];
        if (s->value != NULL) {
            TF_DeleteTensor(s->value);
        }
        s->value = make(v, s->input);
        uint8_t *bytes = TF_TensorData(s->value);
        const size_t n = TF_TensorByteSize(s->value);
        const bool is_wide = TF_TensorType(s->value) == TF_INT16;
        memset(bytes, is_wide ? 0 : (uint8_t)s->fill, n); /* 0 in types of more bytes */
        for (size_t i = 0; is_wide && i + 1 < n; i += 2) {
            const int16_t value = (int16_t)s->fill;
            memcpy(bytes + i, &value, sizeof value);
        }
    }
}

void verify_states_put(const verify *v, TF_Tensor **inputs)
{
    for (int k = 0; k < v->n_states; k++) {
        const verify_state *s = &v->states[k];
        TF_Tensor *copy = make(v, s->input);
        memcpy(TF_TensorData(copy), TF_TensorData(s->value), TF_TensorByteSize(copy));
        inputs[s->input] = copy;
    }
}

bool verify_states_take(const verify *v, TF_Tensor *const *outputs)
{
    for (int k = 0; k < v->n_states; k++) {
        const verify_state *s = &v->states[k];
        if (TF_TensorByteSize(outputs[s->output]) != TF_TensorByteSize(s->value)) {
            cli_error("verify: input and output of a state have different sizes");
            return false;
        }
        memcpy(TF_TensorData(s->value), TF_TensorData(outputs[s->output]),
               TF_TensorByteSize(s->value));
    }
    return true;
}

void verify_states_free(verify *v)
{
    for (int k = 0; k < v->n_states; k++) {
        if (v->states[k].value != NULL) {
            TF_DeleteTensor(v->states[k].value);
        }
    }
}
