/* SPDX-License-Identifier: Apache-2.0 */
/* ONNX Runtime as a side: a model's file goes through the Python that the user names (or python3),
 * values through files in a folder that is removed. Nothing of it is ours to install: where it is
 * absent, a message says what to do.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compare/compare.h"
#include "verify/verify.h"

enum { ABSENT = 9, SECONDS = 3600 };

/* Arguments: the model, inputs, outputs, values of all nodes ("" without). */
static const char script[] =
    "import sys\n"
    "from urllib.parse import unquote\n"
    "model, given, outputs, nodes = sys.argv[1:5]\n"
    "try:\n"
    "    import numpy, onnxruntime\n"
    "    if nodes:\n"
    "        import onnx\n"
    "except ImportError as error:\n"
    "    print(error, file=sys.stderr)\n"
    "    sys.exit(9)\n"
    "options = onnxruntime.SessionOptions()\n"
    "options.log_severity_level = 3\n"
    "names = []\n"
    "if nodes:\n"
    "    loaded = onnx.load(model)\n"
    "    there = {output.name for output in loaded.graph.output}\n"
    "    for node in loaded.graph.node:\n"
    "        for name in node.output:\n"
    "            if name and name not in there:\n"
    "                loaded.graph.output.append(onnx.ValueInfoProto(name=name))\n"
    "                names.append(name)\n"
    "    model = loaded.SerializeToString()\n"
    "session = onnxruntime.InferenceSession(model, options, providers=['CPUExecutionProvider'])\n"
    "there = [output.name for output in session.get_outputs()]\n"
    "arrays = [(unquote(k), v) for k, v in numpy.load(given).items()]\n"
    "wanted = [port.name for port in session.get_inputs()]\n"
    "if len(arrays) == len(wanted) and {k for k, _ in arrays} != set(wanted):\n"
    "    arrays = [(name, v) for name, (_, v) in zip(wanted, arrays)]\n"
    "results = session.run(there, dict(a for a in arrays if a[0] in wanted))\n"
    "pairs = [(k, v) for k, v in zip(there, results) if isinstance(v, numpy.ndarray)]\n"
    "own = [k for k in there if k not in names]\n"
    "def store(path, pairs):\n"
    "    with open(path, 'wb') as file:\n"
    "        numpy.savez(file, **dict(pairs))\n"
    "store(outputs, [p for p in pairs if p[0] in own])\n"
    "if nodes:\n"
    "    store(nodes, pairs)\n";

static int write_inputs(const compare_values *inputs, const char *path)
{
    const char **names = cli_alloc(((size_t)inputs->n + 1) * sizeof *names);
    TF_Tensor **tensors = cli_alloc(((size_t)inputs->n + 1) * sizeof *tensors);
    size_t bytes;

    for (int i = 0; i < inputs->n; i++) {
        names[i] = inputs->at[i].name;
        tensors[i] = inputs->at[i].tensor;
    }
    uint8_t *npz = cli_npz_format(names, tensors, inputs->n, &bytes);
    const int code = npz == NULL ? CLI_BAD_INPUT : cli_write_file(path, npz, bytes, true);
    free(npz);
    free(names);
    free(tensors);
    return code;
}

/* What Python said of a failure; an exit code. */
static int explain(int ended, const char *python, const char *log)
{
    if (ended == 0) {
        return CLI_OK;
    }
    verify_show(log, 40);
    if (ended == 127 || ended == ABSENT) {
        cli_error("compare: '%s' %s; name a Python that has numpy, onnxruntime and, for "
                  "--per-node, onnx with --python",
                  python, ended == 127 ? "is not there" : "lacks a package (see above)");
        return CLI_UNSUPPORTED;
    }
    cli_error("compare: ONNX Runtime cannot run the model (see above)");
    return CLI_BAD_INPUT;
}

static int run_in(const char *folder, const char *python, const char *model,
                  const compare_values *inputs, bool per_node, compare_side *out)
{
    char paths[4][512];
    static const char *const names[] = {"inputs.npz", "outputs.npz", "nodes.npz", "log"};

    for (int i = 0; i < 4; i++) {
        (void)snprintf(paths[i], sizeof paths[i], "%s/%s", folder, names[i]);
    }
    int code = write_inputs(inputs, paths[0]);
    if (code != CLI_OK) {
        return code;
    }
    const char *const argv[] = {
        python, "-c", script, model, paths[0], paths[1], per_node ? paths[2] : "", NULL};
    const verify_process process = {
        .argv = argv, .err = paths[3], .out = paths[3], .seconds = SECONDS};
    code = explain(verify_process_run(&process), python, paths[3]);
    if (code == CLI_OK && (!compare_values_read(&out->outputs, paths[1]) ||
                           (per_node && !compare_values_read(&out->nodes, paths[2])))) {
        code = CLI_BAD_INPUT;
    }
    return code;
}

int compare_python_run(const cli_args *args, const char *model, const compare_values *inputs,
                       bool per_node, compare_side *out)
{
    const char *given = cli_value(args, "--python"), *base = getenv("TMPDIR");
    char folder[400];

    base = base == NULL || base[0] == 0 ? "/tmp" : base;
    compare_values_free(&out->outputs);
    compare_values_free(&out->nodes);
    if (snprintf(folder, sizeof folder, "%s/oribi-compare-XXXXXX", base) >= (int)sizeof folder ||
        mkdtemp(folder) == NULL) {
        cli_error("%s: %s", folder, strerror(errno));
        return CLI_BAD_INPUT;
    }
    const int code =
        run_in(folder, given != NULL ? given : "python3", model, inputs, per_node, out);
    verify_remove_folder(folder);
    return code;
}
