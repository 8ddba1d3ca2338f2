/* SPDX-License-Identifier: Apache-2.0 */
/* Entry of the command `oribi`: the table of commands and the dispatch. Read next: args.c,
 * cmd_run.c.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

const cli_command cli_commands[] = {
    {"run", "MODEL", "run a model on inputs and print or store its outputs",
     "Inputs are given with -i, by name or by index:\n"
     "  -i picture=@cat.png         image (png, jpg, bmp): resized and scaled to the input\n"
     "  -i 0=@x.npy                 npy, npz[:member], csv, wav, pb (ONNX's TensorProto), bin "
     "(raw)\n"
     "  -i 0=@folder/               a run for each file, in order of name\n"
     "  -i 0=[@a.png,@b.png]        a batch; [@folder/] is all of its files\n"
     "  -i 0=@-                     standard input: npy, npz or a picture, else raw bytes\n"
     "  -i x=2x3xf32=1,2,3,4,5,6    shape, type and values; of str: 2xstr=a,b (\\, is a comma)\n"
     "  -i x=rand:7 / -i x=ramp     seeded random numbers in [0, 1) / element i is i/n\n"
     "An input given several times makes several runs, in order.\n"
     "--shard divides the runs among processes, which write a file for each: -o out/{}.npz.",
     "  oribi run model.onnx -i picture=@cat.png --top-k 3\n"
     "  oribi run model.onnx -i 0=rand:1 -o result.npz --force\n"
     "  oribi run model.tflite -i 0=ramp --json\n"
     "  mpirun oribi run model.onnx -i 0=@folder/ -o out/{}.npz --shard auto --resume",
     cmd_run_options, cmd_run},
    {"compile", "MODEL...", "make C99 for a microcontroller of models",
     "Writes tvmgen_NAME.h, .c and _weights.c, the kernels that they use, build files,\n"
     "metadata.json and report.json. The C needs no heap and no library but memcpy, memmove and\n"
     "memset, and computes bit for bit what `oribi run` computes. Several models share their\n"
     "kernels and may share a workspace. docs/reference/compile.md tells what each option does.",
     "  oribi compile model.tflite -o model_c\n"
     "  oribi compile model.onnx -o model_c --io pool --layout plain --force",
     cmd_compile_options, cmd_compile},
    {"verify", "MODEL", "compile a model, run the C and compare it with `oribi run` bit for bit",
     "A model for accelerators is run with their drivers: --target-device KIND --driver DIR.\n"
     "DIR/driver.json lists the sources of the driver by platform, the functions that start and\n"
     "stop a device, and how it is reached: not at all, by a line, by a window of memory. The far\n"
     "end of a line is C of that folder, too, and runs on this machine. The format:\n"
     "docs/reference/driver-manifest.md.",
     "  oribi verify model.tflite --runs 2", cmd_verify_options, cmd_verify},
    {"compare", "A B", "do two models, or two ways of running one, give the same?",
     "A and B are two of: a model; an .npz of values by name, as `oribi run -o` and NumPy write "
     "it;\n"
     "`onnxruntime`, which runs A's file in your Python. With one argument the model is both, and\n"
     "--a and --b say what differs. Both get the inputs of -i, else those that the .npz has under\n"
     "their names, else random ones.\n"
     "An element agrees within atol + rtol * |B's|, or within --ulp. Exit code 1: some do not.",
     "  oribi compare model.onnx --b \"--kernels micro\"\n"
     "  oribi compare model.onnx result.npz -i 0=rand:1 --rtol 1e-4\n"
     "  oribi compare model.onnx model.onnx --per-node --ulp 4",
     cmd_compare_options, cmd_compare},
    {"device-serve", "MODEL", "play the accelerator of a model's devices for a board",
     "Builds the far end that the driver's folder brings (driver.json: far_end) and runs it on a\n"
     "line, with --window on shared memory, too. The operators of MODEL that its devices take are\n"
     "computed by the kernels of `oribi run`. MODEL and the target options are those of the\n"
     "board's compilation.\n"
     "It prints \"serving on LINE\" and ends with the line, or on SIGINT and SIGTERM.",
     NULL, cmd_device_serve_options, cmd_device_serve},
    {"inspect", "MODEL", "show inputs, outputs, steps, memory and what the passes changed", NULL,
     "  oribi inspect model.onnx\n"
     "  oribi inspect model.onnx --memory\n"
     "  oribi inspect model.onnx --html model.html\n"
     "  oribi inspect model.onnx --explain softmax",
     cmd_inspect_options, cmd_inspect},
    {"bench", "MODEL", "time a model: warm-up, then repeated runs; median, minimum, spread", NULL,
     "  oribi bench model.onnx --runs 20\n"
     "  oribi bench model.onnx --threads 1 --profile",
     cmd_bench_options, cmd_bench},
    {"profile", "MODEL", "where the time goes, by node and by op; slower than it was?",
     "The least time of each step of several runs, its share of all, multiply-adds, bytes moved,\n"
     "and which part that is of what this machine can do at most, which is measured then.\n"
     "Exit code 1: with --baseline, all steps together are slower by more than --tolerance.",
     "  oribi profile model.onnx --threads 1\n"
     "  oribi profile model.onnx --html profile.html --csv profile.csv\n"
     "  oribi profile model.onnx --save before.json\n"
     "  oribi profile model.onnx --baseline before.json --tolerance 5",
     cmd_profile_options, cmd_profile},
    {"quantise", "MODEL", "make an int8 model of a float ONNX model",
     "Weights become int8 with a scale for each channel, values int8 with a scale that the files "
     "of\n"
     "--data tell, each of which is a sample, read as -i of `oribi run` reads it: pictures, npy, "
     "and\n"
     "npz by name for models of several inputs. The result is ONNX (QDQ) that `oribi run` and\n"
     "`oribi compile` compute with integers. At the end both models run over the data: the error\n"
     "of each layer, and how often the largest element is the same one (top-1).\n"
     "Exit code 1: with --min-agreement, an output agrees less often.",
     "  oribi quantise model.onnx --data pictures -o model_int8.onnx\n"
     "  oribi quantise model.onnx --data samples -o int8.onnx --calibrate percentile:99.9",
     cmd_quantise_options, cmd_quantise},
    {"pack", "MODEL", "write a model with its weights packed, to be mapped and run at once",
     "FILE holds the optimised graph and the weights as kernels want them: opening it packs\n"
     "nothing, and processes share it. It is for this version of Oribi and kernels such as this\n"
     "processor's; elsewhere a message says so, and what to run again. "
     "docs/reference/running/pack.md.",
     "  oribi pack model.onnx -o model.oribi --force\n"
     "  oribi run model.oribi -i 0=@cat.png",
     cmd_pack_options, cmd_pack},
    {"serve", "MODEL|FOLDER", "answer requests for models over HTTP (Open Inference Protocol)",
     "FOLDER has NAME.onnx, or NAME/VERSION/*.onnx; SIGHUP reads it again. It prints where it\n"
     "listens, is ready when its models have run once, and ends on SIGTERM when the last request\n"
     "is answered. It has no TLS and asks nobody who they are: put a proxy before it. "
     "docs/reference/running/serve.md.",
     NULL, cmd_serve_options, cmd_serve},
    {"ops", "[NAME]", "list the known ops, or one in full", NULL,
     "  oribi ops\n"
     "  oribi ops Conv2D",
     cmd_ops_options, cmd_ops},
    {"devices", "", "list the devices that plugins bring", NULL, "  oribi devices",
     cmd_devices_options, cmd_devices},
    {"plugin",
     "list | info FILE | describe FILE | check FILE | rules [P012] | test FILE | "
     "replay FILE | new NAME",
     "list plugins; look into one, check and test it; begin a new one",
     "list            plugins of this process\n"
     "  info FILE       load it and say what it brings\n"
     "  describe FILE   note, needs, ops and kernels, without loading it here\n"
     "  check FILE      what would stop it on another machine or in another host\n"
     "  rules [P012]    the rules of `check`, or what one of them means and what to do\n"
     "  test FILE       run its kernels on given and random inputs, each in a process of its own\n"
     "  replay FILE     once more a call that `run --record` wrote; of a plugin's kernel with\n"
     "                  --plugin\n"
     "  new NAME        a folder with a plugin that builds and passes its test\n"
     "FILE of `test` may be a built-in plugin: cpu, ops_core. Cases stand in --cases, in\n"
     "FILE.cases.json beside FILE.so, or in the plugin (ORIBI_PLUGIN_CASES).",
     "  oribi plugin list\n"
     "  oribi plugin rules P012\n"
     "  oribi plugin new my_op",
     cmd_plugin_options, cmd_plugin},
    {"explain", "[CODE]", "what an error's code means, and what to do",
     "An error ends with a line such as \"error ORB4005 (not found)\"; the first digit is the "
     "exit\n"
     "code. With --json that line is an object {\"error\": {\"code\": ...}} on standard error. "
     "Codes "
     "do\nnot change their meaning from version to version; without one all are listed.",
     "  oribi explain ORB4005\n"
     "  oribi explain --json",
     cmd_explain_options, cmd_explain},
    {"help", "[COMMAND]", "this text, or one command in full", NULL,
     "  oribi help run\n"
     "  oribi help --generate man",
     cmd_help_options, cmd_help},
    {NULL, NULL, NULL, NULL, NULL, NULL, NULL},
};

static const cli_command *find_command(const char *name)
{
    const char *names[32];
    size_t n = 0;

    for (const cli_command *c = cli_commands; c->name != NULL; c++) {
        if (strcmp(c->name, name) == 0) {
            return c;
        }
        names[n++] = c->name;
    }
    const char *near = oribi_text_did_you_mean(name, names, n);
    cli_error("unknown command '%s'%s%s%s; `oribi help` lists them", name,
              near == NULL ? "" : ", did you mean '", near == NULL ? "" : near,
              near == NULL ? "" : "'?");
    return NULL;
}

/* What a command printed must have arrived. Its code, or CLI_LIMIT. */
static int end_output(int code)
{
    const bool failed_before = ferror(stdout) != 0; /* errno is another's by now */

    if (fflush(stdout) != 0 || failed_before) {
        cli_error("cannot write to standard output%s%s", failed_before ? "" : ": ",
                  failed_before ? "" : strerror(errno));
        return code == CLI_OK ? CLI_LIMIT : code;
    }
    return code;
}

int main(int argc, char **argv)
{
    oribi_set_log(cli_log, NULL);
    cli_guard_files();
    cmd_compile_prepare();
    cmd_verify_prepare();
    (void)signal(SIGXFSZ, SIG_IGN); /* a file that may not grow is an error of its writer */
    if (argc < 2) {
        cli_help_all();
        return CLI_USAGE;
    }
    if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0 ||
        strcmp(argv[1], "version") == 0) {
        printf("oribi %s\n", oribi_version());
        return end_output(CLI_OK);
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        cli_help_all();
        return end_output(CLI_OK);
    }
    const cli_command *command = find_command(argv[1]);
    if (command == NULL) {
        cli_tell_code(CLI_USAGE, false);
        return CLI_USAGE;
    }
    for (int i = 2; i < argc; i++) {
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
            cli_help_command(command);
            return end_output(CLI_OK);
        }
    }
    cli_args *args = cli_args_parse(command, argc - 2, argv + 2);
    if (args == NULL) {
        cli_tell_code(CLI_USAGE, false);
        return CLI_USAGE;
    }
    int code = !cli_inputs_expand(args) ? CLI_BAD_INPUT
               : cli_needs_check(args)  ? command->run(args)
                                        : CLI_USAGE;
    code = end_output(code);
    cli_tell_code(code, cli_has(args, "--json"));
    cli_args_destroy(args);
    return code;
}
