#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Fetches the public models that tests and benchmarks read in place, into the folder that they look
# for, and checks each by its hash. Nothing of it is ours; licences stand beside the sources.
#     tests/models/get.sh [FOLDER]         default: ../shared beside the source tree
#     tests/models/get.sh --list           what, from where, and its SHA-256
#     tests/models/get.sh --check [FOLDER] only looks at what is there
# Not here: light_mobilenetv2.onnx and the golden vectors of MLPerf Tiny, which were made with other
# programs (README.md beside this says how). Tests that want them say so and are skipped.
set -eu
cd "$(dirname "$0")/../.."

light=https://github.com/onnx/onnx/raw/878d59b4c78e8afeaf06c53301c8460d8c4cf7f8/onnx/backend/test/data/light
samples=https://github.com/microsoft/onnxruntime-inference-examples/raw/428b0399b871c258683ccfa9e9eb9e449ef01843
tiny=https://github.com/mlcommons/tiny/raw/1afd2c9820f795965a6134facd0b4dfae41ef23f/benchmark/training

# place in the folder, address, SHA-256
files() {
    while read -r name hash; do
        echo "models/onnx/$name $light/$name $hash"
    done <<END
light_bvlc_alexnet.onnx 2afa78cef5a88aed9d6e3d63fb92bd330c9177ac150d19189c6b3e7204ba0212
light_densenet121.onnx 49ddb5712797d6164f1d864bedaad927de4f3909ad1b4ba390a92c2f8150e9f6
light_inception_v1.onnx bb7a0e6c370c709f5615eeef961b43628de13d0009ae4d6f4bfb0d5aea5d8270
light_inception_v2.onnx 224d77d55b26559a959db627c3f417a623fbf3b3000d25f0939327aa935d933f
light_resnet50.onnx 05e77a5c9c9ce0913f549a50d6ebaced5e0ff6817b61e09bae26e4c5bd9055e4
light_shufflenet.onnx c6f406d62be36d6b4572542c0950a2abd59f56237068793290680bba89fbafe5
light_squeezenet.onnx 770b0f3c8623e18bf58b53754d710051b4c268248422142980a132bbe6dfe908
light_vgg19.onnx 8e547d732b3a3d66eeb8fa64a026adb994d3db552f0bbd52e436d06300d89afe
light_zfnet512.onnx 6444bb58b98c3d14f551a3bdb83eea9e5db7e147790db3115c447e9c9a8338b0
light_bvlc_alexnet_output_0.pb 97d6bcc28b6ad731bc3281a8b03068d15fa9d538769b5b24ca5448ea143db100
light_densenet121_output_0.pb f6cc6130fcbf90314522678603bb3db7ed8f3a79754b37d3ac95c9a2e3f4de0c
light_inception_v1_output_0.pb 97d6bcc28b6ad731bc3281a8b03068d15fa9d538769b5b24ca5448ea143db100
light_inception_v2_output_0.pb 97d6bcc28b6ad731bc3281a8b03068d15fa9d538769b5b24ca5448ea143db100
light_resnet50_output_0.pb 97d6bcc28b6ad731bc3281a8b03068d15fa9d538769b5b24ca5448ea143db100
light_shufflenet_output_0.pb 97d6bcc28b6ad731bc3281a8b03068d15fa9d538769b5b24ca5448ea143db100
light_squeezenet_output_0.pb 32eee74b7e589729a8069267de65ba6aba2881d0f24041aae8e50f685303c136
light_vgg19_output_0.pb 97d6bcc28b6ad731bc3281a8b03068d15fa9d538769b5b24ca5448ea143db100
light_zfnet512_output_0.pb 97d6bcc28b6ad731bc3281a8b03068d15fa9d538769b5b24ca5448ea143db100
END
    cat <<END
models/onnx/ultraface_rfb320.onnx $samples/mobile/examples/Xamarin/Models/Ultraface.version-RFB-320.onnx 42c9e48b6e4cd026554b93173b09946be395cfc03bba28f0518831105899576f
models/onnx/mnist.onnx $samples/c_cxx/MNIST/mnist.onnx 2f06e72de813a8635c9bc0397ac447a601bdbfa7df4bebc278723b958831c9bf
models/mlperf-tiny/ad01_int8.tflite $tiny/anomaly_detection/trained_models/ad01_int8.tflite 87cf24194ef93d1d9b11a591d805526b98008e351655d29883c825c9c106ba24
models/mlperf-tiny/kws_ref_model.tflite $tiny/keyword_spotting/trained_models/kws_ref_model.tflite aeea436800704fce17b17292e4412630ad856e9d777c044c64ef748a880bd0ae
models/mlperf-tiny/pretrainedResnet_quant.tflite $tiny/image_classification/trained_models/pretrainedResnet_quant.tflite 3c002613d1b2475eb51dd78dfb85a546c8ae658dee71cf6ade43b022fe205415
models/mlperf-tiny/vww_96_int8.tflite $tiny/visual_wake_words/trained_models/vww_96_int8.tflite 597a384c8c2c8a1276f04702f25013b7838f2f814f1ca7c174d295b73e3d6b7b
END
}

is_whole() { # file, SHA-256
    [ -f "$1" ] && [ "$(sha256sum <"$1" | cut -d' ' -f1)" = "$2" ]
}

fetch() { # address, file
    if command -v curl >/dev/null; then
        curl --fail --silent --show-error --location --retry 2 --output "$2" "$1"
    else
        wget --quiet --output-document="$2" "$1"
    fi
}

# ONNX's node tests, as one archive: the last commit that has them as files.
backend_tests() { # folder
    archive=$1/onnx-backend-tests/data.tar.xz
    [ -f "$archive" ] && return
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    echo "$archive"
    mkdir -p "$1/onnx-backend-tests"
    git -C "$work" init --quiet
    git -C "$work" fetch --quiet --depth 1 https://github.com/onnx/onnx \
        6be0677fc22e74563e6eb472f931513aefe5648d
    git -C "$work" archive FETCH_HEAD:onnx/backend/test/data node simple pytorch-converted \
        pytorch-operator | xz -T0 >"$archive.part"
    mv "$archive.part" "$archive"
}

case ${1:-} in
--list)
    files
    exit
    ;;
--check)
    folder=${2:-../shared} only_look=1
    ;;
-*)
    echo "usage: get.sh [FOLDER] | --list | --check [FOLDER]" >&2
    exit 2
    ;;
*)
    folder=${1:-../shared} only_look=
    ;;
esac
bad=$(files | while read -r place address hash; do
    file=$folder/$place
    is_whole "$file" "$hash" && continue
    if [ -n "$only_look" ]; then
        echo "$file"
        continue
    fi
    mkdir -p "$(dirname "$file")"
    echo "$file" >&2
    if fetch "$address" "$file.part" && is_whole "$file.part" "$hash"; then
        mv "$file.part" "$file"
    else
        rm -f "$file.part"
        echo "$file"
    fi
done)
[ -n "$only_look" ] || backend_tests "$folder"
[ -z "$bad" ] && exit
printf 'absent, or not the file that was meant:\n%s\n' "$bad" >&2
exit 1
