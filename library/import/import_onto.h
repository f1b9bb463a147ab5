/* SPDX-License-Identifier: Apache-2.0 */
/* Links for a store that is there already: do their vertices suit it? */
#ifndef MR_LIBRARY_IMPORT_ONTO_H
#define MR_LIBRARY_IMPORT_ONTO_H

#include "formats/stream/input.h"

/* Refuse `input`, lines of numbers, open and not read, for the store at `path`, whose vertices
 * have names, unless some of these are numbers. Errors: USAGE; whatever opening the store
 * returns. */
enum mr_status mr_import_check_onto(const struct mr_context *context, const char *path,
                                    struct mr_input *input, struct mr_error *err) MR_WARN_UNUSED;

#endif
