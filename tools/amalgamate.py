#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Which two files are the library? Writes oribi.c and oribi.h: readers, passes, executor, plain kernels and those for AVX2 and NEON.

    amalgamate.py OUT       then: cc -std=c11 -O2 app.c oribi.c -lm -lpthread

Left out: `oribi compile` and what serves it, the author's tools, desks, kernels for AVX-512. How it is done:

- Headers come first, each once, those that they include before them.
- Then the files of C. What a file calls its own (static functions and variables, types, constants) gets the file's name behind its
  own, `sum` of dot.c becomes `sum__dot`, and its macros end with it. A preprocessor says which names those are, because many are made
  by macros. A macro of that name renames it, so that pasted names are renamed, too; where a member of a struct has the name, which
  must stay as it is, the text is changed instead.
- Headers of vectors, which mean another thing in each file of an instruction set, are part of the file that includes them.
- A file of an instruction set is compiled for it by a pragma, where there is such a processor.

The same tree gives the same bytes.
"""
import collections
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parent.parent
# Rooms are those that the build lists (cmake/library.cmake), but for what `oribi compile` and authors of plugins use.
BUILD = (SOURCE / "cmake/library.cmake").read_text()
ROOMS = [f"src/{r}" for r in dict.fromkeys(["format", *re.findall(r"src/(\w+)/", BUILD[:BUILD.index("ORIBI_FORMAT_SOURCES")])])
         if r not in ("author", "compile", "desk")]
ROOMS += ["src/author/verdict.c", *(f"plugins/{p}" for p in re.findall(r"^oribi_plugin\((\w+)", BUILD, re.M)), "micro"]
NOT = re.compile(r"src/plugin/probe/|src/base/windows/|plugins/cpu/base/cpu_extra\.c|_x86_(avx512|vnni)|_arm_dotprod|_riscv_\w+\.c")
FOLDERS = ["include", "src", "plugins", "", "micro"]  # where includes are looked for
SETS = {"avx2": ("x86", "defined(__x86_64__)", "avx2,fma"), "neon": ("arm", "defined(__aarch64__)", None)}
PLATFORMS = {"x86": ["-D__x86_64__=1", "-D__FMA__=1", "-D__AVX2__=1"], "arm": ["-D__aarch64__=1"]}
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"].*$', re.M)
PART = r"plugins/cpu/.*(?:/vector_|_x86_|_arm_)|micro/recurrent/recurrent_walk|micro/conv/conv2d_windows|micro/\w+/\w+_f32_body|micro/quads/|plugins/cpu/.*_loops\.h|micro/norm/inverse_root"
OWN_FUNCTION = r"^(?:ORIBI_MICRO_INLINE|static)\b[^;={}()]*?\b(?!oribi|ORIBI)\w+\("  # a name that other files may have, too
TOKEN = re.compile(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'|[A-Za-z_]\w*|->|\.?\d[\w.]*|\.\.\.|\s+|.', re.S)
WORDS = {"static", "const", "inline", "struct", "union", "enum", "void", "int", "char", "long", "short", "unsigned", "signed", "float", "double",
         "volatile", "restrict", "_Bool", "_Atomic", "extern", "register", "_Alignas", "__attribute__", "_Noreturn", "typedef", "sizeof",
         "_Thread_local", "__extension__", "__thread"}


def read(path):
    """Without comments, which are for the tree's readers; lines that a backslash goes on are one."""
    text = (SOURCE / path).read_text().replace("\\\n", " ")
    text = re.sub(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'|//[^\n]*|/\*.*?\*/',
                  lambda m: (" " + "\n" * m[0].count("\n")) if m[0].startswith("/") else m[0], text, flags=re.S)
    return re.sub(r"[ \t]+\n", "\n", re.sub(r"\n\s*\n+", "\n", text))


def find(name, where):
    """The file that an include names, relative to the tree; None: a system's."""
    for folder in (os.path.dirname(where), *FOLDERS):
        path = os.path.normpath(os.path.join(folder, name))
        if (SOURCE / path).is_file():
            return path
    return None


class Tree:
    def __init__(self):
        self.texts, self.own = {}, {}
        self.parts = isa_parts()

    def text(self, path):
        if path not in self.texts:
            self.texts[path] = self.parts if path == "isa_parts.h" else read(path)
        return self.texts[path]

    def includes(self, path):
        return [(kind, name, "isa_parts.h" if name == "isa_parts.h" else find(name, path)) for kind, name in INCLUDE.findall(self.text(path))]

    def is_part(self, path):
        """Is the file's text a part of whatever includes it? Of the kernels' headers those that have functions of their own."""
        if path not in self.own:
            self.own[path] = path.endswith((".inc", ".c", "_bodies.h", "_body.h")) or re.search(PART, path) is not None
            if path.startswith(("micro/", "plugins/cpu/")) and not path.startswith("micro/geometry/") and not self.own[path]:
                self.own[path] = re.search(OWN_FUNCTION, self.text(path), re.M) is not None or \
                    any(p is not None and not p.endswith(".inc") and self.is_part(p) for _, _, p in self.includes(path))
        return self.own[path]


def sources():
    found = []
    for room in ROOMS:
        place = SOURCE / room
        found += sorted(p.relative_to(SOURCE).as_posix() for p in (place.rglob("*.c") if place.is_dir() else [place]))
    return [p for p in found if not NOT.search(p)]


def set_of(path):
    match = re.search(r"_(?:x86|arm)_(\w+)\.c$", path)
    return SETS[match[1]] if match else None


def isa_parts():
    """The header that the build makes: which part has a file for which set, on each kind of processor."""
    rows = {}
    for path in sources():
        match = re.search(r"/([a-z0-9_]+?)_(portable|x86_avx2|arm_neon)\.c$", path)
        if match and path.startswith("plugins/cpu/"):
            rows.setdefault(match[1], []).append(match[2])
    text = "#ifndef ORIBI_ISA_PARTS_H_\n#define ORIBI_ISA_PARTS_H_\n"
    for condition, kinds in (("#if defined(__x86_64__)", "x86"), ("#elif defined(__aarch64__)", "arm"), ("#else", "none")):
        text += condition + "\n"
        for part, sets in sorted(rows.items()):
            names = [s.split("_")[-1] for s in sorted(sets, key=lambda s: s != "portable") if s == "portable" or s.startswith(kinds)]
            text += f"#define ORIBI_ISAS_OF_{part}(ROW)" + "".join(f" ROW({part}, {n})" for n in names) + "\n"
    return text + "#endif\n#endif\n"


def headers(tree, files):
    """Those that are shared, each behind what it includes."""
    order, seen = [], set()

    def visit(path):
        if path in seen:
            return
        seen.add(path)
        for _, _, child in tree.includes(path):
            if child is not None:
                visit(child)
        if not tree.is_part(path):
            order.append(path)
    for path in files:
        visit(path)
    return order


def inline(tree, path, seen, system):
    """The file's text with its parts in place; shared headers and the system's are somewhere else."""
    def put(match):
        kind, name = match.groups()
        child = "isa_parts.h" if name == "isa_parts.h" else find(name, path)
        if child is None:
            system.add(match[0].strip())
            return ""
        if not tree.is_part(child) or (child in seen and not child.endswith(".inc")):
            return ""
        seen.add(child)
        return f"\n{inline(tree, child, seen, system)}\n"
    return INCLUDE.sub(put, tree.text(path))


# --- Names of a file's own --------------------------------------------------------------------------
def top_level(text):
    """Declarations at file scope, as lists of tokens; bodies of functions are left out, those of structs and enums are not."""
    tokens = [t for t in TOKEN.findall(re.sub(r"^[ \t]*#.*$", "", text, flags=re.M)) if not t.isspace()]
    now, depth, is_body = [], 0, False
    for token in tokens:
        if token == "{" and depth == 0:
            is_body = ")" in now[-1:] or (now and now[-1] not in ("=",) and not any(w in now for w in ("struct", "union", "enum", "=")))
            # a function may return a struct: then what is before the brace is a list of parameters
        depth += token in "{(["
        depth -= token in "})]"
        if not (is_body and (depth > 0 or token == "}")):
            now.append(token)
        if depth == 0 and (token == ";" or (token == "}" and is_body)):
            yield now
            now, is_body = [], False


def flat(tokens):
    """Without what is in brackets; members and initial values do not name anything here."""
    out, depth = [], 0
    for token in tokens:
        depth -= token in "})]"
        if depth == 0:
            out.append(token)
        depth += token in "{(["
    return out


def declared(tokens):
    """(names, tags): what the declaration makes that is this file's own."""
    names, tags = set(), set()
    for i, token in enumerate(tokens):
        if token in ("struct", "union", "enum") and i + 1 < len(tokens):
            at = i + 1
            if at + 1 < len(tokens) and tokens[at + 1] == "{" and re.match(r"[A-Za-z_]", tokens[at]):
                tags.add(tokens[at])
                at += 1
            if token == "enum" and tokens[at] == "{":
                depth, expects = 0, True
                for t in tokens[at:]:
                    depth += t in "{(["
                    depth -= t in "})]"
                    if depth == 0:
                        break
                    if depth == 1 and expects and re.match(r"[A-Za-z_]", t):
                        names.add(t)
                        expects = False
                    expects = expects or (depth == 1 and t == ",")
    line = flat(tokens)
    while "__attribute__" in line:
        at = line.index("__attribute__")
        del line[at:at + 3]
    if "typedef" in line:
        words = [t for t in line if re.match(r"[A-Za-z_]", t) and t not in WORDS]
        pointer = re.search(r"\( \* (\w+) \)", " ".join(tokens))
        if "(" in line and pointer:
            tags.add(pointer[1])
        elif "(" in line:
            tags.add(line[line.index("(") - 1])
        elif words:
            tags.add(words[-1])
    elif "static" in line:
        parts, part = [], []
        for token in line:  # of "a = 1, b[2];"
            if token in (",", ";"):
                parts.append(part)
                part = []
            else:
                part.append(token)
        for part in parts or [line]:
            part = part[:part.index("=")] if "=" in part else part
            pointer = re.search(r"\( \* (?:const )?(\w+)", " ".join(tokens)) if part and part[-1] == ")" and "(" in part and \
                part[part.index("(") - 1] in WORDS | {"*"} else None
            for end in ("(", "["):
                part = part[:part.index(end)] if end in part else part
            part = [t for t in part if t not in ("{", "}")]
            words = [t for t in part if re.match(r"[A-Za-z_]\w*$", t) and t not in WORDS]
            if pointer:
                names.add(pointer[1])
            elif words:
                names.add(words[-1])
    return names, tags


def own_names(text):
    """(names, tags)"""
    names, tags = set(), set()
    for tokens in top_level(text):
        a, b = declared(tokens)
        names |= a
        tags |= b
    return names - WORDS, tags - WORDS


def rename(text, names, tags, end):
    """Whole words that are no members: in the body of a struct types are renamed, and what stands between [ and ]."""
    tokens = TOKEN.findall(text)
    after, following = [""] * len(tokens), ""
    for i in range(len(tokens) - 1, -1, -1):
        after[i] = following
        following = following if tokens[i].isspace() else tokens[i]
    out, before, struct, depth, square = [], [""] * 3, None, 0, 0
    for token, following in zip(tokens, after):
        if token.isspace():
            out.append(token)
            continue
        depth += (token in "{([") - (token in "})]")
        square += (token == "[") - (token == "]")
        if token == "{" and struct is None and ("struct" in before[1:] or "union" in before[1:]):
            struct = depth
        elif token == "}" and struct is not None and depth < struct:
            struct = None
        is_type = before[-1] in ("struct", "union", "enum") or re.match(r"[A-Za-z_*]", following) is not None
        is_named = token in tags | names if struct is None or square > 0 else token in tags and is_type
        if is_named and before[-1] not in (".", "->", "#"):
            token += end
        out.append(token)
        before = [before[1], before[2], token]
    return "".join(out)


def members(text):
    return set(re.findall(r"(?:\.|->)\s*([A-Za-z_]\w*)", re.sub(r"\.\.\.", " ", text)))


def macro_members(text):
    """Of each macro the members that it names, also by macros that it uses."""
    bodies = {}
    for name, body in re.findall(r"^[ \t]*#[ \t]*define[ \t]+(\w+)(.*)$", text, re.M):
        bodies.setdefault(name, "")
        bodies[name] += " " + body
    found = {n: members(b) for n, b in bodies.items()}
    uses = {n: set(re.findall(r"\w+", b)) & bodies.keys() for n, b in bodies.items()}
    while True:
        more = {n: found[n].union(*(found[u] for u in uses[n])) for n in found}
        if more == found:
            return found
        found = more


def preprocess(text, macros, stubs, platform):
    words = [os.environ.get("CC", "cc"), "-E", "-P", "-undef", "-nostdinc", "-D__GNUC__=12", "-std=c11", *PLATFORMS[platform], "-x", "c",
             "-imacros", macros, "-"]
    done = subprocess.run([str(w) for w in words], input=text, capture_output=True, text=True, cwd=stubs)
    if done.returncode:
        sys.exit(f"{done.stderr[:2000]}")
    return done.stdout


def pieces(word):
    """"a_b_c": a, a_b, b, b_c, c."""
    parts = word.split("_")
    return {"_".join(parts[i:j]) for i in range(len(parts)) for j in range(i + 1, len(parts) + 1)} - {word}


class File:
    """A file of C: its text with its parts in place, the system's headers that it includes, and names of its own."""

    def __init__(self, tree, path, macros, stubs):
        self.path, self.system, self.set = path, set(), set_of(path)
        self.text = inline(tree, path, {path}, self.system)
        platforms = [self.set[0]] if self.set else ["x86", "arm"] if re.search(r"__(x86_64|aarch64|FMA|AVX2|ARM)|ORIBI_ISAS_OF", self.text) else ["x86"]
        expanded = [preprocess(self.text, macros, stubs, p) for p in platforms]
        found = [own_names(e) for e in expanded]
        self.names, self.tags = (set().union(*(f[i] for f in found)) for i in (0, 1))
        # What macros paste to something stays as it is, which one file may.
        made = set(re.findall(r"\w+", " ".join(expanded))) - set(re.findall(r"\w+", self.text))
        self.pasted = (self.names | self.tags) & {p for w in made for p in pieces(w)}

    def write(self, taken, opaque, header_macros, header_members):
        end = "__" + pathlib.Path(self.path).stem
        names, tags = ({n for n in found - opaque if n in taken or n not in self.pasted} for found in (self.names, self.tags))
        words = set(re.findall(r"\w+", self.text))
        as_members = members(self.text).union(*(header_members[w] for w in words & header_members.keys()))
        by_macro = (names | tags) - as_members
        text = rename(self.text, names & as_members, tags & as_members, end)
        made = {m for m in re.findall(r"^[ \t]*#[ \t]*define[ \t]+(\w+)", text, re.M) if m not in header_macros}
        condition, target = self.set[1:] if self.set else (None, None)
        return "".join([
            f"\n/* --- {self.path} */\n", f"#if {condition}\n" if condition else "", TARGET_ON.replace("{target}", target) if target else "",
            *(f"#define {n} {n}{end}\n" for n in sorted(by_macro)), text.strip() + "\n", *(f"#undef {n}\n" for n in sorted(by_macro | made)),
            TARGET_OFF if target else "", "#endif\n" if condition else ""])


TARGET_ON = """#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("{target}"))), apply_to = function)
#define __FMA__ 1
#else
#pragma GCC push_options
#pragma GCC target("{target}")
#endif
"""
TARGET_OFF = """#if defined(__clang__)
#pragma clang attribute pop
#undef __FMA__
#else
#pragma GCC pop_options
#endif
"""
BEGIN = """/* SPDX-License-Identifier: Apache-2.0 */
/* Oribi {version} in one file, made by tools/amalgamate.py: cc -std=c11 -O2 app.c oribi.c -lm -lpthread
 * Readers of ONNX, TFLite and GraphDef, passes, executor, plain kernels and those for AVX2 and NEON. Not here: `oribi compile`.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#define ORIBI_KIT_SHARED
#ifndef ORIBI_LIBRARY_FOLDER
#define ORIBI_LIBRARY_FOLDER "/usr/local/lib"
#endif
#ifndef ORIBI_PROBE_INSTALLED
#define ORIBI_PROBE_INSTALLED "/usr/local/libexec/oribi/oribi-plugin-probe"
#endif
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wunused-function"
#pragma STDC FP_CONTRACT OFF
#elif defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC optimize("fp-contract=off")
#endif
"""


def write_c(tree, out):
    files = sources()
    shared = headers(tree, files)
    system, text = set(), []
    for path in shared:
        text.append(f"\n/* --- {path} */\n" + inline(tree, path, {path}, system).strip() + "\n")
    all_headers = "".join(text)
    header_tags = set(re.findall(r"\b(?:struct|union|enum)\s+(\w+)", all_headers))
    header_types = {n for tokens in top_level(all_headers) for n in declared(tokens)[1]}
    header_members = macro_members(all_headers)
    header_macros = set(re.findall(r"^[ \t]*#[ \t]*define[ \t]+(\w+)", all_headers, re.M))
    with tempfile.TemporaryDirectory() as stubs, concurrent.futures.ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        macros = pathlib.Path(stubs, "macros.h")
        macros.write_text("#define ORIBI_KIT_SHARED\n" + "\n".join(re.findall(r"^[ \t]*#(?![ \t]*(?:error|include)).*$", all_headers, re.M)) + "\n")
        parts = list(pool.map(lambda p: File(tree, p, macros, stubs), files))
    system = system.union(*(p.system for p in parts))
    counts = collections.Counter(n for p in parts for n in (p.names | p.tags) & p.pasted)
    defined = collections.Counter(t for p in parts for t in p.tags)
    # What headers name and one file defines; and what they define, which files complete.
    opaque = {t for t in header_tags | header_types if re.match(r"oribi|TF_", t) or (defined[t] == 1 and t not in header_types)}
    taken = {n for n, count in counts.items() if count > 1}
    plain = sorted(s for s in system if not re.search(r"immintrin|arm_neon|arm_|riscv|hwcap|sys/auxv|windows", s))
    version = re.search(r"^project\(oribi VERSION ([\d.]+)", (SOURCE / "CMakeLists.txt").read_text(), re.M)[1]
    top = BEGIN.replace("{version}", version) + "\n".join(plain) + "\n"
    top += "#if defined(__x86_64__)\n#include <immintrin.h>\n#elif defined(__aarch64__)\n#include <arm_neon.h>\n#endif\n#include <sys/auxv.h>\n"
    out.write_text(top + all_headers + "".join(p.write(taken, opaque, header_macros, header_members) for p in parts))


def write_h(tree, out):
    seen = headers(tree, ["include/oribi/oribi.h"])
    text = "".join(f"\n/* --- {p} */\n{(SOURCE / p).read_text().strip()}\n" for p in seen)
    out.write_text(re.sub(r'^#include "[^"]+"\n', "", text, flags=re.M).lstrip())


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    out = pathlib.Path(sys.argv[1])
    out.mkdir(parents=True, exist_ok=True)
    tree = Tree()
    write_c(tree, out / "oribi.c")
    write_h(tree, out / "oribi.h")


if __name__ == "__main__":
    main()
