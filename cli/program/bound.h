/* Error bounds as text. */
#ifndef MR_CLI_PROGRAM_BOUND_H
#define MR_CLI_PROGRAM_BOUND_H

/* `bound` (>= 0) with two digits, rounded up, so that what is printed is a bound too: "8.8e-11".
 * "0" for 0, "infinite" where there is none. Returns `text`. */
const char *mr_bound_text(double bound, char text[32]);

#endif
