/* One input for everything that decodes a corner tile. Aborts on what no input may bring about. */
#ifndef MR_TESTS_FUZZ_CORNER_CASES_H
#define MR_TESTS_FUZZ_CORNER_CASES_H

#include <stddef.h>
#include <stdint.h>

/* data[0]: what follows. Bit 0 chooses a shape. Without bit 2: a u16 (little-endian), the number of links,
 * and the part itself. With it: a byte, how many changes there are; these, a u16 position and a byte each; and
 * a bitmap of links, 64 columns a row, which are encoded, then changed.
 *
 * An independent decoder, written from docs/store-format.md for being obvious, says what the part means. Then
 *   what is a tile by that document is expanded to its links, and applied exactly;
 *   what is expanded at all has zeros and ones, as many as it says;
 *   all kernels of this machine agree on what does not decode, and give the sums that its entries make up;
 *   with values >= 0 no sum below 0 is let through, and the scratch is clean after each of these. */
void fuzz_corners(const uint8_t *data, size_t bytes);

#endif
