/* SPDX-License-Identifier: Apache-2.0 */
/* Writes error bounds as text, for summaries and notes. A bound must stay a bound when it is
 * rounded to two digits, and printf rounds to the nearest number. So this file looks for the
 * next number of two digits until the text is not below the bound. */
#include "library/bound.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

const char *mr_bound_text(double bound, char text[32])
{
    if (!isfinite(bound)) {
        (void)snprintf(text, 32, "infinite");
        return text;
    }
    /* printf rounds to the nearest number. If the text is below the bound, try a little larger
     * number. */
    for (double shown = bound;; shown = nextafter(shown, INFINITY) * (1.0 + 0x1p-10)) {
        (void)snprintf(text, 32, "%.1e", shown);
        if (strtod(text, NULL) >= bound) {
            break;
        }
    }
    if (!(bound > 0.0)) {
        (void)snprintf(text, 32, "0");
    }
    return text;
}
