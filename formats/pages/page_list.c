/* SPDX-License-Identifier: Apache-2.0 */
/* Reads lists of pages, hosts and domains for the commands that take them, and numbers the hosts of
 * a store. page_names.c finds the pages of a name, and each page sets a bit; a bit per vertex makes
 * the list ascending and free of repetitions without a sort. */
#include "formats/pages/page_list.h"

#include <stdlib.h>
#include <string.h>

#include "engine/base/bytes.h"
#include "engine/base/memory.h"
#include "engine/names/name_walk.h"
#include "formats/pages/name_lines.h"
#include "formats/pages/page_names.h"

static const char array_name[] = "list of pages";

struct reader {
    const struct mr_context *context;
    struct mr_name_lines lines;
    struct mr_page_names *finder;
    const struct mr_store_info *info;
    struct mr_page_list *out;
    struct mr_page_marks marks;
};

/* Bytes of a key up to and with the ")" that ends its host; 0 when the key has no host. */
static size_t host_bytes(const char *key, size_t key_bytes)
{
    if (key_bytes == 0 || key[0] == '!' || key[0] == ')') {
        return 0;
    }
    const char *end = memchr(key, ')', key_bytes);
    return end != NULL ? (size_t)(end - key) + 1 : 0;
}

static enum mr_status take_unknown(void *data, const struct mr_page_name *name,
                                   struct mr_error *err)
{
    struct reader *reader = data;
    return name->tag == UINT64_MAX /* a page that is not gone */
               ? MR_OK
               : mr_name_lines_unknown(&reader->lines, name->name, name->bytes, name->line, err);
}

static enum mr_status take_page(void *data, const struct mr_page_name *name, uint32_t vertex,
                                uint64_t n_pages, struct mr_error *err)
{
    const struct reader *reader = data;
    (void)n_pages, (void)err;
    mr_page_marks_take(&reader->marks, vertex, name->tag);
    return MR_OK;
}

static enum mr_status take_line(void *data, const struct mr_name_line *line, struct mr_error *err)
{
    struct reader *reader = data;
    const struct mr_page_name name = {.name = line->name,
                                      .bytes = line->name_bytes,
                                      .line = mr_name_lines_number(&reader->lines),
                                      .tag = mr_page_marks_tag(reader->lines.wanted, line)};

    reader->out->lines += name.tag != UINT64_MAX;
    return mr_page_names_add(reader->finder, &name, err);
}

static enum mr_status list_marked(struct reader *reader, struct mr_error *err)
{
    struct mr_page_list *out = reader->out;
    const uint8_t *bits = reader->marks.bits;
    uint64_t n = 0;

    for (uint64_t i = 0; i < reader->info->n_vertices / 8 + 1; i++) {
        out->n_pages += (uint64_t)__builtin_popcount(bits[i]);
    }
    enum mr_status status =
        mr_memory_array(reader->context->memory, array_name, out->n_pages, &out->pages, err);
    for (uint64_t v = 0; v < reader->info->n_vertices && status == MR_OK; v++) {
        if ((bits[v / 8] >> v % 8 & 1) != 0) {
            out->pages[n++] = (uint32_t)v;
        }
    }
    return status;
}

static enum mr_status read_file(struct reader *reader, const char *path, struct mr_names *names,
                                struct mr_error *err)
{
    const uint64_t lines = reader->out->lines;
    struct mr_input *input = NULL;
    enum mr_status status = mr_input_open(reader->context, path, &input, err);

    if (status == MR_OK) {
        reader->lines.input = input;
        status = mr_page_names_open(reader->context, names, reader->info, take_page, take_unknown,
                                    reader, &reader->finder, err);
    }
    if (status == MR_OK) {
        reader->lines.what = mr_page_names_what(reader->finder);
        status = mr_name_lines_read(&reader->lines, take_line, reader, err);
    }
    if (status == MR_OK) {
        status = mr_page_names_finish(reader->finder, err);
    }
    if (status == MR_OK) {
        reader->lines.names = reader->out->lines - lines;
        status = mr_name_lines_end(&reader->lines, names, err);
    }
    mr_page_names_close(reader->finder);
    reader->finder = NULL;
    reader->out->unknown += reader->lines.unknown;
    mr_input_close(input);
    return status;
}

enum mr_status mr_page_list_read(const struct mr_context *context, const char *const *files,
                                 size_t n_files, struct mr_names *names,
                                 const struct mr_store_info *info, enum mr_fetch_wanted wanted,
                                 unsigned retries, uint64_t max_unknown, struct mr_page_list *out,
                                 struct mr_error *err)
{
    struct reader reader = {
        .context = context, .info = info, .out = out, .marks = {.retries = retries}};

    *out = (struct mr_page_list){.memory = context->memory};
    if (n_files == 0) {
        return MR_OK;
    }
    enum mr_status status = mr_memory_array(context->memory, array_name, info->n_vertices / 8 + 1,
                                            &reader.marks.bits, err);
    if (status == MR_OK && retries > 0) {
        status = mr_memory_array(context->memory, array_name, info->n_vertices + 1,
                                 &reader.marks.failed, err);
    }
    for (size_t i = 0; i < n_files && status == MR_OK; i++) {
        reader.lines = (struct mr_name_lines){
            .context = context, .wanted = wanted, .retries = retries, .max_unknown = max_unknown};
        status = read_file(&reader, files[i], names, err);
    }
    if (status == MR_OK) {
        status = list_marked(&reader, err);
    }
    mr_memory_free(context->memory, reader.marks.failed);
    mr_memory_free(context->memory, reader.marks.bits);
    if (status != MR_OK) {
        mr_page_list_free(out);
    }
    return status;
}

void mr_page_list_free(struct mr_page_list *list)
{
    if (list->memory != NULL) {
        mr_memory_free(list->memory, list->pages);
    }
    *list = (struct mr_page_list){0};
}

/* ---- Hosts ---- */

struct numbering {
    mr_name_key key;
    uint32_t *host_of, n_hosts;
    char *current, *previous; /* keys; of [MR_NAME_KEY_MAX_BYTES] */
    size_t previous_bytes; /* of the host in the key before */
};

/* A mr_name_take. */
static enum mr_status number_host(void *data, const struct mr_name_cursor *cursor,
                                  uint64_t position, const char *name, size_t bytes,
                                  struct mr_error *err)
{
    struct numbering *numbering = data;
    char *current = numbering->current;
    const size_t n = host_bytes(current, numbering->key(name, bytes, current));
    const bool same =
        n > 0 && n == numbering->previous_bytes && memcmp(current, numbering->previous, n) == 0;

    (void)position, (void)err;
    numbering->n_hosts += !same;
    numbering->host_of[mr_name_cursor_vertex(cursor)] = numbering->n_hosts - 1;
    numbering->current = numbering->previous;
    numbering->previous = current;
    numbering->previous_bytes = n;
    return MR_OK;
}

enum mr_status mr_hosts_number(const struct mr_context *context, struct mr_names *names,
                               const struct mr_store_info *info, mr_name_key key, uint32_t *host_of,
                               uint32_t *n_hosts, struct mr_error *err)
{
    struct numbering numbering = {.key = key, .host_of = host_of};
    char *room = NULL;

    *n_hosts = 0;
    if (info->name_kind != MR_NAMES_TEXT || key == NULL) {
        return mr_error_set(
            err, MR_ERROR_INPUT,
            "pages are called by numbers, which have no hosts; build the store from "
            "URLs to tell links inside a host from others");
    }
    enum mr_status status = mr_memory_array(context->memory, "keys of names",
                                            2 * (uint64_t)MR_NAME_KEY_MAX_BYTES, &room, err);
    if (status == MR_OK) {
        numbering.current = room;
        numbering.previous = room + MR_NAME_KEY_MAX_BYTES;
        status =
            mr_names_walk(context, names, info->n_vertices, NULL, number_host, &numbering, err);
    }
    *n_hosts = numbering.n_hosts;
    mr_memory_free(context->memory, room);
    return status;
}
