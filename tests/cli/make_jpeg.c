/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a JPEG for tests: make_jpeg KIND WIDTH HEIGHT FILE. KIND: plain, gray, cmyk, progressive,
 * full (colour as fine as brightness), restart, scans (a progressive one with many scans).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jpeglib.h>

/* A last bit of one coefficient again and again is not allowed; each scan is a first one. */
static jpeg_scan_info scans[600];

static int make_scans(void)
{
    int n = 0;

    scans[n++] = (jpeg_scan_info){.comps_in_scan = 3, .component_index = {0, 1, 2}};
    for (int c = 0; c < 3; c++) {
        for (int k = 1; k < 64; k++) {
            for (int bit = 2; bit >= 0; bit--) {
                scans[n++] = (jpeg_scan_info){.comps_in_scan = 1,
                                              .component_index = {c},
                                              .Ss = k,
                                              .Se = k,
                                              .Ah = bit == 2 ? 0 : bit + 1,
                                              .Al = bit};
            }
        }
    }
    return n;
}

int main(int argc, char **argv)
{
    struct jpeg_compress_struct jpeg;
    struct jpeg_error_mgr errors;
    const char *kind = argc == 5 ? argv[1] : "";
    FILE *file = argc == 5 ? fopen(argv[4], "wb") : NULL;

    if (file == NULL) {
        return 2;
    }
    jpeg.err = jpeg_std_error(&errors);
    jpeg_create_compress(&jpeg);
    jpeg_stdio_dest(&jpeg, file);
    jpeg.image_width = (JDIMENSION)atoi(argv[2]);
    jpeg.image_height = (JDIMENSION)atoi(argv[3]);
    jpeg.input_components = strcmp(kind, "gray") == 0 ? 1 : strcmp(kind, "cmyk") == 0 ? 4 : 3;
    jpeg.in_color_space = jpeg.input_components == 1   ? JCS_GRAYSCALE
                          : jpeg.input_components == 4 ? JCS_CMYK
                                                       : JCS_RGB;
    jpeg_set_defaults(&jpeg);
    jpeg_set_quality(&jpeg, 90, TRUE);
    if (strcmp(kind, "progressive") == 0) {
        jpeg_simple_progression(&jpeg);
    } else if (strcmp(kind, "scans") == 0) {
        jpeg.num_scans = make_scans();
        jpeg.scan_info = scans;
    } else if (strcmp(kind, "full") == 0) {
        jpeg.comp_info[0].h_samp_factor = jpeg.comp_info[0].v_samp_factor = 1;
    } else if (strcmp(kind, "restart") == 0) {
        jpeg.restart_interval = 2;
    }
    jpeg_start_compress(&jpeg, TRUE);
    unsigned char *row = calloc(jpeg.image_width, 4);
    for (JDIMENSION y = 0; row != NULL && y < jpeg.image_height; y++) {
        for (JDIMENSION x = 0; x < jpeg.image_width; x++) {
            const unsigned char pixel[4] = {(unsigned char)(3 * y), (unsigned char)(5 * x),
                                            (unsigned char)(2 * (x + y)), 200};
            memcpy(row + x * (unsigned)jpeg.input_components, pixel, (size_t)jpeg.input_components);
        }
        jpeg_write_scanlines(&jpeg, &row, 1);
    }
    jpeg_finish_compress(&jpeg);
    jpeg_destroy_compress(&jpeg);
    free(row);
    return fclose(file) == 0 ? 0 : 1;
}
