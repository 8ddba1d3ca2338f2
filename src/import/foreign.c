/* SPDX-License-Identifier: Apache-2.0 */
/* Formats that people try and that no importer reads: told by their first bytes, by the names of
 * what an archive holds, or by the fields of a message, so that the answer names the format and the
 * one command that converts it. Not here: formats that are read (open.c).
 */
#include "import/foreign.h"

#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "format/wire.h"

/* --- Archives -------------------------------------------------------------------------------- */

/* Is there such a name in the directory of a zip, at most so many bytes from its end? */
static bool zip_has(const uint8_t *data, size_t bytes, const char *name)
{
    enum { MOST = 1 << 20 };
    const size_t length = strlen(name), from = bytes > MOST ? bytes - MOST : 0;

    for (size_t i = from; i + 46 + length <= bytes; i++) {
        if (memcmp(data + i, "PK\1\2", 4) != 0) {
            continue;
        }
        const size_t n = (size_t)(data[i + 28] | data[i + 29] << 8);
        const uint8_t *entry = data + i + 46;
        if (n >= length && n <= bytes - i - 46 && memcmp(entry + n - length, name, length) == 0) {
            return true;
        }
    }
    return false;
}

typedef struct archive {
    const char *name; /* the end of a member's name */
    oribi_foreign foreign;
} archive;

static const archive archives[] = {
    {"model.weights.h5",
     {"a Keras model (.keras)",
      "python -c \"import keras; keras.saving.load_model('MODEL.keras').export('MODEL.onnx', "
      "format='onnx')\""}},
    {"models/model.json",
     {"an exported PyTorch program (.pt2)",
      "python -c \"import torch; torch.onnx.export(torch.export.load('MODEL.pt2'), "
      "dynamo=True).save('MODEL.onnx')\""}},
    {"serialized_exported_program.json",
     {"an exported PyTorch program (.pt2)",
      "python -c \"import torch; torch.onnx.export(torch.export.load('MODEL.pt2'), "
      "dynamo=True).save('MODEL.onnx')\""}},
    {"constants.pkl",
     {"a TorchScript model (.pt)",
      "torch.onnx.export(torch.jit.load('MODEL.pt'), EXAMPLE_INPUTS, 'MODEL.onnx', dynamo=False) "
      "in Python"}},
    {"data.pkl",
     {"PyTorch weights (.pt, .pth), without the model's code",
      "torch.onnx.export(MODEL, EXAMPLE_INPUTS, 'MODEL.onnx') in the program that makes the "
      "model"}},
    {"Manifest.json",
     {"a Core ML package (.mlpackage)",
      "no tool reads an ML program back: convert the model that it was made from, say with "
      "torch.onnx.export"}},
    {".npy", {"NumPy's arrays (.npz)", "give it as an input: -i NAME=@FILE.npz"}},
    {".onnx", {"an archive with an ONNX model in it", "unzip FILE, and run what comes out"}},
    {".tflite", {"an archive with a TFLite model in it", "unzip FILE, and run what comes out"}},
};

static const oribi_foreign *find_archive(const uint8_t *data, size_t bytes)
{
    static const oribi_foreign other = {"a zip archive", "unzip FILE, and run the model in it"};

    for (size_t i = 0; i < sizeof archives / sizeof archives[0]; i++) {
        if (zip_has(data, bytes, archives[i].name)) {
            return &archives[i].foreign;
        }
    }
    return &other;
}

/* --- First bytes ----------------------------------------------------------------------------- */

typedef struct mark {
    uint8_t at, n; /* where the bytes stand, and how many */
    char bytes[10];
    oribi_foreign foreign;
} mark;

static const mark marks[] = {
    {0,
     4,
     "GGUF",
     {"a GGUF file (llama.cpp)",
      "python -c \"from transformers import AutoModelForCausalLM as M; "
      "M.from_pretrained('FOLDER', gguf_file='FILE.gguf').save_pretrained('MODEL')\" && "
      "optimum-cli export onnx --model MODEL --task text-generation ONNX_FOLDER"}},
    {0,
     8,
     "\211HDF\r\n\32\n",
     {"a Keras model or weights (.h5, HDF5)",
      "python -m tf2onnx.convert --keras MODEL.h5 --output MODEL.onnx"}},
    {0,
     4,
     "ML\357R",
     {"MLIR bytecode",
      "flatbuffer_translate --mlir-to-tflite-flatbuffer MODEL.mlir -o MODEL.tflite, where it is of "
      "the TFLite dialect"}},
    {4,
     4,
     "ORTM",
     {"a model in ONNX Runtime's own format (.ort)", "give the .onnx file that it was made from"}},
    {4,
     2,
     "ET",
     {"an ExecuTorch program (.pte)",
      "torch.onnx.export in the program that makes the model, in place of to_executorch"}},
    {0,
     5,
     "<?xml",
     {"XML, perhaps OpenVINO's (.xml)", "give the .onnx or .tflite file that it was made from"}},
    {0, 2, "\37\213", {"a file packed by gzip", "gunzip FILE, and run what comes out"}},
    {0, 6, "\3757zXZ", {"a file packed by xz", "unxz FILE, and run what comes out"}},
    {0, 4, "(\265/\375", {"a file packed by zstd", "unzstd FILE, and run what comes out"}},
    {0, 6, "\223NUMPY", {"NumPy's array (.npy)", "give it as an input: -i NAME=@FILE.npy"}},
    {0, 4, "\177ELF", {"a program or library", "a plugin is given with --plugin FILE"}},
};

static const mark *find_mark(const uint8_t *data, size_t bytes)
{
    for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++) {
        const mark *m = &marks[i];
        if (bytes >= (size_t)m->at + m->n && memcmp(data + m->at, m->bytes, m->n) == 0) {
            return m;
        }
    }
    return NULL;
}

/* --- Text and pickles ------------------------------------------------------------------------ */

static bool begins(const uint8_t *data, size_t bytes, const char *text)
{
    const size_t length = strlen(text);
    return bytes >= length && memcmp(data, text, length) == 0;
}

static bool contains(const uint8_t *data, size_t bytes, const char *text)
{
    for (size_t i = 0, length = strlen(text); i + length <= bytes; i++) {
        if (memcmp(data + i, text, length) == 0) {
            return true;
        }
    }
    return false;
}

/* Eight bytes of length, then so much JSON. */
static bool is_safetensors(const uint8_t *data, size_t bytes)
{
    uint64_t length = 0;

    for (size_t i = 0; i < 8 && bytes > 9; i++) {
        length |= (uint64_t)data[i] << 8 * i;
    }
    return length > 1 && length <= bytes - 8 && data[8] == '{' &&
           (data[9] == '"' || data[9] == '}');
}

static const oribi_foreign *find_text(const uint8_t *data, size_t bytes)
{
    static const oribi_foreign safetensors = {
        "weights without a graph (.safetensors)",
        "optimum-cli export onnx --model FOLDER_OF_THE_MODEL ONNX_FOLDER"};
    static const oribi_foreign mlir = {
        "MLIR (.mlir)", "flatbuffer_translate --mlir-to-tflite-flatbuffer MODEL.mlir -o "
                        "MODEL.tflite, where it is of the TFLite dialect"};
    static const oribi_foreign json = {
        "JSON, perhaps TensorFlow.js's (model.json)",
        "tensorflowjs_converter --input_format tfjs_layers_model --output_format keras model.json "
        "MODEL.h5, then python -m tf2onnx.convert --keras MODEL.h5 --output MODEL.onnx"};
    static const oribi_foreign pickle = {
        "a Python pickle (PyTorch or scikit-learn)",
        "export in Python: torch.onnx.export, or skl2onnx.to_onnx"};
    static const oribi_foreign page = {"a web page", "the download gave a page, not the model"};
    static const oribi_foreign pointer = {"a pointer of Git LFS, not the file itself",
                                          "git lfs pull"};
    const size_t head = bytes < 4096 ? bytes : 4096;

    if (is_safetensors(data, bytes)) {
        return &safetensors;
    }
    if (begins(data, bytes, "version https://git-lfs")) {
        return &pointer;
    }
    if (begins(data, bytes, "<!DOCTYPE html") || begins(data, bytes, "<!doctype html") ||
        begins(data, bytes, "<html")) {
        return &page;
    }
    if (bytes >= 2 && data[0] == 0x80 && data[1] >= 2 && data[1] <= 5) {
        return &pickle;
    }
    if (data[0] == '{') {
        return &json;
    }
    if (begins(data, bytes, "module") || begins(data, bytes, "#map") ||
        begins(data, bytes, "#loc") || begins(data, bytes, "func.func") ||
        (begins(data, bytes, "//") && contains(data, head, "func.func"))) {
        return &mlir;
    }
    return NULL;
}

/* --- Messages of protobuf -------------------------------------------------------------------- */

/* Core ML's Model is told from ONNX's by what is in it: no graph (7), but a model of some kind (200
 * to 3000). */
static const oribi_foreign *find_message(const uint8_t *data, size_t bytes)
{
    static const oribi_foreign core_ml = {
        "a Core ML model (.mlmodel)",
        "python -c \"import coremltools, onnxmltools; "
        "onnxmltools.utils.save_model(onnxmltools.convert_coreml(coremltools.utils.load_spec("
        "'MODEL.mlmodel')), 'MODEL.onnx')\""};
    enum { MOST_FIELDS = 64 };
    TF_Status *status = TF_NewStatus();
    oribi_wire wire = oribi_wire_over(data, bytes);
    oribi_wire_field field;
    bool has_graph = false, has_kind = false;

    for (int i = 0; i < MOST_FIELDS && oribi_wire_next(&wire, &field, status); i++) {
        has_graph = has_graph || field.number == 7;
        has_kind = has_kind ||
                   (field.type == ORIBI_WIRE_BYTES && field.number >= 200 && field.number <= 3000);
    }
    TF_DeleteStatus(status);
    return has_kind && !has_graph ? &core_ml : NULL;
}

/* --- All of them ----------------------------------------------------------------------------- */

const oribi_foreign *oribi_foreign_find(const uint8_t *data, size_t bytes)
{
    if (bytes == 0) {
        return NULL;
    }
    if (begins(data, bytes, "PK\3\4")) {
        return find_archive(data, bytes);
    }
    const mark *m = find_mark(data, bytes);
    const oribi_foreign *text = m != NULL ? &m->foreign : find_text(data, bytes);
    return text != NULL ? text : find_message(data, bytes);
}

const oribi_foreign *oribi_foreign_find_folder(const char *path)
{
    static const struct {
        const char *name;
        oribi_foreign foreign;
    } folders[] = {
        {"Manifest.json",
         {"a Core ML package (.mlpackage)",
          "no tool reads an ML program back: convert the model that it was made from"}},
        {"model.safetensors",
         {"a model of transformers", "optimum-cli export onnx --model FOLDER ONNX_FOLDER"}},
        {"pytorch_model.bin",
         {"a model of transformers", "optimum-cli export onnx --model FOLDER ONNX_FOLDER"}},
        {"model.onnx", {"a folder with an ONNX model", "name the file: FOLDER/model.onnx"}},
    };

    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
        char *file = oribi_path_join(path, folders[i].name);
        const bool is_there = file != NULL && oribi_file_exists(file);
        oribi_free(file);
        if (is_there) {
            return &folders[i].foreign;
        }
    }
    return NULL;
}
