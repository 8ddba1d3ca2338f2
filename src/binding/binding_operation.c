/* SPDX-License-Identifier: Apache-2.0 */
/* What an operation says about itself. Inputs, outputs and attributes are settled when it is put
 * into its graph; who reads it changes later.
 */
#include <string.h>

#include "binding/binding.h"

const char *TF_OperationName(TF_Operation *oper)
{
    return oper->name;
}

const char *TF_OperationOpType(TF_Operation *oper)
{
    return oper->type;
}

const char *TF_OperationDevice(TF_Operation *oper)
{
    return oper->device;
}

/* --- Outputs -------------------------------------------------------------------------------- */

int TF_OperationNumOutputs(TF_Operation *oper)
{
    return oper->n_outputs;
}

/* -1: there is no such output, or its type is not known. */
static TF_DataType type_of(TF_Output output)
{
    const TF_Operation *of = output.oper;
    if (of == NULL || output.index < 0 || output.index >= of->n_outputs) {
        return (TF_DataType)-1;
    }
    oribi_mutex_lock(&of->graph->lock);
    const TF_DataType dtype = of->graph->known->values[of->outputs[output.index]]->dtype;
    oribi_mutex_unlock(&of->graph->lock);
    enum { REFERENCE = 100 }; /* DT_FLOAT_REF and so on */
    return dtype == 0 ? (TF_DataType)-1 : (TF_DataType)(dtype + (of->is_reference ? REFERENCE : 0));
}

TF_DataType TF_OperationOutputType(TF_Output oper_out)
{
    return type_of(oper_out);
}

/* How many values an argument has; -1, the status set: there is no such. */
static int length_of(const TF_Operation *oper, const oribi_arg_def *args, int32_t n,
                     const int32_t *starts, const char *name, TF_Status *status)
{
    TF_SetStatus(status, TF_OK, "");
    for (int32_t i = 0; starts != NULL && i < n; i++) {
        if (strcmp(args[i].name, name) == 0) {
            return starts[i + 1] - starts[i];
        }
    }
    oribi_fail(status, TF_INVALID_ARGUMENT, "Operation '%s' (%s) has no argument named '%s'",
               oper->name, oper->type, name);
    return -1;
}

int TF_OperationOutputListLength(TF_Operation *oper, const char *arg_name, TF_Status *status)
{
    return length_of(oper, oper->op != NULL ? oper->op->outputs : NULL,
                     oper->op != NULL ? oper->op->n_outputs : 0, oper->output_starts, arg_name,
                     status);
}

/* --- Inputs --------------------------------------------------------------------------------- */

int TF_OperationNumInputs(TF_Operation *oper)
{
    return oper->n_inputs;
}

TF_Output TF_OperationInput(TF_Input oper_in)
{
    const TF_Operation *of = oper_in.oper;
    return of != NULL && oper_in.index >= 0 && oper_in.index < of->n_inputs
               ? of->inputs[oper_in.index]
               : (TF_Output){NULL, -1};
}

TF_DataType TF_OperationInputType(TF_Input oper_in)
{
    return type_of(TF_OperationInput(oper_in));
}

int TF_OperationInputListLength(TF_Operation *oper, const char *arg_name, TF_Status *status)
{
    return length_of(oper, oper->op != NULL ? oper->op->inputs : NULL,
                     oper->op != NULL ? oper->op->n_inputs : 0, oper->input_starts, arg_name,
                     status);
}

void TF_OperationAllInputs(TF_Operation *oper, TF_Output *inputs, int max_inputs)
{
    for (int i = 0; i < oper->n_inputs && i < max_inputs; i++) {
        inputs[i] = oper->inputs[i];
    }
}

/* --- Who reads it --------------------------------------------------------------------------- */

/* Fills up to max places and tells how many there are in all. */
static int readers_of(TF_Operation *oper, int32_t port, TF_Input *inputs, TF_Operation **opers,
                      int max)
{
    int n = 0;
    oribi_mutex_lock(&oper->graph->lock);
    for (const oribi_binding_reader *r = oper->readers; r != NULL; r = r->next) {
        if (r->port != port) {
            continue;
        }
        if (inputs != NULL && n < max) {
            inputs[n] = r->input;
        }
        if (opers != NULL && n < max) {
            opers[n] = r->input.oper;
        }
        n++;
    }
    oribi_mutex_unlock(&oper->graph->lock);
    return n;
}

int TF_OperationOutputNumConsumers(TF_Output oper_out)
{
    return readers_of(oper_out.oper, oper_out.index, NULL, NULL, 0);
}

int TF_OperationOutputConsumers(TF_Output oper_out, TF_Input *consumers, int max_consumers)
{
    return readers_of(oper_out.oper, oper_out.index, consumers, NULL, max_consumers);
}

int TF_OperationNumControlOutputs(TF_Operation *oper)
{
    return readers_of(oper, -1, NULL, NULL, 0);
}

int TF_OperationGetControlOutputs(TF_Operation *oper, TF_Operation **control_outputs,
                                  int max_control_outputs)
{
    return readers_of(oper, -1, NULL, control_outputs, max_control_outputs);
}

int TF_OperationNumControlInputs(TF_Operation *oper)
{
    return oper->n_controls;
}

int TF_OperationGetControlInputs(TF_Operation *oper, TF_Operation **control_inputs,
                                 int max_control_inputs)
{
    for (int i = 0; i < oper->n_controls && i < max_control_inputs; i++) {
        control_inputs[i] = oper->controls[i];
    }
    return oper->n_controls;
}
