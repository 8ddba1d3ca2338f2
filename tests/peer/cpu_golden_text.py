#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes tests/cpu/golden_text.txt: what TensorFlow's CPU kernels answer where texts come or go, and
to ragged and sparse tensors and counts, which texts become; and to random numbers of a seed.

    python3 -m venv peer && peer/bin/pip install tensorflow-cpu==2.16.1 && peer/bin/python tests/peer/cpu_golden_text.py

Format and reader as for cpu_golden.py; an element of a tensor of texts, and an attribute, is a word
of letters, digits and %XX. `error` instead of results: TensorFlow refuses the inputs.
"""
import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import numpy as np
import tensorflow as tf
from tensorflow.python.framework import op_def_registry

RENAMED = {"split_dim": "axis"}  # what Python calls an input
NAMES = {"float32": "float", "float64": "double", "complex64": "complex64"}
BITS = {"float16": "half", "bfloat16": "bfloat16"}
out = open(os.path.join(os.path.dirname(__file__), "..", "cpu", "golden_text.txt"), "w")
print("# Made by tests/peer/cpu_golden_text.py with TensorFlow %s. Do not edit." % tf.__version__, file=out)


def word(text):
    text = text if isinstance(text, bytes) else str(text).encode()
    return "%" + "".join(chr(c) if chr(c).isalnum() and c < 128 else "%%%02x" % c for c in text)


def show(array):
    array = np.asarray(array)
    if array.dtype.name in BITS:
        name, words = BITS[array.dtype.name], [str(v) for v in array.view(np.uint16).reshape(-1)]
    elif array.dtype.kind in "OSU":
        name, words = "string", [word(v) for v in array.reshape(-1).tolist()]
    else:
        name = NAMES.get(array.dtype.name, array.dtype.name)
        words = [str(int(v) if array.dtype.kind in "iub" else v) for v in array.reshape(-1)]
    return " ".join([name, str(array.ndim)] + [str(d) for d in array.shape] + words)


def attribute(kind, value):
    if kind == "list(string)":
        return "strings %d %s" % (len(value), " ".join(value))
    if kind == "list(int)":
        return "ints %d %s" % (len(value), " ".join(str(v) for v in value))
    if kind == "list(type)":
        return "types %d %s" % (len(value), " ".join(NAMES.get(v, v) for v in value))
    if kind == "list(shape)":
        return "shapes %d %s" % (len(value), " ".join(" ".join(str(-1 if d is None else d) for d in [len(s), *s]) for s in value))
    if kind == "type":
        return "type " + NAMES.get(value, BITS.get(value, value))
    return {"int": "int %d", "bool": "bool %d"}.get(kind, "string %s") % (
        word(value) if kind == "string" else value)


def case(op, *inputs, tolerance="1e-6 1", **attrs):
    definition = op_def_registry.get(op)
    inputs = [[np.asarray(v) for v in i] if type(i) is tuple else np.asarray(i) for i in inputs]
    kwargs = dict(zip([RENAMED.get(a.name, a.name) for a in definition.input_arg],
                      [[tf.constant(v) for v in i] if isinstance(i, list) else tf.constant(i) for i in inputs]))
    try:
        results = getattr(tf.raw_ops, op)(
            **kwargs, **{k: tf.as_dtype(v) if k in ("out_type", "Tsplits", "dtype") else v for k, v in attrs.items()})
        results = [r for part in (results if isinstance(results, (list, tuple)) else [results])
                   for r in (part if isinstance(part, list) else [part])]
    except (tf.errors.InvalidArgumentError, tf.errors.OutOfRangeError, ValueError):
        results = None
    print("op", op, file=out)
    for a in definition.attr:
        if a.name in attrs:
            print("attr", a.name, attribute(a.type, attrs[a.name]), file=out)
    lengths = {a.number_attr: len(v) for a, v in zip(definition.input_arg, inputs) if a.number_attr}
    for name, length in lengths.items() if len(lengths) > 1 else []:  # which the inputs do not tell
        print("attr", name, attribute("int", length), file=out)
    for value in inputs:
        for item in value if isinstance(value, list) else [value]:
            print("in", show(item), file=out)
    for result in results or []:
        print("out", show(result.numpy()), file=out)
    print("error" if results is None else "tol " + tolerance, file=out)
    print("end", file=out)


I, L, F = np.int32, np.int64, np.float32
LONG = b"a text that is longer than twenty-two bytes, "
TEXTS = np.array([b"", b"  The CAT, sat! \t\n", b"\xc3\x84pfel & \xc3\xb6l 99", b"x", LONG * 3,
                  "\u20ac20 \U0001f600\u0416".encode(), b"a\nb\x0bc"], object)

for encoding in ["", "utf-8"]:
    case("StringLower", TEXTS, encoding=encoding)
    case("StringUpper", TEXTS, encoding=encoding)
case("StringLower", np.array([[b"AB"], [b"c"]], object))
case("StringStrip", TEXTS)
for unit in ["BYTE", "UTF8_CHAR"]:
    case("StringLength", TEXTS, unit=unit)
    for pos, length in [(0, 2), (1, 100), (-2, 1), (2, -1), (3, 0), (4, 1), (-4, 1), (2**31 - 1, 1), (-2**31, 1)]:
        case("Substr", np.array([b"abc", "\u00e4\u20ac\U0001f600".encode()], object), I(pos), I(length), unit=unit)
case("Substr", np.array([[b"abcd", b"efgh"]], object), L([[1, -2]]), L([[2, 9]]))
case("Substr", np.array([b"abcd", b"efgh"], object), L([[0], [1]]), L([[1], [2]]))
case("Substr", np.array(b"abcd", object), I([0, 1]), I([1, 2]))
case("Substr", np.array([b"abcd"], object), I([0, 1]), I([1]))
case("StringJoin", (np.array([b"a", b"b"], object), np.array(b"-", object), np.array([b"c", b""], object)))
case("StringJoin", (np.array([b"a", b"b"], object), np.array(b"x", object)), separator=", ")
case("StringJoin", (np.array(LONG, object), np.array(LONG, object)))
case("StringJoin", (np.array([b"a", b"b"], object), np.array([b"c"], object)))
case("StringJoin", (np.array([b"a"], object),))

PATTERNS = [(r"[!\"#$%&()\*\+,-\./:;<=>?@\[\\\]^_`{|}~\']", ""), (r"[^a-z ]", ""), (r"\s+", " "), (r"(\w+) (\w+)", r"\2 \1"),
            (r"a*", "-"), (r"a*?", "-"), (r"b|a|ab", "<\\0>"), (r"(a|ab)(c|bcd)?", "[\\1|\\2]"), (r"^a", "X"), (r"a$", "X"),
            (r"\b", "|"), (r"x{2,3}?", "."), (r"(x)|y", "(\\1)"), (r"[[:punct:]]", "P"), (r"[[:space:][:digit:]]+", "_"),
            (r".", "\\\\"), (r"<br />", " "), (r"((a)(b))+", "\\3\\2\\1"), (r"(a)", "\\2"), (r"", "e"), (r"\S\s", "."),
            (r"(?:a|b)*c|d", "_"), (r"a.*b", "*"), (r"a.*?b", "*"), ("\u00e4|\u20ac", "e"), (r"[^[:ascii:]]", "?"), (r"(a+)(a*)", "\\2\\1"),
            (r"\B", "-"), (r"a{0}b", "!"), (r"(a|b|)c", "\\1")]
SUBJECTS = np.array([b"", b"The cat (sat), 10% <br />!", b"abcab abcd", b"aaa xxxxx y", b"ab\nba a", "\u00e4b\u20acc".encode(), b"hello   big\tworld  ", b"abab caab b"], object)
for pattern, rewrite in PATTERNS:
    for each in [True, False]:
        case("StaticRegexReplace", SUBJECTS, pattern=pattern, rewrite=rewrite, replace_global=each)
    case("RegexReplace", SUBJECTS[2:4], np.array(pattern.encode(), object), np.array(rewrite.encode(), object))
    case("StaticRegexFullMatch", SUBJECTS, pattern=pattern)
    case("RegexFullMatch", SUBJECTS, np.array(pattern.encode(), object))
for pattern in ["(a", "a)", "[a", "*a", "\\"]:
    case("RegexFullMatch", SUBJECTS, np.array(pattern.encode(), object))
    case("RegexReplace", SUBJECTS, np.array(pattern.encode(), object), np.array(b"", object))
    case("StaticRegexReplace", SUBJECTS, pattern=pattern, rewrite="")
case("RegexReplace", SUBJECTS, np.array([b"a"], object), np.array(b"", object))
case("RegexReplace", SUBJECTS, np.array(b"a", object), np.array([b"", b""], object))
case("RegexFullMatch", SUBJECTS, np.array([b"a"], object))

for sep in [b"", b",", b"aa", b" "]:
    for most in [-1, 0, 1, 2, -5, 7]:
        case("StringSplitV2", np.array([b"a b ", b"", b" x  y\tz ", b"a,,b,", b",", b"aaaxaa", b"  "], object), np.array(sep, object), maxsplit=most)
case("StringSplitV2", np.zeros([0], object), np.array(b"", object))
case("StringSplitV2", np.array([[b"a"]], object), np.array(b"", object))
case("StringSplitV2", np.array([b"a"], object), np.array([b","], object))

REALS = [1.5, -0.1, 1e20, np.inf, np.nan, 123456.789, 1e-5, 0.0, -0.0, 3.4e38]
for attrs in [{}, dict(precision=2), dict(scientific=True), dict(shortest=True), dict(width=12), dict(width=12, fill="0"),
              dict(width=12, fill="-"), dict(fill="+"), dict(fill=" "), dict(precision=3, scientific=True, width=14, fill="0"),
              dict(shortest=True, precision=9), dict(precision=0), dict(shortest=True, scientific=True), dict(fill="x"), dict(fill="00")]:
    case("AsString", F(REALS), **attrs)
    case("AsString", np.float64(REALS + [1e300, 0.1]), **attrs)
    for dtype in [np.int32, np.int64, np.int8, np.int16, np.uint8, np.uint16, np.uint32, np.uint64, bool]:
        info = None if dtype is bool else np.iinfo(dtype)
        case("AsString", np.array([True, False] if info is None else [7, info.min, info.max], dtype), **attrs)
# Not here: a text of white space alone, of which TensorFlow makes 0 where floats are wanted.
NUMERALS = [b"1", b" 2 ", b"1.5e3", b"0x10", b"inf", b"-INF", b"nan", b"", b"1e400", b"1 2", b"+3", b"-7", b"1e-400", b"0x1p3",
            b"Infinity", b"99999999999999999999", b"2147483647", b"2147483648", b"-2147483648", b"-9223372036854775808", b"9223372036854775808",
            b".5", b"5.", b".", b"1e", b"--1", b"0.1", b"3.4028236e38", b"1,5", b"-", b"0x", b"12a"]
for dtype in ["float32", "float64", "int32", "int64"]:
    for numeral in NUMERALS:
        case("StringToNumber", np.array([numeral], object), out_type=dtype)
LENGTHS = [0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 24, 31, 32, 33, 40, 63, 64, 65, 100, 127, 128, 129, 191, 192, 193, 300]
case("StringToHashBucketFast", np.array([bytes((i * 7 + n * 13) % 251 for i in range(n)) for n in LENGTHS], object), num_buckets=2**62)
case("StringToHashBucketFast", np.array([b"cat", b"dog", b""], object), num_buckets=10)
case("StringToHashBucketFast", np.array([b"cat", b"dog", b""], object), num_buckets=1)

NONE = F([])
case("DenseBincount", I([1, 2, 2, 9]), I(4), NONE)
case("DenseBincount", L([1, 2, 2, -1]), L(4), NONE)
case("DenseBincount", I([[1, 2, 2], [0, 0, 9]]), I(4), NONE)
case("DenseBincount", I([[1, 2, 2], [0, 0, 9]]), I(4), F([[.5, 1, 2], [3, 4, 5]]))
case("DenseBincount", I([[1, 2, 2], [0, 0, 9]]), I(4), L([[5, 1, 2], [3, 4, 5]]))
case("DenseBincount", I([[1, 2, 2], [0, 0, 9]]), I(4), NONE, binary_output=True)
case("DenseBincount", I([1, 2]), I(-4), NONE)
case("DenseBincount", I([1, 2]), I(4), F([1]))
case("DenseBincount", L([]), L(3), np.float64([]))
case("DenseBincount", L([]), L(0), L([]))
case("DenseBincount", L([[[1]]]), L(3), L([]))
case("Bincount", I([[1, 2], [2, 9]]), I(4), I([]))
case("Bincount", I([[1, 2], [2, 9]]), I(4), np.float64([[1, 2], [3, 4]]))
case("Bincount", I([1, -2]), I(4), NONE)
case("Bincount", I([1, 2]), I(-1), NONE)

case("SparseToDense", I([1, 3]), I([5]), I([7, 8]), I(0))
case("SparseToDense", L([[0, 1], [1, 0]]), L([2, 2]), F([7, 8]), F(1))
case("SparseToDense", I([[0, 1], [1, 0]]), I([2, 2]), I(5), I(1))
case("SparseToDense", I(2), I([4]), np.int8(5), np.int8(1))
for indices in [[3, 1], [3, 9], [1, 1], [-1, 2], [2**31 - 1, 1]]:
    case("SparseToDense", I(indices), I([5]), I([7, 8]), I(0))
case("SparseToDense", I([3, 1]), I([5]), I([7, 8]), I(0), validate_indices=False)
case("SparseToDense", I([1, 1]), I([5]), I([7, 8]), I(0), validate_indices=False)
case("SparseToDense", I([3, 9]), I([5]), I([7, 8]), I(0), validate_indices=False)
case("SparseToDense", I([1, 2]), I([-5]), I([7, 8]), I(0))
case("SparseToDense", I([1, 2, 3]), I([5]), I([7, 8]), I(0))
case("SparseToDense", I([[1, 2]]), I([5]), I([7]), I(0))
case("SparseToDense", I([1, 2]), I([5]), I([7, 8]), I([0]))


def ragged(shape, values, default, parts, types):
    case("RaggedTensorToTensor", L(shape), values, default, tuple(L(p) for p in parts), row_partition_types=types)


SPLITS, IDS = ["ROW_SPLITS"], ["FIRST_DIM_SIZE", "VALUE_ROWIDS"]
ragged([-1, 5], L([1, 2, 3]), L(0), [2, [0, 0, 1]], IDS)
ragged([-1, -1], L([1, 2, 3]), L(0), [[0, 2, 2, 3]], SPLITS)
ragged([2, 1], L([1, 2, 3]), L(0), [[0, 2, 2, 3]], SPLITS)
ragged([5, 3], F([1, 2, 3]), F(0), [[0, 2, 2, 3]], SPLITS)
ragged(-1, L([1, 2, 3]), L(0), [[0, 2, 2, 3]], SPLITS)
ragged([-1, -1, -1], L([1, 2, 3, 4]), L(9), [[0, 2, 3], [0, 1, 3, 4]], SPLITS * 2)
ragged([3, 1, 2], L([1, 2, 3, 4]), L(9), [[0, 2, 3], [0, 1, 3, 4]], SPLITS * 2)
ragged([-1, -1, 2], L([[1, 2], [3, 4], [5, 6]]), L([8, 9]), [[0, 2, 3]], SPLITS)
ragged([-1, -1, 2], L([[1, 2], [3, 4], [5, 6]]), L(7), [[0, 1, 3]], SPLITS)
ragged([-1, -1, 3], L([[1, 2], [3, 4], [5, 6]]), L(7), [[0, 1, 3]], SPLITS)
ragged([-1, -1, -1], L([1, 2, 3, 4]), L(9), [3, [0, 0, 2], [0, 1, 1, 2]], IDS + ["VALUE_ROWIDS"])
ragged([-1, -1], L([1, 2, 3]), L(0), [2, [0, 5, 1]], IDS)
ragged([-1, -1], L([1, 2, 3]), L(0), [[0, 5, 2, 3]], SPLITS)
ragged([-1, -1], L([]), L(0), [2, []], IDS)
ragged([-1, -1], L([1, 2]), L(0), [-2, [0, 1]], IDS)
ragged([-1], L([1, 2]), L(0), [2, [0, 1]], IDS)
ragged([-1, -1], L([1, 2, 3]), L(0), [[0, 2]], SPLITS + ["ROW_SPLITS"])


def ragged_texts(shape, values, default, parts):
    case("RaggedTensorToTensor", L(shape), np.array(values, object), np.array(default, object),
         tuple(L(p) for p in parts), row_partition_types=["ROW_SPLITS"] * len(parts))


# What only moves elements moves texts, too: short ones, and those that have memory of their own.
WORDS = np.array([b"a", LONG, b"", b"\xc3\x84b", LONG * 2, b"z"], object)
PAIR = WORDS.reshape(2, 3)
ragged_texts([-1, -1], WORDS, b"", [[0, 2, 2, 6]])
ragged_texts([5, 2], WORDS, LONG, [[0, 2, 2, 6]])
ragged_texts([-1, -1, -1], WORDS, b"-", [[0, 2, 3], [0, 1, 3, 6]])
ragged_texts([-1, -1, 3], PAIR, [b"x", LONG, b""], [[0, 1, 2]])
case("SparseToDense", L([[0, 1], [2, 0]]), L([3, 2]), WORDS[:2], np.array(LONG, object))
case("SparseToDense", L([[0, 1], [9, 0]]), L([3, 2]), WORDS[:2], np.array(LONG, object))
case("GatherV2", PAIR, I([1, 1, 0]), I(0))
case("GatherV2", PAIR, L([[2], [1]]), L(1))
case("GatherV2", PAIR, I([2]), I(0))
case("Gather", WORDS, L([[1, 4], [1, 0]]))
case("GatherNd", PAIR, I([[1, 1], [0, 1]]))
case("GatherNd", PAIR, I([[1], [0]]))
case("ConcatV2", (PAIR, PAIR[:, :1]), I(1))
case("ConcatV2", (PAIR, PAIR[:, :1]), I(0))
case("Concat", I(0), (WORDS, WORDS[:2]))
case("Pack", (WORDS, WORDS), axis=1)
case("Unpack", PAIR, num=2)
case("Unpack", PAIR, num=3, axis=1)
case("Split", I(1), PAIR, num_split=3)
case("SplitV", WORDS, L([1, 5]), I(0), num_split=2)
case("Transpose", PAIR, I([1, 0]))
case("ReverseV2", PAIR, I([1]))
case("Tile", PAIR, I([2, 2]))
case("BroadcastTo", WORDS[:3], I([2, 3]))
case("Fill", I([2, 2]), np.array(LONG, object))
case("ZerosLike", PAIR)
case("Slice", PAIR, I([0, 1]), I([2, 1]))
case("StridedSlice", PAIR, I([1, 2]), I([2, 0]), I([1, -1]), end_mask=2)
case("PadV2", PAIR, I([[1, 0], [0, 1]]), np.array(LONG, object))
case("Pad", WORDS, I([[1, 1]]))
case("MirrorPad", WORDS, I([[2, 1]]), mode="REFLECT")
case("SelectV2", np.array([True, False, True]), PAIR, np.array(LONG, object))

# Well-formed and ill-formed characters; see Unicode, table 3-8.
BROKEN = [b"\xc0\xaf\xe0\x80\xbf\xf0\x81\x82A", b"\xed\xa0\x80\xed\xbf\xbf\xed\xafA", b"\xf4\x91\x92\x93\xff\x41\x80\xbfB",
          b"\xe1\x80\xe2\xf0\x91\x92\xf1\xbfA", b"\xe1\x80", b"\xf0\x91\x92", b"\xc3", b"\xef\xbb\xbfa", b"\xf4\x8f\xbf\xbf\xef\xbf\xbe"]
UNICODE = ["", "abc", "\u00e4\u20ac\U0001f600\u0416", "a\tb\nc\x00\x1f", "\ufffd\ufffe\U0010ffff"]
WIDE = [b"\xd8\x00", b"\xd8\x00\xdc\x00", b"\xdc\x00\x00a", b"\xd8\x00\x00a", b"\xd8\x00\xd8\x00\xdc\x01", b"\x00", b"\x00a\x00", b"\xd8\x00\xdc",
        b"\xdf\xff\xdf\xff", b"\xff\xfe\x00a", b"\xfe\xff\x00a"]
WIDER = [b"\x00\x00\xd8\x00", b"\x00\x10\xff\xff\x00\x11\x00\x00", b"\xff\xff\xff\xff\x00\x00\x00a", b"\x00", b"\x00\x00", b"\x00\x00\x00a\x00\x00\x00",
         b"\x00\x00\xfe\xff\x00\x00\x00a"]
TEXTS_OF = {"UTF-8": [t.encode() for t in UNICODE] + BROKEN, "UTF-16-BE": [t.encode("utf-16-be") for t in UNICODE] + WIDE,
            "UTF-32-BE": [t.encode("utf-32-be") for t in UNICODE] + WIDER}
SHUFFLED = np.random.RandomState(7)
SOME = {"UTF-8": b"a\x80\x8f\x90\x9f\xa0\xbf\xc1\xc2\xe0\xe1\xed\xef\xf0\xf1\xf4\xf5", "UTF-16-BE": b"a\x00\xd8\xdb\xdc\xdf\xff",
        "UTF-32-BE": b"a\x00\x00\x00\x00\x00\x01\x10\xd8\xff"}
for encoding, some in SOME.items():
    TEXTS_OF[encoding] += [bytes(SHUFFLED.choice(list(some), SHUFFLED.randint(12)).tolist()) for _ in range(20)]
for encoding, texts in TEXTS_OF.items():
    for attrs in [{}, dict(errors="ignore"), dict(replacement_char=0x20ac), dict(replacement_char=0), dict(replace_control_characters=True),
                  dict(replace_control_characters=True, errors="ignore"), dict(replacement_char=0xd800)]:
        case("UnicodeDecode", np.array(texts, object), input_encoding=encoding, **attrs)
        case("UnicodeDecodeWithOffsets", np.array(texts, object), input_encoding=encoding, **attrs)
        for target in TEXTS_OF:
            case("UnicodeTranscode", np.array(texts, object), input_encoding=encoding, output_encoding=target, **attrs)
    for text in texts[:-20]:
        case("UnicodeDecode", np.array(text, object), input_encoding=encoding, errors="strict")
        case("UnicodeTranscode", np.array(text, object), input_encoding=encoding, output_encoding="UTF-8", errors="strict",
             replace_control_characters=True)
case("UnicodeDecode", np.array([[b"ab", b"c"], [b"", b"d"]], object), input_encoding="utf_8", Tsplits="int32")
case("UnicodeDecodeWithOffsets", np.zeros([0], object), input_encoding="UTF-8")
case("UnicodeDecode", np.array(b"a", object), input_encoding="UTF-9")
case("UnicodeDecode", np.array(b"a", object), input_encoding="UTF-8", replacement_char=0x110000)
CODES = I([97, 0x20ac, 0x1f600, -1, 0x110000, 0xd83d, 0xde00, 0xd800, 98, 0xdc00, 0xfffe])
for target in TEXTS_OF:
    for attrs in [{}, dict(errors="ignore"), dict(errors="strict"), dict(replacement_char=63)]:
        case("UnicodeEncode", CODES, L([0, 3, 3, 7, 11]), output_encoding=target, **attrs)
    case("UnicodeEncode", CODES[:3], L([0, 1, 3]), output_encoding=target, errors="strict")
    case("UnicodeEncode", I(list(range(40))), I([0, 40]), output_encoding=target, errors="strict")
for splits in [[1, 3], [0, 4], [0, 2, 1, 3], [0, 2], [0], [], [-1, 3]]:
    case("UnicodeEncode", CODES[:3], L(splits), output_encoding="UTF-8")
case("UnicodeEncode", I([]), L([0]), output_encoding="UTF-8")
case("UnicodeEncode", I([]), L([0, 0]), output_encoding="UTF-8")
case("UnicodeEncode", I([[1]]), L([0, 1]), output_encoding="UTF-8")

for delimiter in [b"", b",", b", ", b"xy"]:
    for skips in [True, False]:
        case("StringSplit", np.array([b"a, b", b"", b",,a,b,", b"xay", b"x", b" \xc3\xa4"], object), np.array(delimiter, object), skip_empty=skips)
case("StringSplit", np.zeros([0], object), np.array(b",", object))
case("StringSplit", np.array([[b"a"]], object), np.array(b",", object))
case("StringSplit", np.array([b"a"], object), np.array([b","], object))

TOKENS = np.array([b"a", LONG, b"", b"d", b"e", b"f"], object)
for widths in [[2], [1, 2, 3], [4], []]:
    for pad in [0, 1, -1, 2]:
        for short in [False, True]:
            case("StringNGrams", TOKENS, L([0, 3, 3, 5, 6]), separator=" ", ngram_widths=widths, left_pad="<", right_pad=">>", pad_width=pad,
                 preserve_short_sequences=short)
NGRAMS = dict(separator="", ngram_widths=[2], left_pad="", right_pad="", pad_width=1, preserve_short_sequences=False)
case("StringNGrams", TOKENS, I([0, 6]), **NGRAMS)
for splits in [[0, 5], [1, 6], [0, 4, 2, 6], [0, 9, 6], [0, 0, 6], [0, -1, 6], []]:
    case("StringNGrams", TOKENS, L(splits), **NGRAMS)
case("StringNGrams", np.zeros([0], object), L([0, 0, 0]), **NGRAMS)
case("StringNGrams", np.zeros([0], object), L([0]), **NGRAMS)
case("StringNGrams", TOKENS, L([0, 6]), **dict(NGRAMS, ngram_widths=[0]))

CUBE = np.array([b"%d" % i for i in range(12)], object).reshape(2, 3, 2)
for indices in [0, -1, [0, 1], [1, 0], [2, 0, 1], [], [-1, 0], [3], [-4], [0, 0], [0, -3]]:
    for keeps in [False, True]:
        case("ReduceJoin", CUBE, I(indices), keep_dims=keeps, separator=", ")
case("ReduceJoin", TOKENS, I(0))
case("ReduceJoin", np.array(LONG, object), I([]))
case("ReduceJoin", np.zeros([2, 0], object), I([1]), separator="-")
case("ReduceJoin", np.zeros([0, 2], object), I([1]), separator="-")
for ids in [[0, 1, 0, 1, 1, 0], [2, 2, 2, 2, 2, 2], [0, 1, 0, 1, 1, 3], [0, -1, 0, 1, 1, 0]]:
    case("UnsortedSegmentJoin", TOKENS, I(ids), I(3), separator="; ")
    case("UnsortedSegmentJoin", TOKENS, L(ids), L(3))
case("UnsortedSegmentJoin", CUBE, I([1, 0]), I(2), separator="-")
case("UnsortedSegmentJoin", CUBE, I([[1, 0, 1], [0, 1, 1]]), I(2), separator="-")
case("UnsortedSegmentJoin", CUBE, I([[1, 0], [0, 1]]), I(2))
case("UnsortedSegmentJoin", np.array([b"", b"", b"a"], object), I([0, 0, 0]), I(1), separator="-")

HASHED = np.array([bytes((i * 7 + n * 13) % 251 for i in range(n)) for n in LENGTHS], object)
case("StringToHashBucket", HASHED, num_buckets=2**62)
case("StringToHashBucket", np.array([[b"cat"], [b"dog"]], object), num_buckets=10)
for key in [[0, 0], [1, 2], [-1, 2**62], [0xdecafcaffe, 42]]:
    case("StringToHashBucketStrong", HASHED, num_buckets=2**62, key=key)
case("StringToHashBucketStrong", np.array([b"cat", b"dog", b""], object), num_buckets=10, key=[3, 4])
case("StringToHashBucketStrong", np.array([b"cat"], object), num_buckets=10, key=[3])

BYTES = np.array([HASHED[n] for n in range(12)] + [b"\xff\xfe\xfd", b"\xfb\xff", LONG], object)
for pads in [False, True]:
    case("EncodeBase64", BYTES, pad=pads)
for code in [b"", b"AA", b"AA==", b"AAA=", b"AAAA", b"-_-_", b"+/+/", b"A", b"AAAAA", b"A===", b"====", b"AA=", b"AA=A", b"A=AA", b"AAAA====", b"AB", b"ABC",
             b"AAA\x80", b"A\x00AA", b"QUJDREVG", b"QUJDREVGRw==", b"QU J"]:
    case("DecodeBase64", np.array([code], object))
NUMBERS = np.array([b"abcdefgh\x00\x01\x80\xff????", LONG[:16]], object)
for kind in ["uint8", "int8", "int16", "uint16", "int32", "int64", "float32", "float64"]:
    for little in [True, False]:
        case("DecodeRaw", NUMBERS, out_type=kind, little_endian=little)
    for length in [8, 16, 24, 3, 0, -8]:
        case("DecodePaddedRaw", np.array([b"abc", LONG, b""], object), I(length), out_type=kind)
case("DecodePaddedRaw", NUMBERS, I(16), out_type="int32", little_endian=False)
case("DecodePaddedRaw", NUMBERS, I([16]), out_type="int32")
case("DecodeRaw", np.array([[b"\x00\x00\x80?\x00\x00\x00@"]], object), out_type="complex64")
case("DecodeRaw", np.array([b"\x00\x01\x01"], object), out_type="bool")
case("DecodeRaw", np.array([b"abcd", b"ab"], object), out_type="uint8")
case("DecodeRaw", np.array([b"abc"], object), out_type="int16")
case("DecodeRaw", np.array([b"", b""], object), out_type="int16")
case("DecodeRaw", np.zeros([0], object), out_type="int16")


def wav(samples, channels, format=1, bits=16, more=b"", data=b"data", align=None, size=None):
    """A WAV file; size: what its last chunk says of itself."""
    align = 2 * channels if align is None else align
    head = b"fmt " + np.array([16], "<u4").tobytes() + np.array([format, channels], "<u2").tobytes()
    head += np.array([8000, 8000 * align], "<u4").tobytes() + np.array([align, bits], "<u2").tobytes()
    sound = np.array(samples, "<i2").tobytes()
    body = b"WAVE" + head + more + data + np.array([len(sound) if size is None else size], "<u4").tobytes() + sound
    return np.array(b"RIFF" + np.array([len(body)], "<u4").tobytes() + body, object)


SOUND = [0x101, -0x101, 0x7fff, -0x7fff, 0x2020, 0x3030]
case("DecodeWav", wav(SOUND, 1))
case("DecodeWav", wav(SOUND, 2))
case("DecodeWav", wav(SOUND, 2), desired_channels=1)
case("DecodeWav", wav(SOUND, 1), desired_channels=2, desired_samples=4)
case("DecodeWav", wav(SOUND, 2), desired_channels=3, desired_samples=5)
case("DecodeWav", wav(SOUND, 2, more=b"LIST" + np.array([4], "<u4").tobytes() + b"INFO"))
case("DecodeWav", wav(SOUND, 1), desired_samples=0)
case("DecodeWav", wav(SOUND, 2, format=3))
case("DecodeWav", wav(SOUND, 2, bits=8))
case("DecodeWav", wav(SOUND, 0))
case("DecodeWav", wav(SOUND, 2, align=5))
case("DecodeWav", wav(SOUND, 2, size=400))
case("DecodeWav", wav(SOUND, 2, data=b"none"))
case("DecodeWav", np.array(b"RIFF", object))
case("DecodeWav", np.array([b"RIFF"], object))

X = F(np.arange(24).reshape(2, 3, 4) + 1)
for low, high in [(0, -1), (-1, 0), (0, 0), (1, 1), (-1, -1), (2, 1), (3, 4), (4, 0), (0, 5)]:
    case("MatrixBandPart", X, L(low), L(high))
case("MatrixBandPart", np.int8(X[0]), I(1), I(0))
case("MatrixBandPart", F([1, 2]), L(0), L(0))
case("MatrixBandPart", F(np.zeros([2, 0, 3])), L(0), L(0))

def example(**features):
    made = tf.train.Example()
    for name, values in features.items():
        lists = made.features.feature[name]
        kind = values if isinstance(values, str) else \
            {bytes: "bytes_list", float: "float_list", int: "int64_list"}[type(values[0])]
        getattr(lists, kind).SetInParent()
        getattr(lists, kind).value.extend([] if isinstance(values, str) else values)
    return made.SerializeToString(deterministic=True)


def texts(*values):
    return np.array(list(values), object)


def parse(examples, sparse={}, dense={}, ragged={}):
    """sparse: name: type; dense: name: (shape, default); ragged: name: (type, type of splits)"""
    defaults = tuple(default for _, default in dense.values())
    shapes = [shape for shape, _ in dense.values()]
    case("ParseExampleV2", examples, texts(), texts(*sparse), texts(*dense), texts(*ragged), defaults,
         num_sparse=len(sparse), sparse_types=list(sparse.values()), ragged_value_types=[t for t, _ in ragged.values()],
         ragged_split_types=[t for _, t in ragged.values()], dense_shapes=shapes)
    if ragged:
        return
    keys = tuple(np.array(k, object) for k in sparse), tuple(np.array(k, object) for k in dense)
    if np.ndim(examples) == 1:
        case("ParseExample", examples, texts(), *keys, defaults, sparse_types=list(sparse.values()), dense_shapes=shapes)
    else:
        case("ParseSingleExample", examples, defaults, num_sparse=len(sparse), sparse_keys=[k.decode() for k in sparse],
             dense_keys=[k.decode() for k in dense], sparse_types=list(sparse.values()), dense_shapes=shapes)


FULL = example(a=[1.5, -2.0], i=[1, -2, 2**60], s=[b"x", LONG], j=[5, 6], t=[b"a", b""], v=[9, 8, 7, 6], m=[1.0, 2.0, 3.0, 4.0])
SOME = example(a=[3.0, 4.0], i=[4], t=[b"c"], w="int64_list", v="int64_list", m=[5.0, 6.0])
EMPTY = F([])
for examples in [texts(FULL, SOME), texts(SOME), texts(), texts(FULL)[0], texts(SOME)[0]]:
    parse(examples, sparse={b"i": "int64"}, dense={b"a": ([2], EMPTY), b"s2": ([1], texts(b"d"))})
    parse(examples, sparse={b"i": "int64", b"none": "float32", b"t": "string"})
    parse(examples, dense={b"v": ([None], L([7])), b"m": ([None, 2], F([0.5])), b"none": ([2, 2], F([[1, 2], [3, 4]]))})
    parse(examples, ragged={b"j": ("int64", "int32"), b"t": ("string", "int64"), b"none": ("float32", "int64")})
    parse(examples, sparse={b"t": "string"}, dense={b"a": ([1, 2], EMPTY)}, ragged={b"i": ("int64", "int64")})
    parse(examples, dense={b"s": ([2], texts(b"p", LONG)), b"t": ([None], texts(b"-"))})
TWICE = example(a=[1.0, 2.0]) + example(a=[3.0, 4.0])
parse(texts(TWICE, b""), dense={b"a": ([2], F([8, 9]))})
parse(texts(b"\x0a\x0d\x0a\x0b\x0a\x01i\x12\x06\x1a\x04\x08\x05\x08\x06", FULL), sparse={b"i": "int64"})  # one by one
parse(texts(FULL), dense={b"none": ([2], EMPTY)})  # what is refused
parse(texts(FULL), dense={b"a": ([3], EMPTY)})
parse(texts(FULL), dense={b"a": ([2], F([1]))})
parse(texts(FULL), dense={b"a": ([2], L([]))})
parse(texts(FULL), sparse={b"a": "int64"})
parse(texts(FULL), ragged={b"a": ("string", "int64")})
parse(texts(FULL), dense={b"m": ([None, 3], F([0]))})
parse(texts(FULL), dense={b"m": ([None, 2], F([0, 1]))})
parse(texts(FULL[:-1]), dense={b"a": ([2], EMPTY)})
parse(texts(FULL + b"\xff"), dense={b"a": ([2], EMPTY)})
parse(texts(b"no example"), sparse={b"a": "float32"})

# Random numbers that follow from a seed. Whole numbers and uniform ones agree to the bit; normal
# ones do, too, where the C library is TensorFlow's.
U = np.uint64
EXACT, NEAR = dict(tolerance="0 0"), dict(tolerance="1e-6 1e-6")
FAR = U([2**64 - 1, 2**32 - 1])  # the counter's halves run over
for seed in [L([1, 2]), I([-5, 7]), L([-2**63, 2**62 + 3])]:
    case("StatelessRandomGetKeyCounter", seed, **EXACT)
    case("StatelessRandomGetKeyCounterAlg", seed, **EXACT)
case("StatelessRandomGetKeyCounter", L([1, 2, 3]))
case("StatelessRandomGetAlg", **EXACT)
for shape in [I([2, 3]), L([45]), I([0, 2])]:
    for dtype in ["float32", "float64", "float16", "bfloat16"]:
        for how, tolerance in [("RandomUniform", EXACT), ("RandomNormal", NEAR), ("TruncatedNormal", NEAR)]:
            tolerance = dict(tolerance="1e-2 1e-6") if dtype.endswith("16") and tolerance is NEAR else tolerance
            for seed in [L([3, 4]), I([-1, 9])]:
                case("Stateless" + how, shape, seed, dtype=dtype, **tolerance)
            for counter in [U([5, 6]), FAR, U([1, 2, 3])]:
                case("Stateless" + how + "V2", shape, U([2**63 + 11]), counter, I(1), dtype=dtype, **tolerance)
    for dtype in ["int32", "int64", "uint32", "uint64"]:
        case("StatelessRandomUniformFullIntV2", shape, U([9]), FAR, I(1), dtype=dtype, **EXACT)
        case("StatelessRandomUniformFullInt", shape, L([1, 2]), dtype=dtype, **EXACT)
    for dtype in [I, L]:  # of others TensorFlow has definitions, and no kernel
        low, high = dtype(-17), dtype(2**31 - 1)
        case("StatelessRandomUniformIntV2", shape, U([9]), FAR, I(3), low, high, **EXACT)
        case("StatelessRandomUniformIntV2", shape, U([9]), FAR, I(1), high, low, **EXACT)
        case("StatelessRandomUniformInt", shape, L([1, 2]), low, high, **EXACT)
for key, counter, algorithm in [([1, 2], [1, 2], 1), ([1], [1, 2], 2), ([1], [1, 2], 7)]:
    case("StatelessRandomUniformV2", I([2]), U(key), U(counter), I(algorithm))
case("StatelessRandomUniform", I([2]), L([1, 2, 3]))
case("StatelessRandomUniform", I([-2]), L([1, 2]))
case("StatelessRandomUniformIntV2", I([2]), U([9]), FAR, I(1), L(5), L(5))

out.close()
