#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the ops of public custom-op libraries, one model each, in ONNX Runtime and in Oribi, and compares the outputs.

    ORIBI_ORT_LIBRARIES=FOLDER ort_ops.py ORIBI    # an interpreter with numpy, onnx and onnxruntime

FOLDER is where the wheels onnx_extended 0.5.0 and onnxruntime-extensions 0.15.2 are unpacked: site-packages of a virtual
environment. Without the variable, or without onnxruntime, the test is skipped (77). Strings and integers must be equal,
floats within 1e-6. It fails when one differs, fails in Oribi alone, or an op of a library has no case here."""
import glob
import json
import multiprocessing
import os
import pathlib
import struct
import subprocess
import sys
import tempfile
import zlib

FOLDER = os.environ.get("ORIBI_ORT_LIBRARIES")
if not FOLDER:
    print("skipped: ORIBI_ORT_LIBRARIES does not name a folder with onnx_extended and onnxruntime_extensions")
    sys.exit(77)
try:
    import ml_dtypes
    import numpy as np
    import onnx
    import onnxruntime
    from onnx import TensorProto, helper, numpy_helper
except ImportError as missing:
    print("skipped: %s" % missing)
    sys.exit(77)

OPTIM, TUTORIAL = "onnx_extended.ortops.optim.cpu", "onnx_extended.ortops.tutorial.cpu"
CONTRIB, MICROSOFT = "ai.onnx.contrib", "com.microsoft.extensions"
CASES = []  # (domain, op, inputs, output types, attributes)
# What a case cannot be made for here, and why; the op is registered all the same.
LEFT_OUT = {
    "TreeEnsembleAssemblyRegressor": "calls a library that TreeBeard compiled",
    "CustomGemmFloat16": "answers that it is not implemented on this processor, in ONNX Runtime as well",
    "BlingFireSentenceBreaker": "wants a model of BlingFire",
}


def case(op, inputs, outputs, domain=CONTRIB, **attrs):
    """An input is an array, None for an absent one, or (op, array, attributes) for what that op makes of the array. Outputs
    of float8 are not compared: a further op has to use them."""
    CASES.append((domain, op, inputs, outputs, attrs))


def both(*args, **kwargs):
    """Ops that the library has under both of its domains."""
    case(*args, **kwargs)
    case(*args, domain=MICROSOFT, **kwargs)


F, D, I, L, S, B, U8 = (TensorProto.FLOAT, TensorProto.DOUBLE, TensorProto.INT32, TensorProto.INT64, TensorProto.STRING,
                        TensorProto.BOOL, TensorProto.UINT8)
H, F8 = TensorProto.FLOAT16, TensorProto.FLOAT8E4M3FN
rng = np.random.default_rng(5)


def text(*values, shape=None):
    array = np.array(values, dtype=object)
    return array.reshape(shape) if shape is not None else array


def longs(*values):
    return np.array(values, dtype=np.int64)


# --- onnx_extended, trees, machines and sparse tensors ---------------------------------------------------------------

x = rng.standard_normal((6, 3)).astype(np.float32)
TREE = dict(nodes_treeids=[0] * 5, nodes_nodeids=[0, 1, 2, 3, 4], nodes_featureids=[0, 1, 0, 0, 0],
            nodes_values=[0.1, -0.2, 0.0, 0.0, 0.0], nodes_modes="BRANCH_LEQ,BRANCH_LEQ,LEAF,LEAF,LEAF",
            nodes_truenodeids=[1, 2, 0, 0, 0], nodes_falsenodeids=[4, 3, 0, 0, 0],
            nodes_missing_value_tracks_true=[0] * 5, nodes_hitrates=[1.0] * 5, post_transform="NONE")
TARGET = dict(target_treeids=[0] * 3, target_nodeids=[2, 3, 4], target_ids=[0] * 3, target_weights=[1.5, -2.25, 4.0],
              n_targets=1, aggregate_function="SUM")
CLASSES = dict(class_treeids=[0] * 6, class_nodeids=[2, 2, 3, 3, 4, 4], class_ids=[0, 1] * 3,
               class_weights=[0.9, 0.1, 0.3, 0.7, 0.25, 0.75], classlabels_int64s=[0, 1])
case("TreeEnsembleRegressor", [x], [F], OPTIM, **TREE, **TARGET)
case("TreeEnsembleRegressor", [rng.standard_normal((200, 3)).astype(np.float32)], [F], OPTIM, **TREE, **TARGET)
case("TreeEnsembleClassifier", [x], [L, F], OPTIM, **TREE, **CLASSES)
case("DenseToSparse", [np.where(x > 0, x, 0).astype(np.float32)], [F], OPTIM)
case("SparseToDense", [("DenseToSparse", np.where(x > 0, x, 0).astype(np.float32))], [F], OPTIM)
case("TreeEnsembleRegressorSparse", [("DenseToSparse", np.where(x > 0, x, 0).astype(np.float32))], [F], OPTIM, **TREE,
     **TARGET)
case("TreeEnsembleClassifierSparse", [("DenseToSparse", np.where(x > 0, x, 0).astype(np.float32))], [L, F], OPTIM, **TREE,
     **CLASSES)
VECTORS = rng.standard_normal(12).astype(np.float32).tolist()
case("SVMRegressor", [x], [F], OPTIM, coefficients=[0.5, -1.0, 0.25, 1.5], kernel_params=[0.4, 0.1, 3.0], kernel_type="RBF",
     n_supports=4, one_class=0, post_transform="NONE", rho=[0.2], support_vectors=VECTORS)
case("SVMRegressor", [x], [F], OPTIM, coefficients=[0.5, -1.0, 0.25, 1.5], kernel_params=[0.4, 0.1, 2.0],
     kernel_type="POLY", n_supports=4, one_class=0, post_transform="NONE", rho=[0.2], support_vectors=VECTORS)
case("SVMClassifier", [x], [L, F], OPTIM, coefficients=[0.5, 1.0, -0.25, -1.25], kernel_params=[0.4, 0.0, 3.0],
     kernel_type="RBF", post_transform="NONE", rho=[0.1], support_vectors=VECTORS, vectors_per_class=[2, 2],
     classlabels_ints=[0, 1], prob_a=[0.7], prob_b=[0.1])
GRAMS = dict(min_gram_length=1, max_gram_length=2, max_skip_count=0, ngram_counts=[0, 4], ngram_indexes=[0, 1, 2, 3, 4, 5, 6],
             pool_int64s=[2, 3, 5, 4, 5, 6, 7, 8, 6, 7])
for mode in ("TF", "IDF", "TFIDF"):
    case("TfIdfVectorizer", [longs(1, 1, 3, 3, 3, 7, 8, 6, 7, 5, 6, 8).reshape(2, 6)], [F], OPTIM, mode=mode,
         weights=[1.0, 2.0, 0.5, 1.0, 3.0, 1.0, 0.25], **GRAMS)

# --- onnx_extended, the tutorial ---------------------------------------------------------------------------------------

a, b = rng.standard_normal((2, 4)).astype(np.float32), rng.standard_normal((4, 5)).astype(np.float32)
c = rng.standard_normal((2, 5)).astype(np.float32)
TF32 = "CUBLAS_COMPUTE_32F_FAST_TF32"
case("MyCustomOp", [x, x[::-1].copy()], [F], TUTORIAL)
case("MyCustomOpWithAttributes", [x.astype(np.float64), np.ones((6, 3))], [D], TUTORIAL, att_string="text", att_int64=5,
     att_float=4.5, att_tensor=numpy_helper.from_array(np.array([[5.1]])))
case("CustomGemmFloat", [a, b], [F], TUTORIAL, computeType=TF32)
case("CustomGemmFloat", [a, b, c], [F], TUTORIAL, computeType=TF32, alpha=0.5, beta=2.0)
case("CustomGemmFloat", [a.T.copy(), b], [F], TUTORIAL, computeType=TF32, transA=1)
one = np.ones(1, np.float32)
small = [m.astype(ml_dtypes.float8_e4m3fn) for m in (a, b)]
case("CustomGemmFloat8E4M3FN", [small[0], small[1], None, one, one, one], [F], TUTORIAL, computeType="CUBLAS_COMPUTE_32F",
     rowMajor=1)
case("CustomGemmFloat8E4M3FN", [small[0].T.copy(), small[1], None, one, one, one], [F], TUTORIAL, transA=1,
     computeType="CUBLAS_COMPUTE_32F", rowMajor=1)
case("DynamicQuantizeLinear", [x], [F8, F, F8], TUTORIAL, to=int(F8))
case("CustomGemmFloat8E4M3FN", [("DynamicQuantizeLinear", a, dict(to=int(F8))), small[1], None, one, one, one], [F], TUTORIAL,
     computeType="CUBLAS_COMPUTE_32F", rowMajor=1)

# --- onnxruntime-extensions: strings --------------------------------------------------------------------------------------

WORDS = text("Hello World", "", "déjà vu", "a,b;;c", "ab" * 40, "  spaces\t ")
for op in ("StringUpper", "StringLower", "StringStrip"):
    case(op, [WORDS], [S])
case("StringUpper", [text("a", "b", "c", "d", shape=(2, 2))], [S])
case("StringLength", [WORDS], [L])
case("StringConcat", [WORDS, WORDS[::-1].copy()], [S])
case("StringEqual", [WORDS, text("Hello World", "x", "déjà vu", "", "ab" * 40, "")], [B])
case("StringJoin", [text("a", "b", "c", "aa", "bb", "", shape=(2, 3)), text(";"), longs(1)], [S])
case("StringJoin", [text("a", "b", "c", "aa", "bb", "", shape=(2, 3)), text(";"), longs(0)], [S])
case("StringRegexReplace", [text("def myfunc():", "def dummy():", shape=(2, 1)),
                            text(r"def\s+([a-zA-Z_][a-zA-Z_0-9]*)\s*\(\s*\):"), text(r"static py_\1(void) {")], [S])
case("StringRegexReplace", [text("aXbXc", shape=(1, 1)), text("X"), text("-")], [S], global_replace=0)
case("StringECMARegexReplace", [text("def myfunc():", "a b", shape=(2, 1)), text(r"def\s+(\w+)\s*\(\s*\):"),
                                text(r"static py_$1(void) {")], [S], global_replace=1)
case("StringRegexSplitWithOffsets", [text("hello there  you"), text(r"(\s)"), text("")], [S, L, L, L])
case("StringECMARegexSplitWithOffsets", [text("hello there  you"), text(r"(\s)"), text(r"\s")], [S, L, L, L])
case("StringToHashBucket", [WORDS, longs(44)], [L])
case("StringToHashBucketFast", [WORDS, longs(44)], [L])
case("StringSplit", [text("a,,b", "aa,bb,c", "dddddd"), text(","), np.array([True])], [L, S, L])
case("StringMapping", [text("one", "two", "other")], [S], map="one\t1\ntwo\t2")
case("StringToVector", [text("a", "b", "q")], [L], map="a\t0 0 1 2\nb\t0 1 2 3", unk="-1 -1 -1 -1")
case("VectorToString", [longs(0, 0, 1, 2, 0, 1, 2, 3).reshape(2, 4)], [S], map="a\t0 0 1 2\nb\t0 1 2 3", unk="unknown")
case("MaskedFill", [text("a", "b", "c"), np.array([True, False, True])], [S])
case("StringRaggedTensorToDense", [longs(0, 2, 5), text("a", "b", "c", "d", "e"), longs(2, 3), text("-")], [S])
case("RaggedTensorToDense", [longs(0, 2, 5), longs(1, 2, 3, 4, 5), longs(2, 3), longs(-1)], [L])
case("RaggedTensorToSparse", [longs(0, 3, 5)], [L, L])

# --- numbers, signals, pictures --------------------------------------------------------------------------------------------

case("NegPos", [x], [F, F])
case("Inverse", [np.array([[2, 1], [1, 3]], np.float32)], [F])
case("SegmentSum", [x, longs(0, 0, 1, 1, 2, 2)], [F])
case("SegmentExtraction", [longs(0, 0, 1, 1, 0, 2, 2, 2)], [L, L])
tone = np.sin(np.arange(800, dtype=np.float32) / 7).reshape(1, 800)
case("StftNorm", [tone, longs(400), longs(160), np.hanning(400).astype(np.float32), longs(400)], [F])
case("MergeSignalSegments", [longs(0, 100, 150, 300, 900, 950).reshape(3, 2), longs(60)], [L])
silence = np.concatenate([tone[0], np.zeros(1600, np.float32), tone[0]]).reshape(1, -1)
case("SplitSignalSegments", [silence, longs(8000), longs(10), longs(5), np.array([20], np.float32)], [L])
wave = b"".join([b"RIFF", struct.pack("<I", 36 + 200), b"WAVEfmt ", struct.pack("<IHHIIHH", 16, 1, 1, 16000, 32000, 2, 16),
                 b"data", struct.pack("<I", 200), (tone[0, :100] * 9000).astype("<i2").tobytes()])
case("AudioDecoder", [np.frombuffer(wave, np.uint8).reshape(1, -1)], [F], target_sample_rate=16000)
case("AudioDecoder", [np.frombuffer(wave, np.uint8).reshape(1, -1), text("wav")], [F])


def png(pixels):
    """A picture as PNG, unfiltered."""
    height, width, _ = pixels.shape
    rows = b"".join(b"\0" + pixels[row].tobytes() for row in range(height))

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)) +
            chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


pixels = rng.integers(0, 256, (12, 10, 3), dtype=np.uint8)
case("DecodeImage", [np.frombuffer(png(pixels), np.uint8)], [U8], MICROSOFT)
case("EncodeImage", [pixels], [U8], MICROSOFT, format="png")
case("DrawBoundingBoxes", [rng.integers(0, 256, (40, 50, 3), dtype=np.uint8),
                           np.array([[5, 5, 20, 18, 0.9, 1], [22, 10, 44, 30, 0.6, 0]], np.float32)], [U8], MICROSOFT,
     thickness=2, num_classes=3, mode="XYXY", colour_by_classes=1)

# --- tokenisers, on vocabularies of a few words -----------------------------------------------------------------------------

VOCAB = "\n".join(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "hello", "world", "un", "##want", "##ed", "runn", "##ing", ",",
                   "!", "de", "##ja", "vu"])
SENTENCES = text("Hello world, unwanted!", "running deja vu")
case("BasicTokenizer", [text("Hello, World! déjà")], [S], do_lower_case=1, strip_accents=1, tokenize_punctuation=1)
case("BasicTokenizer", [text("Hello, World! déjà")], [S], MICROSOFT, do_lower_case=1, strip_accents=1, tokenize_punctuation=1)
both("BertTokenizer", [SENTENCES], [L, L, L], vocab_file=VOCAB, do_lower_case=1)
both("HfBertTokenizer", [text("Hello world", "unwanted!")], [L, L, L], vocab_file=VOCAB, do_lower_case=1)
both("BertTokenizerDecoder", [longs(5, 6, 7, 8, 9), longs(0, 2).reshape(1, 2)], [S], vocab_file=VOCAB, use_indices=0)
both("WordpieceTokenizer", [text("unwanted", "running", "xyzzy"), longs(0, 2, 3)], [S, L, L, L],
     vocab=json.dumps({w: i for i, w in enumerate(VOCAB.split("\n"))}), suffix_indicator="##", unknown_token="[UNK]")
BYTES = [chr(n) for n in range(33, 127)] + ["Ġ"]
MERGES = [("l", "l"), ("h", "e"), ("he", "ll"), ("hell", "o"), ("Ġ", "w"), ("o", "r"), ("Ġw", "or")]


def pairs(end):
    tokens = ["<|endoftext|>", "<|startoftext|>", "<s>", "</s>", "<unk>", "<pad>", "<mask>"] + BYTES
    tokens += [t + end for t in BYTES] if end else []
    merges = MERGES + ([("hell", "o" + end), ("l", "d" + end)] if end else [("l", "d")])
    tokens += [p + q for p, q in merges]
    vocab = {}
    for t in tokens:
        vocab.setdefault(t, len(vocab))
    return dict(vocab=json.dumps(vocab, ensure_ascii=False),
                merges="#version: 0.2\n" + "\n".join("%s %s" % m for m in merges) + "\n")


for op, end in (("GPT2Tokenizer", ""), ("CLIPTokenizer", "</w>"), ("RobertaTokenizer", ""), ("SpmTokenizer", "")):
    both(op, [text("hello world", "hello")], [L, L], padding_length=-1, **pairs(end))
both("RobertaTokenizer", [text("hello world")], [L, L, L], padding_length=-1, **pairs(""))  # more leave offsets unset
both("BpeDecoder", [longs(2, 3, 4, 5)], [S], id_vocab="\n".join(["<unk>", "<s>", "h", "e", "ll", "o"]),
     byte_decoder="\n".join("%d\t%d" % (ord(ch), ord(ch)) for ch in "helo"), added_tokens="", all_special_ids="0\n1",
     bos_token="<s>", eos_token="<s>", unk_token="<unk>", skip_special_tokens=0, whitespace_token=0, en_normalization=0)
JSON = json.dumps({"version": "1.0", "added_tokens": [{"id": 0, "content": "<unk>", "special": True}], "pre_tokenizer": None,
                   "model": {"type": "BPE", "unk_token": "<unk>", "vocab": json.loads(pairs("")["vocab"]),
                             "merges": ["%s %s" % m for m in MERGES]}})
CONFIG = json.dumps({"tokenizer_class": "GPT2Tokenizer", "unk_token": "<unk>", "bos_token": "<s>", "eos_token": "</s>",
                     "pad_token": "<pad>"})
both("HfJsonTokenizer", [text("hello world")], [L, L, L], tokenizer_vocab=JSON, tokenizer_config=CONFIG)
TRIE = "\n".join("%d %r %d" % (i + 1, w, len(w)) for i, w in enumerate(["a", "b", "ab", "abc", " ", "c"]))
both("TrieTokenizer", [text("abc ab", "ba")], [L], vocab=TRIE)
both("TrieDetokenizer", [longs(4, 5, 3).reshape(1, 3)], [S], vocab=TRIE)


def message(number, body):
    return bytes([number << 3 | 2, len(body)]) + body


def piece(word, score, kind=1):
    return message(1, message(1, word.encode()) + b"\x15" + struct.pack("<f", score) + b"\x18" + bytes([kind]))


MODEL = (piece("<unk>", 0, 2) + piece("<s>", 0, 3) + piece("</s>", 0, 3) +  # kinds: 1 word, 2 unknown, 3 control
         b"".join(piece(w, -1.5 - i) for i, w in enumerate(["▁hello", "▁wor", "ld", "▁", "h", "e", "l", "o", "w", "r", "d"])) +
         message(2, b"\x18\x01") + message(3, message(1, b"identity") + b"\x18\x01\x20\x01\x28\x01"))
NO = np.array([False])
both("SentencepieceTokenizer", [text("hello world", "held"), longs(0), np.zeros(1, np.float32), NO, NO, NO], [I, L],
     model=MODEL)
both("SentencepieceDecoder", [longs(3, 4, 5)], [S], model=MODEL)


# --- running -------------------------------------------------------------------------------------------------------------------

def find_libraries():
    pattern = [("optim", "onnx_extended/ortops/optim/cpu/libortops_optim_cpu.so"),
               ("tutorial", "onnx_extended/ortops/tutorial/cpu/libortops_tutorial_cpu.so"),
               ("extensions", "onnxruntime_extensions/_extensions_pydll*.so")]
    return {name: found[0] for name, path in pattern if (found := glob.glob(os.path.join(FOLDER, path)))}


def library_of(domain):
    return {OPTIM: "optim", TUTORIAL: "tutorial"}.get(domain, "extensions")


def build(domain, op, inputs, outputs, attrs):
    nodes, infos, feeds, names, constants = [], [], {}, [], []
    for i, value in enumerate(inputs):
        if value is None:
            names.append("")
            continue
        name = at_op = "x%d" % i
        if isinstance(value, tuple):  # what another op of the library makes of it
            more = dict(enumerate(value)).get(2, {})
            made = ["made%d" % i] + (["scale%d" % i, "zero%d" % i] if more else [])
            nodes.append(helper.make_node(value[0], [name], made, domain=domain, **more))
            value, at_op = value[1], made[0]
        if value.dtype == ml_dtypes.float8_e4m3fn:  # no file of inputs has it
            constants.append(helper.make_tensor(name, F8, value.shape, value.tobytes(), raw=True))
            names.append(name)
            continue
        kind = S if value.dtype == object else helper.np_dtype_to_tensor_dtype(value.dtype)
        infos.append(helper.make_tensor_value_info(name, kind, [None] * value.ndim))
        feeds[name] = value
        names.append(at_op)
    results = ["y%d" % i for i in range(len(outputs))]
    nodes.append(helper.make_node(op, names, results, domain=domain, **attrs))
    ends = [helper.make_tensor_value_info(name, kind, None) for name, kind in zip(results, outputs) if kind != F8]
    graph = helper.make_graph(nodes, "g", infos, ends, constants)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 19), helper.make_opsetid(domain, 1)],
                             ir_version=9), feeds


def run_guarded(library, model, feeds, attempts=5):
    """A library that crashes takes a process of its own along. Some of onnx_extended's kernels crash in ONNX Runtime now
    and then."""
    context = multiprocessing.get_context("fork")
    here, there = context.Pipe(False)
    child = context.Process(target=lambda: there.send(answer(library, model, feeds)))
    child.start()
    there.close()
    try:
        result = here.recv()
    except EOFError:
        result = RuntimeError("it crashed")
    child.join()
    if child.exitcode < 0 and attempts > 1:
        return run_guarded(library, model, feeds, attempts - 1)
    if isinstance(result, Exception):
        raise result
    return result


def answer(library, model, feeds):
    try:
        return run_theirs(library, model, feeds)
    except Exception as error:
        return RuntimeError(str(error))


def run_theirs(library, model, feeds):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.register_custom_ops_library(library)
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    return session.run(None, feeds)


def run_ours(oribi, library, folder, model, feeds):
    (folder / "m.onnx").write_bytes(model.SerializeToString())
    command = [oribi, "run", str(folder / "m.onnx"), "--plugin", library, "--json"]
    for name, value in feeds.items():
        tensor = (helper.make_tensor(name, S, value.shape, [t.encode() for t in value.reshape(-1)])
                  if value.dtype == object else numpy_helper.from_array(value, name))
        (folder / (name + ".pb")).write_bytes(tensor.SerializeToString())
        command += ["-i", "%s=@%s" % (name, folder / (name + ".pb"))]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    if done.returncode != 0:
        raise RuntimeError((done.stderr.strip().split("\n") or [""])[-1][:400] or "exit %d" % done.returncode)
    return [json.loads(line) for line in done.stdout.strip().split("\n")]


def differs(theirs, ours):
    if list(theirs.shape) != ours["shape"]:
        return "shape %s, not %s" % (ours["shape"], list(theirs.shape))
    if theirs.dtype.kind in "fc":
        values = np.array([float(v) for v in ours["values"]]).reshape(theirs.shape)
        return None if np.allclose(values, theirs, rtol=1e-6, atol=1e-6, equal_nan=True) else "other values"
    return None if list(theirs.reshape(-1)) == ours["values"] else "other values: %s" % str(ours["values"])[:80]


def main():
    oribi = sys.argv[1]
    libraries = find_libraries()
    if not libraries:
        print("skipped: no library below %s" % FOLDER)
        return 77
    agree, broken, without = {}, [], {}
    with tempfile.TemporaryDirectory() as temporary:
        for domain, op, inputs, outputs, attrs in CASES:
            library = libraries.get(library_of(domain))
            if library is None:
                continue
            label = "%s:%s" % (domain, op)
            model, feeds = build(domain, op, inputs, outputs, attrs)
            try:
                theirs = run_guarded(library, model, feeds)
            except Exception as error:  # the case is not one that the library takes
                broken.append("%s: ONNX Runtime refuses the case: %s" % (label, str(error).split("\n")[0][:300]))
                continue
            try:
                ours = run_ours(oribi, library, pathlib.Path(temporary), model, feeds)
                wrong = [w for t, o in zip(theirs, ours) if (w := differs(np.asarray(t), o))]
            except (RuntimeError, subprocess.TimeoutExpired) as error:
                wrong = [str(error)]
            if wrong:
                broken.append("%s: %s" % (label, "; ".join(wrong)))
            else:
                agree.setdefault(library_of(domain), set()).add(label)
    for name, library in libraries.items():
        listed = subprocess.run([oribi, "plugin", "describe", library], capture_output=True, text=True, check=True).stdout
        ops = [line.split()[1] for line in listed.split("\n") if line.startswith("kernel ")]
        plain = {label.rsplit(":", 1)[1] for label in agree.get(name, ())}
        left = sorted({op.rsplit(">", 1)[1] for op in ops} - plain)
        print("%s: %d ops, %d run and agree with ONNX Runtime %s; without a case: %s" % (
            name, len(ops), len(agree.get(name, ())), onnxruntime.__version__,
            ", ".join("%s (%s)" % (op, LEFT_OUT[op]) for op in left if op in LEFT_OUT) or "none"))
        without[name] = [op for op in left if op not in LEFT_OUT]
    for name, ops in without.items():
        broken += ["%s: %s has no case that agrees" % (name, op) for op in ops]
    for line in broken:
        print("FAIL " + line)
    return 1 if broken else 0


sys.exit(main())
