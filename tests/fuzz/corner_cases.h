/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of everything that decodes a corner tile, on one input. The function aborts when a check
 * fails. */
#ifndef MR_TESTS_FUZZ_CORNER_CASES_H
#define MR_TESTS_FUZZ_CORNER_CASES_H

#include <stddef.h>
#include <stdint.h>

/* data[0] says what follows. Bit 0 selects a shape. Without bit 2: the number of edges as a u16
 * (little-endian), then the part. With bit 2: a byte with the number of changes; the changes, each
 * a u16 position and a byte; and a bitmap of edges, 64 columns a row. The bitmap is encoded, and
 * the changes are then applied to the result.
 *
 * An independent, simple decoder, written from docs/store-format.md, gives the meaning of the part.
 * Then
 *   every part that is a tile by that document is expanded to its edges, and applied exactly;
 *   every part that is expanded at all has zeros and ones, as many ones as it says;
 *   all kernels of this machine refuse the same parts, and give the sums that the entries make;
 *   with values >= 0 no sum below 0 is accepted, and the scratch memory is clean after each of
 *     these. */
void fuzz_corners(const uint8_t *data, size_t bytes);

#endif
