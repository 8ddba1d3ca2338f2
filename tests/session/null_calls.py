#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What happens when a pointer is NULL? Writes, for null_test.c, a call of every function that the
headers of include/oribi declare, with each of its pointers NULL in turn and everything else as it
should be. A function, a type or a pointer that this file does not know ends the build: say what
belongs there.

usage: null_calls.py OUTPUT HEADER..."""
import re
import sys

# What a caller would hand over, by type and, where that is not enough, by name.
VALID = {
    "oribi_options *": "given->options",
    "oribi_model *": "given->model",
    "oribi_session *": "given->session",
    "oribi_run *": "given->run",
    "oribi_compile *": "given->compile",
    "oribi_desk *": "given->desk",
    "oribi_region *": "given->region",
    "oribi_target_code *": "given->code",
    "oribi_region_tensor *": "&given->region_tensor",
    "oribi_target *": "&given->target",
    "oribi_target_scratch *": "&given->scratch",
    "oribi_thread_pool *": "&given->pool",
    "oribi_plugin_test_settings *": "&given->settings",
    "TF_Tensor *": "given->tensor",
    "TF_Tensor *const *": "given->tensors",
    "TF_Tensor **": "given->outputs",
    "TF_Buffer *": "given->buffer",
    "char *": '"no such thing"',
    "char *const *": "given->paths",
    "int64_t *": "given->dims",
    "float *": "given->floats",
    "int32_t *": "&given->number",
    "size_t *": "&given->bytes",
    "void *": "given->data",
    "TF_Status *": "status",
}
NUMBERS = {"int", "int32_t", "int64_t", "size_t", "uint64_t", "bool", "double"}
VALUE = {"alignment": "4", "index": "0"}  # else 1

# Pointers that may be NULL, each with what NULL means. They are called with NULL all the same.
MAY_BE_NULL = {
    "*.options": "the defaults, where the options are an argument among others",
    "*.hook": "switched off",
    "*.arg": "the caller's own",
    "oribi_set_allocator.*": "the C heap",
    "oribi_options_set_thread_pool.pool": "the pool is taken back",
    "oribi_model_from_memory.name": "a name of ours",
    "oribi_options_set_record.node": "the first call that fails",
    "oribi_plugin_replay.spec": "the built-in kernels",
    "oribi_plugin_test.settings": "the defaults",
    "oribi_run_set_output.tensor": "the run's own memory again",
    "oribi_compile_set_option.value": "a flag that is on",
    "oribi_region_attr_ints.values": "the count alone",
    "oribi_region_attr_floats.values": "the count alone",
    "oribi_target_set_body.declarations": "none",
    "oribi_target_set_state.initial": "zeros",
}


def declarations(path):
    text = re.sub(r"/\*.*?\*/", "", open(path, encoding="utf-8").read(), flags=re.S)
    for found in re.finditer(r"TF_CAPI_EXPORT extern\s+(.*?);", text, re.S):
        yield " ".join(found.group(1).split())


def arguments(text):
    """[(type, name)] of an argument list; pointers to functions have the type "hook"."""
    out, depth, word = [], 0, ""
    for c in text + ",":
        depth += (c == "(") - (c == ")")
        if c == "," and depth == 0:
            word = word.strip()
            hook = re.match(r".*?\(\*(\w+)\)\(", word)
            if hook:
                out.append(("hook", hook.group(1)))
            elif word != "void":
                kind, name = re.match(r"(.*?)(\w+)$", word).groups()
                out.append((re.sub(r"^const ", "", kind.strip()), name))
            word = ""
        else:
            word += c
    return out


def may_be_null(function, name):
    if name == "options" and function.startswith("oribi_options_"):
        return False
    return any(key in MAY_BE_NULL for key in (f"*.{name}", f"{function}.*", f"{function}.{name}"))


def valid(function, kind, name):
    if kind == "hook":
        return "NULL"
    if kind in NUMBERS:
        return VALUE.get(name, "1")
    if kind not in VALID:
        sys.exit(f"null_calls.py: {function}: no value for a '{kind}' is known; add one to VALID")
    return VALID[kind]


def main():
    calls, functions = [], 0
    for header in sys.argv[2:]:
        for text in declarations(header):
            function = re.search(r"(\w+)\(", text).group(1)
            args = arguments(text[text.index("(") + 1 : text.rindex(")")])
            functions += 1
            has_status = any(kind == "TF_Status *" for kind, _ in args)
            for at, (kind, name) in enumerate(args):
                if kind in NUMBERS or kind == "TF_Status *":
                    continue
                values = ["NULL" if i == at else valid(function, k, n)
                          for i, (k, n) in enumerate(args)]
                expected = "MUST_FAIL" if has_status else "MUST_RETURN"
                if may_be_null(function, name):
                    expected = "MUST_RETURN"
                calls.append((function, name, expected, ", ".join(values)))
    with open(sys.argv[1], "w", encoding="utf-8") as out:
        for i, (function, name, _, values) in enumerate(calls):
            out.write(f"static void call_{i}(null_givens *given, TF_Status *status)\n{{\n"
                      f"    (void)given;\n    (void)status;\n    (void){function}({values});\n}}\n")
        out.write("static const null_call calls[] = {\n")
        for i, (function, name, expected, _) in enumerate(calls):
            out.write(f'    {{"{function}", "{name}", {expected}, call_{i}}},\n')
        out.write(f"}};\nenum {{ N_FUNCTIONS = {functions} }};\n")


main()
