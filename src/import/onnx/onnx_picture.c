/* SPDX-License-Identifier: Apache-2.0 */
/* Operators on pictures and signals that TensorFlow has no op for: ONNX>Name, with the operator's
 * inputs and attributes as they are.
 */
#include "import/onnx/onnx_emit.h"

/* clang-format off */
const oribi_onnx_row oribi_onnx_picture_rows[] = {
    {"AffineGrid", 20, 28, oribi_onnx_translate_custom, 2, 2, "ONNX>AffineGrid"},
    {"BlackmanWindow", 17, 28, oribi_onnx_translate_custom, 1, 1, "ONNX>BlackmanWindow"},
    {"CenterCropPad", 18, 28, oribi_onnx_translate_custom, 2, 2, "ONNX>CenterCropPad"},
    {"Col2Im", 18, 28, oribi_onnx_translate_custom, 3, 3, "ONNX>Col2Im"},
    {"DFT", 17, 19, oribi_onnx_translate_custom, 1, 2, "ONNX>DFT"},
    {"DFT", 20, 28, oribi_onnx_translate_custom, 1, 3, "ONNX>DFT"},
    {"DeformConv", 19, 28, oribi_onnx_translate_custom, 3, 5, "ONNX>DeformConv"},
    {"GridSample", 16, 28, oribi_onnx_translate_custom, 2, 2, "ONNX>GridSample"},
    {"HammingWindow", 17, 28, oribi_onnx_translate_custom, 1, 1, "ONNX>HammingWindow"},
    {"HannWindow", 17, 28, oribi_onnx_translate_custom, 1, 1, "ONNX>HannWindow"},
    {"MaxRoiPool", 1, 28, oribi_onnx_translate_custom, 2, 2, "ONNX>MaxRoiPool"},
    {"MaxUnpool", 9, 28, oribi_onnx_translate_custom, 2, 3, "ONNX>MaxUnpool"},
    {"MelWeightMatrix", 17, 28, oribi_onnx_translate_custom, 5, 5, "ONNX>MelWeightMatrix"},
    {"NonMaxSuppression", 10, 28, oribi_onnx_translate_custom, 2, 5, "ONNX>NonMaxSuppression"},
    {"RoiAlign", 10, 28, oribi_onnx_translate_custom, 3, 3, "ONNX>RoiAlign"},
    {"STFT", 17, 28, oribi_onnx_translate_custom, 2, 4, "ONNX>STFT"},
    {NULL, 0, 0, NULL, 0, 0, NULL}};
/* clang-format on */
