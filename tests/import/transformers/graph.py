# SPDX-License-Identifier: Apache-2.0
"""Small transformers with random weights, node for node as PyTorch's exporters write them: a class that makes nodes, and a
function for each model (make_models.py beside this has the variants)."""
import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

WIDTH, HEADS, INSIDE, WORDS, LAYERS = 32, 4, 64, 50, 2
PLACES, SHORT = 260, 32  # positions of decoders, of encoders
SIZE = WIDTH // HEADS
BIG = 16  # the least head that GroupQueryAttention takes
F32, I64, I32 = TensorProto.FLOAT, TensorProto.INT64, TensorProto.INT32


class Graph:
    def __init__(self, opset=14, seed=1, spread=0.2):
        self.nodes, self.constants, self.inputs, self.outputs, self.count = [], [], [], [], 0
        self.opset, self.random, self.spread, self.domains = opset, np.random.default_rng(seed), spread, set()

    def constant(self, array, name=None):
        self.count += 1
        name = name or f"c{self.count}"
        self.constants.append(numpy_helper.from_array(np.asarray(array), name))
        return name

    def weights(self, *shape, around=0.0):
        """On a grid, which packs well."""
        return self.constant((np.round(self.random.normal(around, self.spread, shape) * 32) / 32).astype(np.float32))

    def f(self, value):
        return self.constant(np.float32(value))

    def i(self, *values):
        return self.constant(np.array(values, np.int64))

    def scalar(self, value):
        return self.constant(np.int64(value))

    def node(self, op, *inputs, n_outputs=1, outputs=None, domain="", **attributes):
        self.count += 1
        name = f"{op}_{self.count}"
        outputs = outputs or ([name] if n_outputs == 1 else [f"{name}_{k}" for k in range(n_outputs)])
        self.nodes.append(helper.make_node(op, inputs, outputs, name=name, domain=domain, **attributes))
        self.domains.add(domain)
        return outputs[0] if len(outputs) == 1 else outputs

    def ms(self, op, *inputs, **attributes):
        return self.node(op, *inputs, domain="com.microsoft", **attributes)

    def input(self, name, dtype, shape):
        self.inputs.append(helper.make_tensor_value_info(name, dtype, shape))
        return name

    def output(self, name, value, dtype, shape):
        self.node("Identity", value, outputs=[name])
        self.outputs.append(helper.make_tensor_value_info(name, dtype, shape))

    def model(self, name):
        graph = helper.make_graph(self.nodes, name, self.inputs, self.outputs, self.constants)
        opsets = [helper.make_opsetid("", self.opset)]
        opsets += [helper.make_opsetid(d, 1) for d in sorted(self.domains) if d]
        model = helper.make_model(graph, opset_imports=opsets, ir_version=9)
        if "SimplifiedLayerNormalization" not in (n.op_type for n in self.nodes):  # an operator of ONNX Runtime's own
            onnx.checker.check_model(model)
        return model

    # --- What exporters write for a layer of PyTorch's -----------------------------------------------
    def dense(self, x, rows, columns, bias=True):
        y = self.node("MatMul", x, self.weights(rows, columns))
        return self.node("Add", self.weights(columns), y) if bias else y

    def layer_norm(self, x):
        gain, bias = self.weights(WIDTH, around=1.0), self.weights(WIDTH)
        if self.opset >= 17:
            return self.node("LayerNormalization", x, gain, bias, axis=-1, epsilon=1e-5)
        centred = self.node("Sub", x, self.node("ReduceMean", x, axes=[-1]))
        variance = self.node("ReduceMean", self.node("Pow", centred, self.f(2)), axes=[-1])
        root = self.node("Sqrt", self.node("Add", variance, self.f(1e-5)))
        return self.node("Add", self.node("Mul", self.node("Div", centred, root), gain), bias)

    def rms_norm(self, x):
        mean = self.node("ReduceMean", self.node("Pow", x, self.f(2)), axes=[-1])
        root = self.node("Sqrt", self.node("Add", mean, self.f(1e-5)))
        scaled = self.node("Mul", x, self.node("Div", self.f(1), root))
        return self.node("Mul", self.weights(WIDTH, around=1.0), scaled)

    def gelu(self, x):
        erf = self.node("Add", self.node("Erf", self.node("Div", x, self.f(2 ** 0.5))), self.f(1))
        return self.node("Mul", self.node("Mul", x, erf), self.f(0.5))

    def new_gelu(self, x):
        cubed = self.node("Mul", self.node("Pow", x, self.f(3)), self.f(0.044715))
        inner = self.node("Mul", self.node("Add", x, cubed), self.f((2 / np.pi) ** 0.5))
        return self.node("Mul", self.node("Mul", x, self.f(0.5)), self.node("Add", self.node("Tanh", inner), self.f(1)))

    def dim(self, x, axis):
        return self.node("Gather", self.node("Shape", x), self.scalar(axis), axis=0)

    def unsqueezed(self, x, *axes):
        return self.node("Unsqueeze", x, self.i(*axes))

    def shape(self, *parts):
        return self.node("Concat", *[self.unsqueezed(p, 0) if isinstance(p, str) else self.i(p) for p in parts], axis=0)

    def heads(self, x, perm=(0, 2, 1, 3), heads=None):
        y = self.node("Reshape", x, self.shape(self.dim(x, 0), self.dim(x, 1), heads or HEADS, SIZE))
        return self.node("Transpose", y, perm=list(perm))

    def joined(self, x):
        y = self.node("Transpose", x, perm=[0, 2, 1, 3])
        return self.node("Reshape", y, self.shape(self.dim(y, 0), self.dim(y, 1), WIDTH))

    def encoder_attention(self, x, mask):
        q = self.heads(self.dense(x, WIDTH, WIDTH))
        k = self.heads(self.dense(x, WIDTH, WIDTH), (0, 2, 3, 1))
        v = self.heads(self.dense(x, WIDTH, WIDTH))
        scores = self.node("Div", self.node("MatMul", q, k), self.f(SIZE ** 0.5))
        scores = self.node("Add", scores, mask) if mask else scores
        return self.joined(self.node("MatMul", self.node("Softmax", scores, axis=-1), v))

    def encoder_mask(self, attention_mask):
        wide = self.node("Cast", self.unsqueezed(self.unsqueezed(attention_mask, 1), 2), to=F32)
        return self.node("Mul", self.node("Sub", self.f(1), wide), self.f(-10000))

    def encoder_layer(self, x, mask):
        x = self.layer_norm(self.node("Add", self.dense(self.encoder_attention(x, mask), WIDTH, WIDTH), x))
        inside = self.dense(self.gelu(self.dense(x, WIDTH, INSIDE)), INSIDE, WIDTH)
        return self.layer_norm(self.node("Add", inside, x))


TOKENS = ["batch_size", "sequence_length"]


# --- Encoders -----------------------------------------------------------------------------------------
def bert(opset, pooler):
    """BERT with segments: MiniLM is one as well."""
    g = Graph(opset)
    ids, seen, kinds = (g.input(n, I64, TOKENS) for n in ("input_ids", "attention_mask", "token_type_ids"))
    positions = g.node("Slice", g.constant(np.arange(SHORT, dtype=np.int64)[None]), g.i(0), g.unsqueezed(g.dim(ids, 1), 0), g.i(1))
    x = g.node("Add", g.node("Gather", g.weights(WORDS, WIDTH), ids), g.node("Gather", g.weights(2, WIDTH), kinds))
    x = g.layer_norm(g.node("Add", x, g.node("Gather", g.weights(SHORT, WIDTH), positions)))
    mask = g.encoder_mask(seen)
    for _ in range(LAYERS):
        x = g.encoder_layer(x, mask)
    g.output("last_hidden_state", x, F32, [*TOKENS, WIDTH])
    if pooler:
        first = g.node("Gather", x, g.scalar(0), axis=1)
        pooled = g.node("Tanh", g.node("Gemm", first, g.weights(WIDTH, WIDTH), g.weights(WIDTH), transB=1))
        g.output("pooler_output", pooled, F32, ["batch_size", WIDTH])
    return g.model("bert")


def roberta():
    """Positions are counted over what is not padding; no segments."""
    g = Graph(14, 2)
    ids, seen = (g.input(n, I64, TOKENS) for n in ("input_ids", "attention_mask"))
    real = g.node("Cast", g.node("Not", g.node("Equal", ids, g.scalar(1))), to=I32)
    counted = g.node("Mul", g.node("CumSum", real, g.scalar(1)), real)
    positions = g.node("Add", g.node("Cast", counted, to=I64), g.scalar(1))
    x = g.node("Add", g.node("Gather", g.weights(WORDS, WIDTH), ids), g.node("Gather", g.weights(SHORT, WIDTH), positions))
    x, mask = g.layer_norm(x), g.encoder_mask(seen)
    for _ in range(LAYERS):
        x = g.encoder_layer(x, mask)
    first = g.node("Gather", x, g.scalar(0), axis=1)
    y = g.node("Tanh", g.node("Gemm", first, g.weights(WIDTH, WIDTH), g.weights(WIDTH), transB=1))
    g.output("logits", g.node("Gemm", y, g.weights(3, WIDTH), g.weights(3), transB=1), F32, ["batch_size", 3])
    return g.model("roberta")


def vit():
    g = Graph(14, 3)
    pixels = g.input("pixel_values", F32, ["batch_size", 3, "height", "width"])
    patches = g.node("Conv", pixels, g.weights(WIDTH, 3, 8, 8), g.weights(WIDTH), kernel_shape=[8, 8], strides=[8, 8])
    flat = g.node("Reshape", patches, g.shape(g.dim(patches, 0), g.dim(patches, 1), -1))
    x = g.node("Transpose", flat, perm=[0, 2, 1])
    first = g.node("Expand", g.weights(1, 1, WIDTH), g.shape(g.dim(pixels, 0), 1, WIDTH))
    x = g.node("Add", g.node("Concat", first, x, axis=1), g.weights(1, 17, WIDTH))
    for _ in range(LAYERS):
        y = g.encoder_attention(g.layer_norm(x), None)
        x = g.node("Add", g.dense(y, WIDTH, WIDTH), x)
        x = g.node("Add", g.dense(g.gelu(g.dense(g.layer_norm(x), WIDTH, INSIDE)), INSIDE, WIDTH), x)
    y = g.node("Gather", g.layer_norm(x), g.scalar(0), axis=1)
    g.output("logits", g.node("Gemm", y, g.weights(5, WIDTH), g.weights(5), transB=1), F32, ["batch_size", 5])
    return g.model("vit")


# --- Decoders -----------------------------------------------------------------------------------------
def caches(g, heads, size=None):
    past = ["batch_size", heads, "past_sequence_length", size or SIZE]
    return [tuple(g.input(f"past_key_values.{k}.{part}", F32, past) for part in ("key", "value")) for k in range(LAYERS)]


def present(g, layer, key, value, heads, size=None):
    shape = ["batch_size", heads, "total_sequence_length", size or SIZE]
    g.output(f"present.{layer}.key", key, F32, shape)
    g.output(f"present.{layer}.value", value, F32, shape)


def gpt2_attention(g, x, past, layer):
    """Causal by a constant triangle that is cut; one product for queries, keys and values."""
    flat = g.node("Gemm", g.node("Reshape", x, g.i(-1, WIDTH)), g.weights(WIDTH, 3 * WIDTH), g.weights(3 * WIDTH))
    qkv = g.node("Reshape", flat, g.shape(g.dim(x, 0), g.dim(x, 1), 3 * WIDTH))
    q, k, v = g.node("Split", qkv, g.i(WIDTH, WIDTH, WIDTH), n_outputs=3, axis=2)
    q, k, v = g.heads(q), g.heads(k), g.heads(v)
    k, v = g.node("Concat", past[0], k, axis=2), g.node("Concat", past[1], v, axis=2)
    present(g, layer, k, v, HEADS)
    scores = g.node("Div", g.node("MatMul", q, g.node("Transpose", k, perm=[0, 1, 3, 2])), g.f(SIZE ** 0.5))
    total, own = g.dim(k, 2), g.dim(q, 2)
    triangle = g.constant(np.tril(np.ones((1, 1, PLACES, PLACES), bool)))
    first = g.unsqueezed(g.node("Sub", total, own), 0)
    rows = g.node("Slice", triangle, first, g.unsqueezed(total, 0), g.i(2), g.i(1))
    seen = g.node("Slice", rows, g.i(0), g.unsqueezed(total, 0), g.i(3), g.i(1))
    return g.node("Softmax", g.node("Where", seen, scores, g.f(-3.4028235e38)), axis=-1), v


def gpt2():
    g = Graph(14, 4, 0.4)
    ids, seen = g.input("input_ids", I64, TOKENS), g.input("attention_mask", I64, ["batch_size", "total_sequence_length"])
    past = caches(g, HEADS)
    own, before = g.dim(ids, 1), g.dim(past[0][0], 2)
    positions = g.unsqueezed(g.node("Range", before, g.node("Add", own, before), g.scalar(1)), 0)
    x = g.node("Add", g.node("Gather", g.weights(WORDS, WIDTH), ids), g.node("Gather", g.weights(PLACES, WIDTH), positions))
    mask = g.node("Cast", g.unsqueezed(seen, 1, 2), to=F32)
    mask = g.node("Mul", g.node("Sub", g.f(1), mask), g.f(-3.4028235e38))
    for layer in range(LAYERS):
        q = g.layer_norm(x)
        share, v = gpt2_attention(g, q, past[layer], layer)
        del mask  # the triangle is enough where nothing is padded; the exporter drops it then
        mask = None
        x = g.node("Add", g.dense(g.joined(g.node("MatMul", share, v)), WIDTH, WIDTH), x)
        x = g.node("Add", x, g.dense(g.new_gelu(g.dense(g.layer_norm(x), WIDTH, INSIDE)), INSIDE, WIDTH))
    g.output("logits", g.dense(g.layer_norm(x), WIDTH, WORDS, bias=False), F32, [*TOKENS, WORDS])
    return g.model("gpt2")


def turned(g, x, cosine, sine):
    """Half of a head against the other, as Llama's rotate_half."""
    half = SIZE // 2
    low = g.node("Slice", x, g.i(0), g.i(half), g.i(3), g.i(1))
    high = g.node("Slice", x, g.i(half), g.i(2 ** 63 - 1), g.i(3), g.i(1))
    return g.node("Add", g.node("Mul", x, cosine), g.node("Mul", g.node("Concat", g.node("Neg", high), low, axis=-1), sine))


def repeated(g, x):
    """A head of keys for two of queries (repeat_kv)."""
    wide = g.shape(g.dim(x, 0), HEADS // 2, 2, g.dim(x, 2), SIZE)
    y = g.node("Expand", g.unsqueezed(x, 2), wide)
    return g.node("Reshape", y, g.shape(g.dim(x, 0), HEADS, g.dim(x, 2), SIZE))


def llama_mask(g, ids, seen, before):
    """[batch, 1, own, total]: what is later, and what is padding, gets the least float."""
    own, total = g.dim(ids, 1), g.dim(seen, 1)
    least = g.f(-3.4028235e38)
    full = g.node("Expand", least, g.shape(own, total))
    places = g.node("Range", g.scalar(0), total, g.scalar(1))
    rows = g.unsqueezed(g.node("Range", before, g.node("Add", before, own), g.scalar(1)), 1)
    late = g.node("Cast", g.node("Greater", places, rows), to=F32)
    causal = g.node("Mul", g.node("Trilu", full, g.scalar(-PLACES), upper=1), late)
    causal = g.node("Expand", g.unsqueezed(causal, 0, 1), g.shape(g.dim(ids, 0), 1, own, total))
    padding = g.node("Add", causal, g.node("Cast", g.unsqueezed(seen, 1, 2), to=F32))
    return g.node("Where", g.node("Equal", padding, g.f(0)), least, causal)


def silu_mlp(g, x):
    gate = g.dense(x, WIDTH, INSIDE, bias=False)
    gate = g.node("Mul", gate, g.node("Sigmoid", gate))
    return g.dense(g.node("Mul", gate, g.dense(x, WIDTH, INSIDE, bias=False)), INSIDE, WIDTH, bias=False)


def llama():
    g = Graph(14, 5, 0.4)
    ids, seen = g.input("input_ids", I64, TOKENS), g.input("attention_mask", I64, ["batch_size", "total_sequence_length"])
    places = g.input("position_ids", I64, TOKENS)
    past = caches(g, HEADS // 2)
    before = g.dim(past[0][0], 2)
    frequencies = g.constant((10000.0 ** (-np.arange(0, SIZE, 2) / SIZE)).astype(np.float32).reshape(1, -1, 1))
    wide = g.node("Expand", frequencies, g.shape(g.dim(places, 0), SIZE // 2, 1))
    angles = g.node("MatMul", wide, g.node("Cast", g.unsqueezed(places, 1), to=F32))
    angles = g.node("Transpose", angles, perm=[0, 2, 1])
    angles = g.node("Concat", angles, angles, axis=-1)
    cosine, sine = (g.unsqueezed(g.node(op, angles), 1) for op in ("Cos", "Sin"))
    mask = llama_mask(g, ids, seen, before)
    x = g.node("Gather", g.weights(WORDS, WIDTH), ids)
    for layer in range(LAYERS):
        y = g.rms_norm(x)
        q = turned(g, g.heads(g.dense(y, WIDTH, WIDTH, bias=False)), cosine, sine)
        k = turned(g, g.heads(g.dense(y, WIDTH, WIDTH // 2, bias=False), heads=HEADS // 2), cosine, sine)
        v = g.heads(g.dense(y, WIDTH, WIDTH // 2, bias=False), heads=HEADS // 2)
        k, v = g.node("Concat", past[layer][0], k, axis=2), g.node("Concat", past[layer][1], v, axis=2)
        present(g, layer, k, v, HEADS // 2)
        scores = g.node("MatMul", q, g.node("Transpose", repeated(g, k), perm=[0, 1, 3, 2]))
        scores = g.node("Add", g.node("Mul", scores, g.f(SIZE ** -0.5)), mask)
        y = g.joined(g.node("MatMul", g.node("Softmax", scores, axis=-1), repeated(g, v)))
        x = g.node("Add", x, g.dense(y, WIDTH, WIDTH, bias=False))
        x = g.node("Add", x, silu_mlp(g, g.rms_norm(x)))
    g.output("logits", g.dense(g.rms_norm(x), WIDTH, WORDS, bias=False), F32, [*TOKENS, WORDS])
    return g.model("llama")


def skip_norm(g, x, y):
    """The norm of a sum and the sum."""
    out = g.ms("SkipSimplifiedLayerNormalization", x, y, g.weights(WIDTH, around=1.0), outputs=[f"n{g.count}", "", "", f"s{g.count}"], epsilon=1e-5)
    return out[0], out[3]


def grouped(packed, **attributes):
    """As ONNX Runtime's own model builder writes a decoder: GroupQueryAttention turns and keeps the cache."""
    g = Graph(17, 7, 0.4)
    ids, seen = g.input("input_ids", I64, TOKENS), g.input("attention_mask", I64, ["batch_size", "total_sequence_length"])
    past = caches(g, HEADS // 2, BIG)
    counted = g.node("Sub", g.node("ReduceSum", seen, g.i(1)), g.i(1))
    last = g.node("Cast", counted, to=I32)
    total = g.node("Cast", g.dim(seen, 1), to=I32)
    turns = np.arange(PLACES)[:, None] * (10000.0 ** (-np.arange(0, BIG, 2) / BIG))[None]
    cosine, sine = g.constant(np.cos(turns).astype(np.float32)), g.constant(np.sin(turns).astype(np.float32))
    x = g.node("Gather", g.weights(WORDS, WIDTH), ids)
    y = g.node("SimplifiedLayerNormalization", x, g.weights(WIDTH, around=1.0), axis=-1, epsilon=1e-5)
    for layer in range(LAYERS):
        if packed:
            parts = [g.dense(y, WIDTH, 2 * HEADS * BIG, bias=False), "", ""]
        else:
            parts = [g.dense(y, WIDTH, n, bias=False) for n in (HEADS * BIG, HEADS * BIG // 2, HEADS * BIG // 2)]
        y, k, v = g.ms("GroupQueryAttention", *parts, *past[layer], last, total, cosine, sine, n_outputs=3, num_heads=HEADS,
                       kv_num_heads=HEADS // 2, do_rotary=1, **attributes)
        present(g, layer, k, v, HEADS // 2, BIG)
        y, x = skip_norm(g, x, g.dense(y, HEADS * BIG, WIDTH, bias=False))
        y, x = skip_norm(g, x, silu_mlp(g, y))
    g.output("logits", g.dense(y, WIDTH, WORDS, bias=False), F32, [*TOKENS, WORDS])
    return g.model("grouped")
