/* SPDX-License-Identifier: Apache-2.0 */
/* Counts as people read them. */
#include "engine/base/count_text.h"

#include <stddef.h>
#include <stdio.h>

const char *mr_count_text(uint64_t count, char text[32])
{
    char digits[24];
    const int length = snprintf(digits, sizeof digits, "%llu", (unsigned long long)count);
    size_t used = 0;

    for (int i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0) {
            text[used++] = ',';
        }
        text[used++] = digits[i];
    }
    text[used] = '\0';
    return text;
}
