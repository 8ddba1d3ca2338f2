/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a model of one float input once, filled with 1s, and prints its first output: embed.c in
 * C++.
 *
 *     c++ -std=c++11 embed.cc $(pkg-config --cflags --libs oribi) -o embed
 *     ./embed digits.onnx
 *
 * Read next: oribi/oribi.hpp, which has each class. */
#include <algorithm>
#include <cstdio>

#include "oribi/oribi.hpp"

int main(int argc, char **argv)
{
    if (argc != 2) {
        std::fprintf(stderr, "usage: embed MODEL\n");
        return 2;
    }
    try {
        oribi::model model(argv[1]);
        oribi::session session(model, oribi::options().threads(1));
        oribi::run run(session);
        oribi::tensor in = run.make_input<float>(0);
        std::fill_n(in.data<float>(), in.size(), 1.0f);
        for (float value : run(in).to_vector<float>()) {
            std::printf("%g\n", double(value));
        }
    } catch (const oribi::error &failure) {
        std::fprintf(stderr, "embed: %s\n", failure.what());
        return 1;
    }
    return 0;
}
