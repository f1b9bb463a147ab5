/* SPDX-License-Identifier: Apache-2.0 */
/* Error bounds as text. */
#ifndef MR_LIBRARY_BOUND_H
#define MR_LIBRARY_BOUND_H

/* Writes `bound` (>= 0) with two digits, such as "8.8e-11". Rounds up, so that the printed
 * number is a bound as well. Writes "0" for 0 and "infinite" for a bound that is not finite.
 * Returns `text`. */
const char *mr_bound_text(double bound, char text[32]);

#endif
