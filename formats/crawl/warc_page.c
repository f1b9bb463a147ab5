/* SPDX-License-Identifier: Apache-2.0 */
/* Names the pages of WARC, ARC and WAT files and passes their links on, for warc_links.c and
 * wat_links.c. A page gets its number when it is first needed, because a page of an unwanted kind
 * is a vertex only if a wanted link leaves it. */
#include <stdio.h>
#include <string.h>

#include "formats/crawl/warc_internal.h"

enum mr_status mr_warc_page_begin(struct mr_warc_reader *reader, const char *url, size_t bytes,
                                  uint64_t offset, bool *is_page, struct mr_error *err)
{
    *is_page = false;
    if (mr_link_scheme_of(url, bytes) != MR_SCHEME_PAGE) {
        return MR_OK;
    }
    const char *name = mr_resolver_page(reader->resolver, url, bytes)
                           ? mr_resolver_link(reader->resolver, url, bytes)
                           : NULL;
    if (mr_resolver_check(reader->resolver, NULL) != MR_OK) {
        return mr_resolver_check(reader->resolver, err);
    }
    if (name == NULL || strlen(name) > MR_NAME_MAX_BYTES) {
        return mr_warc_records_bad(reader->records, offset,
                                   name == NULL ? "the URL of this record is not valid"
                                                : "the URL of this record is too long for a name",
                                   err);
    }
    if (reader->is_heritrix && bytes <= MR_NAME_MAX_BYTES && memchr(url, ' ', bytes) == NULL) {
        (void)snprintf(reader->name, sizeof reader->name, "%.*s", (int)bytes, url);
    } else {
        (void)snprintf(reader->name, sizeof reader->name, "%s", name);
    }
    reader->is_named = false;
    *is_page = true;
    return MR_OK;
}

enum mr_status mr_warc_page_name(struct mr_warc_reader *reader, struct mr_error *err)
{
    if (reader->is_named) {
        return MR_OK;
    }
    reader->is_named = true;
    const enum mr_status status =
        mr_edge_batch_name(&reader->batch, reader->name, strlen(reader->name), &reader->id, err);
    return status == MR_OK ? mr_edge_batch_page(&reader->batch, &reader->capture, &reader->id, err)
                           : status;
}

enum mr_status mr_warc_page_link(struct mr_warc_reader *reader, unsigned kinds, const char *link,
                                 size_t bytes, struct mr_error *err)
{
    uint64_t target;

    /* Only the URL itself can make a link an embed or a prerequisite. Where nobody wants those,
     * there is no need to resolve it, which takes longer than everything else. */
    if ((kinds & reader->wanted) == 0 &&
        (reader->wanted & (MR_LINK_EMBED | MR_LINK_PREREQUISITE)) == 0) {
        reader->request.summary->other_kinds++;
        return MR_OK;
    }
    const bool fits = bytes <= MR_NAME_MAX_BYTES;
    const char *url = fits ? mr_resolver_link(reader->resolver, link, bytes) : NULL;
    size_t url_bytes = url != NULL ? strlen(url) : 0;
    if (url == NULL || url_bytes > MR_NAME_MAX_BYTES) {
        reader->n_too_long +=
            url != NULL || (!fits && mr_link_scheme_of(link, bytes) != MR_SCHEME_OTHER);
        return MR_OK;
    }
    if (!mr_link_is_wanted(kinds, mr_link_kinds_of_url(url, url_bytes), reader->wanted)) {
        reader->request.summary->other_kinds++;
        return MR_OK;
    }
    enum mr_status status = mr_warc_page_name(reader, err);
    if (status == MR_OK && reader->id != UINT64_MAX) {
        status = mr_outlink_names_find(&reader->names, reader->resolver, &url, &url_bytes, err);
    }
    if (status != MR_OK || reader->id == UINT64_MAX) {
        return status;
    }
    status = mr_edge_batch_name(&reader->batch, url, url_bytes, &target, err);
    if (status != MR_OK || target == UINT64_MAX) {
        return status;
    }
    return mr_edge_batch_add(&reader->batch, reader->id, target, 1.0F, err);
}
