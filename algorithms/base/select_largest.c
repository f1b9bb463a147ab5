/* SPDX-License-Identifier: Apache-2.0 */
/* Selects the N largest of many keys. The search finds the key at the border digit by digit, like a
 * radix sort that follows one digit only; then a last scan takes the items. It needs no array of
 * the items, which sorting would need. */
#include "algorithms/base/select_largest.h"

#include <string.h>

enum { DIGIT_BITS = 16 };

uint64_t mr_select_largest(const struct mr_selection *selection)
{
    uint64_t *digits = selection->digits;
    uint64_t border = 0,
             /* leading digits of the border; items still wanted among those with these digits */
        left = selection->wanted;
    uint64_t taken = 0;

    for (int shift = 64 - DIGIT_BITS; shift >= 0; shift -= DIGIT_BITS) {
        memset(digits, 0, MR_SELECT_DIGITS * sizeof *digits);
        for (uint32_t i = 0; i < selection->n; i++) {
            const uint64_t key = selection->key(selection->data, i);
            if (shift == 64 - DIGIT_BITS || key >> (shift + DIGIT_BITS) == border) {
                digits[key >> shift & (MR_SELECT_DIGITS - 1)]++;
            }
        }
        uint32_t digit = MR_SELECT_DIGITS - 1;
        while (digit > 0 && digits[digit] < left) {
            left -= digits[digit--];
        }
        border = border << DIGIT_BITS | digit;
    }
    for (uint32_t i = 0; i < selection->n; i++) {
        const uint64_t key = selection->key(selection->data, i);
        if (key > border || (key == border && key > 0 && left > 0)) {
            selection->take(selection->data, i);
            left -= key == border;
            taken++;
        }
    }
    return taken;
}
