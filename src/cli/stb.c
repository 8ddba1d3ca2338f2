/* SPDX-License-Identifier: Apache-2.0 */
/* The one place that compiles stb_image and stb_image_resize; warnings are theirs. */
#define STB_IMAGE_IMPLEMENTATION
#define STBI_NO_HDR
#define STBI_NO_LINEAR
#include <stb_image.h>
#define STB_IMAGE_RESIZE_IMPLEMENTATION
#include <stb_image_resize.h>
