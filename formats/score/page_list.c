/* SPDX-License-Identifier: Apache-2.0 */
/* Reads lists of pages and hosts for the commands that take them, and numbers the hosts of a store.
 * A page is looked up and sets a bit; a bit per vertex makes the list ascending and free of
 * repetitions without a sort. Hosts are collected first, then one walk over all names finds the
 * pages of all of them. */
#include "formats/score/page_list.h"

#include <stdlib.h>
#include <string.h>

#include "engine/base/bytes.h"
#include "engine/base/memory.h"
#include "formats/score/name_lines.h"

enum { NAMES_PER_POLL = 65536 };

static const char array_name[] = "list of pages";

/* A host of the list: the beginning of the keys of its pages, up to and with ")". */
struct host {
    char *key;
    size_t key_bytes;
    uint64_t line;
    bool found;
};

struct reader {
    const struct mr_context *context;
    struct mr_name_lines lines;
    struct mr_names *names;
    const struct mr_store_info *info;
    mr_name_key key;
    struct mr_page_list *out;
    uint8_t *listed; /* a bit per vertex */
    char *room; /* [MR_NAME_KEY_MAX_BYTES] for a key, then [MR_NAME_MAX_BYTES] for a URL */
    struct host *hosts;
    size_t n_hosts, host_room;
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

static void mark(struct reader *reader, uint64_t vertex)
{
    uint8_t *byte = &reader->listed[vertex / 8];
    const uint8_t bit = (uint8_t)(1u << vertex % 8);
    reader->out->n_pages += (*byte & bit) == 0;
    *byte |= bit;
}

/* Where the name can be a host, remembers the beginning of the keys of its pages. */
static enum mr_status add_host(struct reader *reader, const char *name, size_t name_bytes,
                               bool *is_host, struct mr_error *err)
{
    static const char scheme[] = "http://";
    const size_t scheme_bytes = sizeof scheme - 1;
    char *url = reader->room + MR_NAME_KEY_MAX_BYTES;

    *is_host = false;
    if (reader->key == NULL || name_bytes + scheme_bytes > MR_NAME_MAX_BYTES ||
        memchr(name, '/', name_bytes) != NULL || memchr(name, ':', name_bytes) != NULL) {
        return MR_OK;
    }
    memcpy(url, scheme, scheme_bytes);
    memcpy(url + scheme_bytes, name, name_bytes);
    const size_t key_bytes = reader->key(url, scheme_bytes + name_bytes, reader->room);
    const size_t bytes = host_bytes(reader->room, key_bytes);
    if (bytes == 0) {
        return MR_OK;
    }
    if (reader->n_hosts == reader->host_room) {
        const size_t room = reader->host_room == 0 ? 64 : 2 * reader->host_room;
        struct host *hosts = realloc(reader->hosts, room * sizeof *hosts);
        if (hosts == NULL) {
            return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for a list of hosts");
        }
        reader->hosts = hosts;
        reader->host_room = room;
    }
    char *copy = malloc(bytes);
    if (copy == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for a list of hosts");
    }
    memcpy(copy, reader->room, bytes);
    reader->hosts[reader->n_hosts++] = (struct host){
        .key = copy, .key_bytes = bytes, .line = mr_name_lines_number(&reader->lines)};
    *is_host = true;
    return MR_OK;
}

static enum mr_status take_line(void *data, const struct mr_name_line *line, struct mr_error *err)
{
    struct reader *reader = data;
    uint32_t vertex;
    bool found, is_host;

    reader->out->lines++;
    enum mr_status status =
        mr_names_find(reader->names, line->name, line->name_bytes, &vertex, &found, err);
    if (status != MR_OK) {
        return status;
    }
    if (found) {
        mark(reader, vertex);
        return MR_OK;
    }
    is_host = false;
    if (reader->lines.log == MR_FETCH_LOG_NONE) {
        status = add_host(reader, line->name, line->name_bytes, &is_host, err);
    }
    return status == MR_OK && !is_host
               ? mr_name_lines_unknown(&reader->lines, line->name, line->name_bytes,
                                       mr_name_lines_number(&reader->lines), err)
               : status;
}

static int compare_keys(const char *a, size_t a_bytes, const char *b, size_t b_bytes)
{
    const int order = memcmp(a, b, a_bytes < b_bytes ? a_bytes : b_bytes);
    return order != 0 ? order : (a_bytes > b_bytes) - (a_bytes < b_bytes);
}

static int compare_hosts(const void *a, const void *b)
{
    const struct host *x = a, *y = b;
    return compare_keys(x->key, x->key_bytes, y->key, y->key_bytes);
}

/* Marks the pages of all hosts in one walk over all names. */
static enum mr_status find_hosts(struct reader *reader, struct mr_error *err)
{
    struct mr_name_cursor *cursor = NULL;
    const char *name = NULL;
    size_t bytes;

    qsort(reader->hosts, reader->n_hosts, sizeof *reader->hosts, compare_hosts);
    enum mr_status status = mr_name_cursor_open(reader->names, 0, &cursor, err);
    for (uint64_t v = 0; v < reader->info->n_vertices && status == MR_OK; v++) {
        status = mr_name_cursor_next(cursor, &name, &bytes, err);
        if (status == MR_OK && v % NAMES_PER_POLL == 0) {
            status = mr_context_poll(reader->context, err);
        }
        if (status != MR_OK) {
            break;
        }
        const size_t key_bytes = reader->key(name, bytes, reader->room);
        const struct host wanted = {.key = reader->room,
                                    .key_bytes = host_bytes(reader->room, key_bytes)};
        struct host *host = wanted.key_bytes == 0 ? NULL
                                                  : bsearch(&wanted, reader->hosts, reader->n_hosts,
                                                            sizeof *reader->hosts, compare_hosts);
        if (host != NULL) {
            host->found = true;
            mark(reader, mr_name_cursor_vertex(cursor));
        }
    }
    mr_name_cursor_close(cursor);
    for (size_t i = 0; i < reader->n_hosts && status == MR_OK; i++) {
        const struct host *host = &reader->hosts[i];
        if (!host->found && (i == 0 || compare_hosts(host, host - 1) != 0)) {
            status = mr_name_lines_unknown(&reader->lines, host->key, host->key_bytes - 1,
                                           host->line, err);
        }
    }
    return status;
}

static enum mr_status list_marked(struct reader *reader, struct mr_error *err)
{
    struct mr_page_list *out = reader->out;
    uint64_t n = 0;
    if (out->n_pages == 0) {
        return MR_OK;
    }
    enum mr_status status =
        mr_memory_array(reader->context->memory, array_name, out->n_pages, &out->pages, err);
    for (uint64_t v = 0; v < reader->info->n_vertices && status == MR_OK; v++) {
        if ((reader->listed[v / 8] >> v % 8 & 1) != 0) {
            out->pages[n++] = (uint32_t)v;
        }
    }
    return status;
}

enum mr_status mr_page_list_read(const struct mr_context *context, struct mr_input *input,
                                 struct mr_names *names, const struct mr_store_info *info,
                                 mr_name_key key, uint64_t max_unknown, struct mr_page_list *out,
                                 struct mr_error *err)
{
    const bool has_hosts = info->name_kind == MR_NAMES_TEXT && key != NULL;
    struct reader reader = {.context = context,
                            .lines = {.context = context,
                                      .input = input,
                                      .what = has_hosts ? "page or host" : "page",
                                      .takes_logs = true,
                                      .max_unknown = max_unknown},
                            .names = names,
                            .info = info,
                            .key = has_hosts ? key : NULL,
                            .out = out};
    const struct mr_memory_wanted arrays[] = {
        MR_WANTED(array_name, info->n_vertices / 8 + 1, &reader.listed),
        MR_WANTED("keys of names", (uint64_t)MR_NAME_KEY_MAX_BYTES + MR_NAME_MAX_BYTES,
                  &reader.room),
    };

    *out = (struct mr_page_list){.memory = context->memory};
    enum mr_status status = mr_memory_arrays(context->memory, arrays, err);
    if (status == MR_OK) {
        status = mr_name_lines_read(&reader.lines, take_line, &reader, err);
    }
    if (status == MR_OK && reader.n_hosts > 0) {
        status = find_hosts(&reader, err);
    }
    if (status == MR_OK) {
        reader.lines.names = out->lines;
        status = mr_name_lines_end(&reader.lines, err);
    }
    if (status == MR_OK) {
        status = list_marked(&reader, err);
    }
    for (size_t i = 0; i < reader.n_hosts; i++) {
        free(reader.hosts[i].key);
    }
    free(reader.hosts);
    mr_memory_free(context->memory, reader.listed);
    mr_memory_free(context->memory, reader.room);
    out->unknown = reader.lines.unknown;
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

enum mr_status mr_hosts_number(const struct mr_context *context, struct mr_names *names,
                               const struct mr_store_info *info, mr_name_key key, uint32_t *host_of,
                               uint32_t *n_hosts, struct mr_error *err)
{
    struct mr_name_cursor *cursor = NULL;
    const char *name = NULL;
    void *room = NULL;
    size_t bytes, previous_bytes = 0;

    *n_hosts = 0;
    if (info->name_kind != MR_NAMES_TEXT || key == NULL) {
        return mr_error_set(
            err, MR_ERROR_INPUT,
            "pages are called by numbers, which have no hosts; build the store from "
            "URLs to tell links inside a host from others");
    }
    enum mr_status status = mr_store_need_order(info, NULL, err);
    if (status == MR_OK) {
        status = mr_memory_alloc(context->memory, "keys of names",
                                 2 * (uint64_t)MR_NAME_KEY_MAX_BYTES, &room, err);
    }
    if (status == MR_OK) {
        status = mr_name_cursor_open(names, 0, &cursor, err);
    }
    char *current = room, *previous = status == MR_OK ? current + MR_NAME_KEY_MAX_BYTES : NULL;
    for (uint64_t v = 0; v < info->n_vertices && status == MR_OK; v++) {
        status = mr_name_cursor_next(cursor, &name, &bytes, err);
        if (status == MR_OK && v % NAMES_PER_POLL == 0) {
            status = mr_context_poll(context, err);
        }
        if (status != MR_OK) {
            break;
        }
        const size_t current_bytes = host_bytes(current, key(name, bytes, current));
        const bool same = current_bytes > 0 && current_bytes == previous_bytes &&
                          memcmp(current, previous, current_bytes) == 0;
        *n_hosts += !same;
        host_of[mr_name_cursor_vertex(cursor)] = *n_hosts - 1;
        char *swap = previous;
        previous = current;
        current = swap;
        previous_bytes = current_bytes;
    }
    mr_name_cursor_close(cursor);
    mr_memory_free(context->memory, room);
    return status;
}
