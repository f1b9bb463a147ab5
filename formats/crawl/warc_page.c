/* SPDX-License-Identifier: Apache-2.0 */
/* Names the pages of WARC, ARC and WAT files and passes their links on, for warc_links.c and
 * wat_links.c. A page gets its number when it is first needed, because a page of an unwanted kind
 * is a vertex only if a wanted link leaves it. */
#include <string.h>

#include "formats/crawl/warc_internal.h"

enum mr_status mr_warc_page_name(struct mr_warc_reader *reader, struct mr_warc_page *page,
                                 struct mr_error *err)
{
    if (page->is_named) {
        return MR_OK;
    }
    page->is_named = true;
    page->id = UINT64_MAX;
    const char *name = mr_resolver_name(reader->resolver, page->url, page->bytes);
    return name != NULL ? mr_edge_batch_name(&reader->batch, name, strlen(name), &page->id, err)
                        : MR_OK;
}

enum mr_status mr_warc_page_link(struct mr_warc_reader *reader, struct mr_warc_page *page,
                                 unsigned kinds, const char *link, size_t bytes,
                                 struct mr_error *err)
{
    uint64_t target;

    /* Only the URL itself can make a link an embed or a prerequisite. Where nobody wants those,
     * there is no need to resolve it, which takes longer than everything else. */
    if ((kinds & reader->wanted) == 0 &&
        (reader->wanted & (MR_LINK_EMBED | MR_LINK_PREREQUISITE)) == 0) {
        reader->request.summary->other_kinds++;
        return MR_OK;
    }
    const char *url = mr_resolver_link(reader->resolver, link, bytes);
    if (url == NULL) {
        return MR_OK;
    }
    const size_t url_bytes = strlen(url);
    if (!mr_link_is_wanted(kinds, mr_link_kinds_of_url(url, url_bytes), reader->wanted)) {
        reader->request.summary->other_kinds++;
        return MR_OK;
    }
    enum mr_status status = mr_warc_page_name(reader, page, err);
    if (status != MR_OK || page->id == UINT64_MAX) {
        return status;
    }
    status = mr_edge_batch_name(&reader->batch, url, url_bytes, &target, err);
    if (status != MR_OK || target == UINT64_MAX) {
        return status;
    }
    return mr_edge_batch_add(&reader->batch, page->id, target, 1.0F, err);
}
