/* SPDX-License-Identifier: Apache-2.0 */
/* Replaces the readers of archives and SequenceFiles in a build without crawls
 * (-DMILLRACE_CRAWL=OFF), which needs neither Brotli nor bzip2. It detects these files and refuses
 * them. */
#include <string.h>

#include "formats/crawl/sequence_file.h"
#include "formats/graph/edge_batch.h"

static enum mr_status absent(const char *path, const char *title, struct mr_error *err)
{
    return mr_error_file(err, MR_ERROR_USAGE, path, 0,
                         "%s; this build of Millrace has no reader of it; build it with "
                         "-DMILLRACE_CRAWL=ON",
                         title);
}

bool mr_sequence_begins(const char *data, size_t bytes)
{
    return bytes > 3 && memcmp(data, "SEQ", 3) == 0;
}

enum mr_status mr_fetch_sequence_read(const struct mr_context *context, struct mr_input *input,
                                      enum mr_fetch_wanted wanted, mr_row_take take, void *data,
                                      struct mr_error *err)
{
    (void)context, (void)wanted, (void)take, (void)data;
    return absent(mr_input_name(input), "a SequenceFile of Nutch", err);
}

static bool begins(const struct mr_graph_probe *probe, const char *word)
{
    return probe->bytes >= strlen(word) && memcmp(probe->data, word, strlen(word)) == 0;
}

static bool is_warc(const struct mr_graph_probe *probe)
{
    return begins(probe, "WARC/");
}

static bool is_wat(const struct mr_graph_probe *probe)
{
    return is_warc(probe) && memmem(probe->data, probe->bytes, "\nContent-Type: application/json",
                                    sizeof "\nContent-Type: application/json" - 1) != NULL;
}

static bool is_arc(const struct mr_graph_probe *probe)
{
    return begins(probe, "filedesc:");
}

static bool is_sequence(const struct mr_graph_probe *probe)
{
    return mr_sequence_begins(probe->data, probe->bytes);
}

/* The `open` of all of them. */
static enum mr_status open_absent(void *data, struct mr_graph_head *head, struct mr_error *err)
{
    const struct mr_graph_request *request = &((struct mr_graph_reader *)data)->request;

    (void)head;
    return absent(request->path, request->format->title, err);
}

#define ABSENT(which, word, what, is_one)                                                          \
    const struct mr_graph_format mr_format_##which = {.name = word,                                \
                                                      .title = what,                               \
                                                      .mark = word,                                \
                                                      .detect = is_one,                            \
                                                      .reader_bytes =                              \
                                                          sizeof(struct mr_graph_reader),          \
                                                      .tells_outlinks = true,                      \
                                                      .tells_nofollow = true,                      \
                                                      .open = open_absent}
ABSENT(warc, "warc", "a WARC file", is_warc);
ABSENT(wat, "wat", "a WAT file", is_wat);
ABSENT(arc, "arc", "an ARC file", is_arc);
ABSENT(nutch_sequence, "nutch-sequence", "a SequenceFile of Nutch", is_sequence);
