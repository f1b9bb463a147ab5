/* SPDX-License-Identifier: Apache-2.0 */
/* Names of vertices that are labels. A label is mostly that of the rows around it or of the largest
 * component, so a small table of names spares nearly all look-ups. */
#ifndef MR_FORMATS_SCORE_LABEL_NAMES_H
#define MR_FORMATS_SCORE_LABEL_NAMES_H

#include "engine/names/names.h"

struct mr_label_names;

/* `*out` borrows `names`; the caller frees it with mr_label_names_close, which accepts NULL. One
 * thread at a time. Memory: 4 MiB. Errors: BUDGET. */
enum mr_status mr_label_names_open(const struct mr_context *context, struct mr_names *names,
                                   struct mr_label_names **out,
                                   struct mr_error *err) MR_WARN_UNUSED;
uint64_t mr_label_names_memory(void);
void mr_label_names_close(struct mr_label_names *labels);

/* mr_names_get. `*name` stays valid until the next call on `labels` or its names. */
enum mr_status mr_label_names_get(struct mr_label_names *labels, uint32_t vertex, const char **name,
                                  size_t *name_bytes, struct mr_error *err) MR_WARN_UNUSED;

#endif
