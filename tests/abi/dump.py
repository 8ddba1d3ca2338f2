#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Flattened dump of the contract: one line for each struct member, enumerator, function prototype and
numeric macro of the public headers, as a compiler lays them out.

    dump.py INCLUDE_FOLDER COMPILER

A probe object names every type and points at every function, since types that only hide behind void
pointers are invisible to a dump of the library; abidw (Debian: abigail-tools) reads its debug data.
"""
import pathlib
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET

PROTOTYPE = re.compile(r"TF_CAPI_EXPORT\s+extern\s+[^;{]*?\b((?:TF|TSL|SE|SP|TP|oribi)_?\w+)\s*\(", re.S)
INLINE = re.compile(r"^static inline [^;{()]*?\b(oribi_micro_\w+)\s*\(", re.M)  # of include/micro: texts of plugins call them
STRUCT = re.compile(r"^typedef struct (\w+) \{", re.M)
ENUM = re.compile(r"^typedef enum (\w+) \{", re.M)
MACRO = re.compile(r"^#define ((?:TF|SE|SP|TP|ORIBI)_\w+)[ \t]+(\S.*)$", re.M)


CXX_ONLY = ("absl", "third_party", "unsupported", "tensorflow/cc", "tensorflow/core", "tensorflow/lite", "tsl",  # the C++ face: source, not ABI
            "tvm/device")  # the firmware's own, one struct a platform


def headers(include):
    names = (p.relative_to(include) for p in pathlib.Path(include).rglob("*.h"))
    return sorted(n for n in names if not n.as_posix().startswith(CXX_ONLY))


def strip_comments(text):
    return re.sub(r"/\*.*?\*/", " ", text, flags=re.S)


def probe_text(include):
    names = {"struct": set(), "enum": set(), "fn": set(), "inline": set(), "macro": set()}
    lines = []
    for header in headers(include):
        text = strip_comments((pathlib.Path(include) / header).read_text())
        lines.append(f'#include "{header}"')
        names["struct"] |= set(STRUCT.findall(text))
        names["enum"] |= set(ENUM.findall(text))
        names["fn"] |= set(PROTOTYPE.findall(text))
        names["inline"] |= set(INLINE.findall(text))
        for macro, value in MACRO.findall(text):
            if macro.startswith(("ORIBI_VERSION", "ORIBI_CONTRACT_VERSION")):
                continue  # grows with every version
            if re.match(r"^(?:TSL_\w+|\(?-?\d+\w*\)?|TF_OFFSET_OF_END.*)$", value.strip()):
                names["macro"].add(macro)
    lines += ["#include <stdio.h>", "struct probe {"]
    lines += [f"    {t} *t_{t};" for t in sorted(names["struct"] | names["enum"])]
    lines += [f"    __typeof__(&{f}) f_{f};" for f in sorted(names["fn"])]
    lines += [f"    __typeof__(&{f}) i_{f};" for f in sorted(names["inline"])]
    lines += ["} oribi_abi_probe;", "#ifdef PRINT", "int main(void) {"]
    lines += [f'    printf("macro {m} %lld\\n", (long long)({m}));' for m in sorted(names["macro"])]
    lines += [f'    printf("size {t} %d\\n", (int)sizeof({t}));'
              for t in sorted(names["struct"] | names["enum"])]
    return "\n".join(lines + ["    return 0; }", "#endif", ""])


class Types:
    """Names of the types of an abidw document."""

    def __init__(self, root):
        self.by_id = {e.get("id"): e for e in root.iter() if e.get("id")}

    def name(self, type_id, depth=0):
        element = self.by_id.get(type_id)
        if element is None:
            return "void"
        tag = element.tag
        if tag == "typedef-decl" and self.is_function_pointer(element.get("type-id")):
            return self.name(element.get("type-id"), depth)
        if tag in ("type-decl", "class-decl", "enum-decl", "typedef-decl", "union-decl"):
            return {"_Bool": "bool"}.get(element.get("name"), element.get("name"))
        if tag == "pointer-type-def":
            return self.name(element.get("type-id"), depth + 1) + " *"
        if tag == "qualified-type-def":
            return self.name(element.get("type-id"), depth) + " const"
        if tag == "array-type-def":
            return self.name(element.get("type-id"), depth) + f"[{element.get('size-in-bits')}]"
        if tag == "function-type":
            # A const on a by-value parameter is no part of the prototype; compilers differ in telling.
            parameters = [self.name(p.get("type-id"), depth + 1) if not p.get("is-variadic") else "..."
                          for p in element.findall("parameter")]
            parameters = [re.sub(r" const$", "", p) for p in parameters]
            result = self.name(element.find("return").get("type-id"), depth + 1)
            return f"{result}({', '.join(parameters)})"
        return tag

    def is_function_pointer(self, type_id):
        element = self.by_id.get(type_id)
        return element is not None and element.tag == "pointer-type-def" and \
            self.by_id.get(element.get("type-id"), element).tag == "function-type"


def flatten(xml_text, structs):
    root = ET.fromstring(xml_text)
    types = Types(root)
    for element in root.iter():
        if element.tag == "enum-decl":
            for item in element.findall("enumerator"):
                yield f"enum {element.get('name')}.{item.get('name')} {item.get('value')}"
        if element.tag != "class-decl" or element.get("is-declaration-only"):
            continue
        for member in element.findall("data-member"):
            var = member.find("var-decl")
            name, kind = var.get("name"), types.name(var.get("type-id"))
            if element.get("name") == "probe":
                if name.startswith("f_"):
                    yield f"fn {name[2:]} {kind.removesuffix(' *')}"
                elif name.startswith("i_"):
                    yield f"inline {name[2:]} {kind.removesuffix(' *')}"
            elif element.get("name") in structs:
                yield f"struct {element.get('name')}.{name} {member.get('layout-offset-in-bits')} {kind}"


def dump(include, compiler):
    language = ["-x", "c++", "-std=c++14"] if compiler.startswith(("g++", "clang++")) else \
        ["-x", "c", "-std=c11"]
    with tempfile.TemporaryDirectory() as work:
        source = pathlib.Path(work) / "probe.c"
        text = probe_text(include)
        structs = set(re.findall(r"\*t_(\w+);", text))
        source.write_text(text)
        if compiler.startswith("clang"):
            language.append("-fstandalone-debug")  # else types behind pointers stay incomplete
        base = [compiler, *language, "-g", "-w", f"-I{include}", str(source)]
        subprocess.run([*base, "-c", "-o", f"{work}/probe.o"], check=True)
        xml = subprocess.run(["abidw", "--no-show-locs", "--no-corpus-path", f"{work}/probe.o"],
                             check=True, capture_output=True, text=True).stdout
        # Only sizes and macros are printed; what the probe points at need not be there.
        subprocess.run([*base, "-DPRINT", "-Doribi_abi_probe=oribi_abi_probe", "-o",
                        f"{work}/probe"], check=True)
        printed = subprocess.run([f"{work}/probe"], check=True, capture_output=True, text=True).stdout
    return sorted(set(flatten(xml, structs)) | set(printed.split("\n")) - {""})


if __name__ == "__main__":
    print("\n".join(dump(sys.argv[1], sys.argv[2])))
