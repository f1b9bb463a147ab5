#include "cli/program/bound.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

const char *mr_bound_text(double bound, char text[32])
{
    if (!isfinite(bound)) {
        (void)snprintf(text, 32, "infinite");
        return text;
    }
    /* Round to nearest; where that went down, the same with the next number of two digits. */
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
