/* SPDX-License-Identifier: Apache-2.0 */
/* Inputs that Millrace knows and does not read: data of other programs, texts that are no lists of
 * links, addresses in a network. They are refused by what they are, with a way out: mostly a
 * command whose output Millrace reads from a pipe. */
#ifndef MR_FORMATS_STREAM_NOT_LINKS_H
#define MR_FORMATS_STREAM_NOT_LINKS_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/base/error.h"

#define MR_CRAWLDB_REFUSAL                                                                         \
    "is a dump of Nutch's crawldb, which has no links; dump the linkdb (nutch readlinkdb LINKDB "  \
    "-dump DIR) or a segment (nutch readseg -dump SEGMENT DIR -nocontent -noparsetext)"

/* Refuses any input, of links or of names, whose decompressed bytes begin with `data` [bytes], if
 * these are data of another program: an archive, a Parquet file, a pointer of Git LFS. `name` is
 * its path, or a text with a blank. Errors: INPUT; BUDGET. */
enum mr_status mr_not_links_refuse_data(const char *name, const char *data, size_t bytes,
                                        struct mr_error *err) MR_WARN_UNUSED;
/* Refuses an input of links that begins with `data` [bytes], from mr_input_peek, if it is a text of
 * a known kind: a log, SQL, GraphML. With `is_said` the user has said the format or the columns;
 * kinds that only numbers show are then no longer refused. The caller asks after it has found no
 * mark of a format that Millrace reads. Errors: INPUT; BUDGET. Time: below 1 ms. */
enum mr_status mr_not_links_refuse_text(const char *path, const char *data, size_t bytes,
                                        bool is_said, struct mr_error *err) MR_WARN_UNUSED;
/* The same for a list of pages: a WARC file, a log of Scrapy, a sitemap. */
enum mr_status mr_not_links_refuse_list(const char *path, const char *data, size_t bytes,
                                        struct mr_error *err) MR_WARN_UNUSED;
/* Refuses a path with a scheme, such as "s3://bucket/file", that is no file here. Error: INPUT. */
enum mr_status mr_not_links_refuse_address(const char *path, struct mr_error *err) MR_WARN_UNUSED;

#endif
