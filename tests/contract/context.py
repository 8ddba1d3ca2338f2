# SPDX-License-Identifier: Apache-2.0
"""When a function of the contract may be called, on which threads, whether it allocates, and how it says
that it failed: four words, read from the headers.

What a function takes decides, unless its comment has a tag of its own:

    @context WORD ...       in a comment: for the prototypes behind it, up to the next comment

when     any, load (TF_InitKernel and its kin), create, run (compute), shape (shape functions), optimise (graph
         optimisers), compile (targets), app (applications)
thread   any-thread; one-thread: one call at a time on its first argument; own-thread: the thread of compute
memory   no-allocation: once each shape was seen; else it may allocate
errors   status, value (NULL, false, a number), none
"""
import pathlib
import re

import dump

WORDS = {"when": ("any", "load", "create", "run", "shape", "optimise", "compile", "app"),
         "thread": ("any-thread", "one-thread", "own-thread"),
         "memory": ("allocates", "no-allocation"),
         "errors": ("status", "value", "none")}
# The first that a prototype takes says when, and whether its object is one thread's.
OBJECTS = (("TF_OpKernelContext", "run", "any-thread"), ("TF_OpKernelConstruction", "create", "one-thread"),
           ("TF_ShapeInferenceContext", "shape", "one-thread"), ("TF_OpDefinitionBuilder", "load", "one-thread"),
           ("TF_KernelBuilder", "load", "one-thread"), ("TF_GrapplerItem", "optimise", "any-thread"),
           ("TF_GraphProperties", "optimise", "one-thread"), ("TF_FunctionLibraryDefinition", "optimise", "any-thread"),
           ("oribi_region", "compile", "one-thread"), ("oribi_target_code", "compile", "one-thread"),
           ("oribi_target", "load", "one-thread"), ("TF_Status", "any", "one-thread"), ("TSL_Status", "any", "one-thread"),
           ("oribi_options", "app", "one-thread"), ("oribi_run", "app", "one-thread"), ("oribi_compile", "app", "one-thread"),
           ("oribi_desk", "app", "one-thread"), ("TF_ShapeHandle", "shape", "one-thread"),
           ("TF_DimensionHandle", "shape", "one-thread"), ("TF_KernelOp", "create", "one-thread"))
TOKEN = re.compile(r"(?P<comment>/\*.*?\*/)|TF_CAPI_EXPORT\s+extern\s+(?P<result>[^;{]*?)\b(?P<name>(?:TF|TSL|SE|SP|TP|oribi)_?\w+)"
                   r"\s*\((?P<params>[^;]*)\)\s*;", re.S)


def by_signature(name, result, params):
    when, thread = ("app" if name.startswith("oribi_") else "any"), "any-thread"
    first = params.split(",")[0]
    for kind, its_when, its_thread in OBJECTS:
        if re.search(rf"\b{kind}\b", first + " " + (result if "New" in name or "create" in name else "")):
            when, thread = its_when, its_thread
            break
    is_about_status = re.search(r"(?:Delete|Get|New|Set|ForEach)(?:Status|Code|Payload)|Message$", name) is not None
    says = re.search(r"\b(?:TF|TSL)_Status \*\w*$", params.strip()) is not None and not is_about_status
    errors = "status" if says else "none" if result.strip() == "void" else "value"
    return {"when": when, "thread": thread, "memory": "allocates", "errors": errors}


def contexts_of(text, where):
    """name: the four words; and what is wrong with tags."""
    out, problems, tag = {}, [], []
    for m in TOKEN.finditer(text):
        if m["comment"]:
            line = re.search(r"@context((?: +[\w-]+)+)", m["comment"])
            tag = line[1].split() if line else []
            if "@context" in m["comment"] and not tag:
                problems.append(f"{where}: a tag @context without words")
            continue
        words = by_signature(m["name"], m["result"], m["params"])
        for word in tag:
            kinds = [kind for kind, known in WORDS.items() if word in known]
            if not kinds:
                problems.append(f"{where}: {m['name']} has the unknown tag '{word}'")
            elif words[kinds[0]] == word:
                problems.append(f"{where}: {m['name']} is '{word}' by what it takes: leave the tag out")
            else:
                words[kinds[0]] = word
        if words["errors"] == "status" and "TF_Status" not in m["params"]:
            problems.append(f"{where}: {m['name']} is tagged 'status' and takes none")
        out[m["name"]] = words
    return out, problems


def contexts(include):
    out, problems = {}, []
    for header in dump.headers(include):
        found, wrong = contexts_of((pathlib.Path(include) / header).read_text(), str(header))
        out.update(found)
        problems += wrong
    return out, problems


def planted_faults():
    start = "TF_CAPI_EXPORT extern int TF_Planted(TF_OpKernelContext *ctx, TF_Status *status);"
    good = {"when": "run", "thread": "any-thread", "memory": "no-allocation", "errors": "status"}
    out, problems = [], contexts_of(f"/* x\n * @context no-allocation */\n{start}", "planted")
    if problems != ({"TF_Planted": good}, []):
        out.append(f"context.py: reads {problems}")
    for tag in ("fast", "run", "status"):
        if not contexts_of(f"/* @context {tag} */\n{start}", "planted")[1]:
            out.append(f"context.py: takes the tag '{tag}'")
    if contexts_of(f"/* @context no-allocation */\n/* next */\n{start}", "planted")[0]["TF_Planted"]["memory"] != "allocates":
        out.append("context.py: a tag outlives its comment")
    return out
