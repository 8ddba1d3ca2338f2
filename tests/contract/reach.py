# SPDX-License-Identifier: Apache-2.0
"""Which test calls which function: a cmocka test reaches what its own body names and what the
functions, tables and macros of its file that it names reach in turn. Comments, strings and the names of
functions in other files do not count."""
import re

import dump

DEFINITION = re.compile(r"^(?![#\s}])[^;{}=\n#]*?\b(\w+)\(([^;{}]*)\)\s*(?:__attribute__[^{;]*)?\{(.*?)^\}", re.M | re.S)
TABLE = re.compile(r"^(?:static |const )[^;{}()\n]*?\b(\w+)(?:\[[^\]]*\])*\s*=\s*\{(.*?)\n?\};", re.M | re.S)
MACRO = re.compile(r"^#define (\w+)((?:\\\n|[^\n])*)", re.M)
FIXTURE = re.compile(r"cmocka_unit_test_setup\w*\(\s*\w+,\s*(\w+)")
GROUP = re.compile(r"cmocka_run_group_tests\w*\(\s*\w+,\s*(\w+),")


def without_words(text):
    return re.sub(r'"(?:\\.|[^"\\\n])*"', '""', dump.strip_comments(text))


def definitions(text):
    """name: body of each function, table and macro."""
    out = {m.group(1): m.group(3) for m in DEFINITION.finditer(text)}
    for pattern in (TABLE, MACRO):
        for m in pattern.finditer(text):
            out.setdefault(m.group(1), m.group(2))
    return out


def reached(start, names):
    """Names outside of the file that the definition `start` reaches, with the number of steps."""
    out, seen, todo = {}, set(), [(start, 0)]
    while todo:
        at, steps = todo.pop(0)
        if at in seen:
            continue
        seen.add(at)
        for name in sorted(names[at]):
            if name in names:
                todo.append((name, steps + 1))
            else:
                out.setdefault(name, steps)
    return out


def tests_of(text):
    """(steps, test, function) of the tests of one file, its headers of the tests included."""
    text = without_words(text)
    bodies = definitions(text)
    names = {n: set(re.findall(r"\b[A-Za-z_]\w+\b", b)) for n, b in bodies.items()}
    tests = [(t, 0) for t in re.findall(r"cmocka_unit_test\w*\(\s*(\w+)", text)]
    for macro in re.findall(r"#define (\w+)\(\w+\)[^\n]*cmocka_unit_test", text):
        tests += [(t, 0) for t in re.findall(rf"\b{macro}\(\s*(\w+)\)", text)]
    tests += [(s, 100) for pattern in (GROUP, FIXTURE) for s in pattern.findall(text)]
    for test, more in tests:
        for function, steps in (reached(test, names) if test in names else {}).items():
            yield steps + more, "setup" if more else test, function


def with_headers(path, tests):
    text = path.read_text()
    for include in re.findall(r'#include "([^"]+)"', text):
        for header in (tests / include, path.parent / include):
            if header.exists() and tests in header.resolve().parents:
                text = header.read_text() + text
                break
    return text


def tests_by_function(tests):
    """function: ["file: test", ..], the most direct first."""
    found = {}
    for path in sorted(tests.rglob("*_test.c")):
        for steps, test, function in tests_of(with_headers(path, tests)):
            found.setdefault(function, []).append((steps, f"{path.relative_to(tests.parent)}: {test}"))
    return {function: [t for _, t in sorted(places)] for function, places in found.items()}


def planted_faults():
    """The reader of tests must not see calls where there are none."""
    text = """
    static void helper(void) {
        TF_Called();
    }
    """.replace("\n    ", "\n") + """
static const row table[] = {{TF_InTable}};
/* TF_InComment(); */
static void a(void **state)
{
    helper();
    use(table, "TF_InString()");
}
static void alone(void)
{
    TF_Unreached();
}
int main(void)
{
    x = {cmocka_unit_test(a)};
}
"""
    seen = {f for _, _, f in tests_of(text)}
    problems = [f"reach.py: does not see {n}" for n in ("TF_Called", "TF_InTable") if n not in seen]
    return problems + [f"reach.py: sees {n}" for n in ("TF_InComment", "TF_InString", "TF_Unreached") if n in seen]
