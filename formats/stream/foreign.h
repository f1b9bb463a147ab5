/* SPDX-License-Identifier: Apache-2.0 */
/* What other programs read: compressions and tables that Millrace does not decode, and addresses in
 * a network. They are refused with the command whose output Millrace reads from a pipe. */
#ifndef MR_FORMATS_STREAM_FOREIGN_H
#define MR_FORMATS_STREAM_FOREIGN_H

#include <stddef.h>

#include "engine/base/error.h"

/* Refuses an input whose decompressed bytes begin with `data` [bytes], if these are of such a
 * format. `name` is its path, or a text with a space. Error: INPUT. */
enum mr_status mr_foreign_refuse_data(const char *name, const char *data, size_t bytes,
                                      struct mr_error *err) MR_WARN_UNUSED;
/* Refuses a path with a scheme, such as "s3://bucket/file", that is no file here. Error: INPUT. */
enum mr_status mr_foreign_refuse_address(const char *path, struct mr_error *err) MR_WARN_UNUSED;

#endif
