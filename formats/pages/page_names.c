/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the pages of the names of a list (page_names.h). The first names are looked up at once, the
 * others go through a join. What can be a host or a domain is collected, and its spellings go into
 * a set of hashes. A first walk over all names of the store counts, for each collected name, the
 * pages of each meaning. A second walk hands over those of the meaning that wins. Pages of a host
 * follow each other, so the table is asked once for each host, not for each page. */
#include "formats/pages/page_names.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/bytes.h"
#include "engine/base/hash_set.h"
#include "engine/base/memory.h"
#include "engine/names/names.h"
#include "formats/stream/double_text.h"
#include "formats/url/canonical.h"
#include "formats/url/host.h"
#include "formats/url/links_resolve.h"

enum {
    MOST_LOOKUPS = 64 /* the join begins after so many */
};
#define NONE MR_HASH_SET_NONE

static const char array_name[] = "names of hosts";

/* What a name can mean; the first one with pages counts. */
enum meaning { HOST, DOMAIN_, REVERSED_HOST, REVERSED_DOMAIN, N_MEANINGS };

/* How a host is compared. */
enum form { FORWARD, REVERSED, BELOW }; /* BELOW: the host and all hosts below it */

/* A name that was left for later. Its text stands in `texts`. */
struct pending {
    uint64_t text; /* [bytes], where the text begins */
    uint64_t line, tag;
    double weight;
    uint64_t n_pages[N_MEANINGS];
    uint32_t bytes;
    enum meaning chosen;
};

/* A name that may mean a host. Links of one host form a list. */
struct link {
    uint32_t pending, next;
    enum form form;
};

struct hit {
    uint32_t pending;
    enum meaning meaning;
};

struct mr_page_names {
    const struct mr_context *context;
    struct mr_page_place place;
    mr_page_name_take take;
    mr_page_name_miss miss;
    void *data;
    struct mr_page_join *join; /* or NULL */
    char number[24];
    uint64_t n_lookups;
    bool has_hosts; /* names can be hosts */
    bool has_below; /* one of the links is BELOW */
    struct mr_canonical canonical;
    char *texts; /* [n_texts] of [room_texts] */
    struct pending *pending; /* [n_pending] of [room_pending] */
    struct hit *hits; /* [n_hits] of [room_hits], those of the last host */
    struct mr_hash_set hosts; /* that names may mean */
    uint32_t *heads; /* [hosts.n] of [room_heads], the first link of each, or NONE */
    struct link *links; /* [n_links] of [room_links] */
    uint64_t n_texts, n_pending, n_hits, n_links;
    uint64_t room_texts, room_pending, room_hits, room_heads, room_links;
    struct mr_resolver *resolver; /* NULL: no URL was unknown yet */
    bool counts; /* the walk counts pages */
    char host[MR_HOST_MAX_BYTES]; /* the last host of the walk */
    size_t host_bytes;
    char url[MR_HOST_MAX_BYTES + 16];
    char canonical_url[MR_NAME_MAX_BYTES];
};

/* Notes that a name may mean the host. */
static enum mr_status add_link(struct mr_page_names *finder, const char *host, size_t bytes,
                               enum form form, uint32_t pending, struct mr_error *err)
{
    struct mr_memory *memory = finder->context->memory;
    const uint64_t n_hosts = finder->hosts.n;
    uint32_t number;
    enum mr_status status =
        mr_hash_set_add(&finder->hosts, XXH3_128bits(host, bytes), &number, err);

    if (status == MR_OK) {
        status = mr_memory_grow(memory, array_name, finder->hosts.n, &finder->heads,
                                &finder->room_heads, err);
    }
    if (status == MR_OK) {
        status = mr_memory_grow(memory, array_name, finder->n_links + 1, &finder->links,
                                &finder->room_links, err);
    }
    if (status == MR_OK) {
        finder->links[finder->n_links] =
            (struct link){.pending = pending,
                          .next = number < n_hosts ? finder->heads[number] : NONE,
                          .form = form};
        finder->heads[number] = (uint32_t)finder->n_links++;
        finder->has_below |= form == BELOW;
    }
    return status;
}

/* ---- Names ---- */

static size_t lower(const char *text, size_t bytes, char *out)
{
    for (size_t i = 0; i < bytes; i++) {
        out[i] = mr_lower(text[i]);
    }
    out[bytes] = '\0';
    return bytes;
}

/* The host of a name of the store, in small letters; 0 where there is none. */
static size_t host_of(const struct mr_page_names *finder, const char *name, size_t name_bytes,
                      char *host)
{
    const size_t bytes =
        mr_host_of_name(&finder->canonical, name, name_bytes, host, MR_HOST_MAX_BYTES);
    return lower(host, bytes, host);
}

/* The form of a host that the names of the store have: the profile may remove "www.", say. */
static size_t as_in_store(struct mr_page_names *finder, const char *text, size_t bytes, char *host)
{
    if (finder->canonical.reversed_hosts) {
        return lower(text, bytes, host);
    }
    memcpy(finder->url, "http://", 7);
    memcpy(finder->url + 7, text, bytes);
    finder->url[7 + bytes] = '/';
    const size_t url_bytes =
        mr_canonical_name(&finder->canonical, finder->url, bytes + 8, finder->canonical_url);
    return host_of(finder, finder->canonical_url, url_bytes, host);
}

/* Turns "org.example.www" round. False for an address, and for one label alone. */
static bool turn(const char *text, size_t bytes, char *out)
{
    bool has_letter = false, has_dot = false;
    size_t used = 0;

    for (size_t stop = bytes; stop > 0;) {
        const char *dot = memrchr(text, '.', stop);
        const size_t from = dot != NULL ? (size_t)(dot - text) + 1 : 0;
        memcpy(out + used, text + from, stop - from);
        used += stop - from;
        if (dot != NULL) {
            out[used++] = '.';
            has_dot = true;
        }
        stop = dot != NULL ? from - 1 : 0;
    }
    for (size_t i = 0; i < bytes; i++) {
        has_letter |= text[i] != '.' && !(text[i] >= '0' && text[i] <= '9');
    }
    return has_letter && has_dot && used == bytes;
}

static bool can_be_host(const struct mr_page_names *finder, const char *name, size_t bytes)
{
    if (!finder->has_hosts || bytes == 0 || bytes + 1 >= MR_HOST_MAX_BYTES) {
        return false;
    }
    for (size_t i = 0; i < bytes; i++) {
        if (strchr("/:?#@[]()", name[i]) != NULL) { /* also the end of the string */
            return false;
        }
    }
    return true;
}

static enum mr_status keep(struct mr_page_names *finder, const struct mr_row *name,
                           struct mr_error *err)
{
    struct pending item = {.line = name->line,
                           .tag = name->tag,
                           .weight = name->values[0],
                           .bytes = (uint32_t)name->name_bytes,
                           .chosen = N_MEANINGS};
    const uint32_t number = (uint32_t)finder->n_pending;
    struct mr_memory *memory = finder->context->memory;
    char turned[MR_HOST_MAX_BYTES], host[MR_HOST_MAX_BYTES];
    const char *text = name->name;
    size_t bytes = name->name_bytes;
    const bool below = bytes > 2 && memcmp(text, "*.", 2) == 0;
    const bool turned_below = bytes > 2 && memcmp(text + bytes - 2, ".*", 2) == 0;

    if (finder->n_pending + 1 == NONE) {
        return mr_error_set(err, MR_ERROR_INPUT, "more than 4 thousand million names of hosts");
    }
    enum mr_status status = mr_memory_grow(memory, array_name, finder->n_pending + 1,
                                           &finder->pending, &finder->room_pending, err);
    if (status == MR_OK) {
        status = mr_memory_grow(memory, array_name, finder->n_texts + bytes, &finder->texts,
                                &finder->room_texts, err);
    }
    if (status != MR_OK) {
        return status;
    }
    item.text = finder->n_texts;
    memcpy(finder->texts + finder->n_texts, text, bytes);
    finder->n_texts += bytes;
    finder->pending[finder->n_pending++] = item;
    text += below ? 2 : 0;
    bytes -= below || turned_below ? 2 : 0;
    if (!turned_below) {
        const size_t host_bytes = as_in_store(finder, text, bytes, host);
        status = host_bytes == 0
                     ? MR_OK
                     : add_link(finder, host, host_bytes, below ? BELOW : FORWARD, number, err);
    }
    if (status == MR_OK && !below && turn(text, bytes, turned)) {
        const size_t host_bytes = as_in_store(finder, turned, bytes, host);
        status = host_bytes == 0 ? MR_OK
                                 : add_link(finder, host, host_bytes,
                                            turned_below ? BELOW : REVERSED, number, err);
    }
    return status;
}

/* Is it a number such as 7.0, of a graph whose pages are numbers? Writes it as 7. */
static bool is_whole(struct mr_page_names *finder, const struct mr_row *name, size_t *bytes)
{
    double number;

    if (finder->place.names == NULL || !mr_names_are_numbers(finder->place.names) ||
        memchr(name->name, '.', name->name_bytes) == NULL ||
        !mr_double_read(name->name, name->name_bytes, &number) || number < 0 || number >= 0x1p53 ||
        number != floor(number)) {
        return false;
    }
    *bytes = (size_t)snprintf(finder->number, sizeof finder->number, "%.0f", number);
    return true;
}

/* The name without quotes around it, or as a whole number, or the URL as readers of crawls write
 * it: scheme and host in small letters, and a slash behind a host alone. `*bytes` is 0 where that
 * is `name` itself, or none of these. */
static enum mr_status respell(struct mr_page_names *finder, const struct mr_row *name,
                              const char **url, size_t *bytes, struct mr_error *err)
{
    const size_t n =
        name->name_bytes - (name->name_bytes > 3 && name->name[name->name_bytes - 1] == ',');

    *url = NULL;
    *bytes = 0;
    if (n > 2 && name->name[0] == '"' && name->name[n - 1] == '"') {
        *url = name->name + 1;
        *bytes = n - 2;
        return MR_OK;
    }
    if (is_whole(finder, name, bytes)) {
        *url = finder->number;
        return MR_OK;
    }
    if (memmem(name->name, name->name_bytes, "://", 3) == NULL) {
        return MR_OK;
    }
    if (finder->resolver == NULL) {
        finder->resolver = mr_resolver_open();
    }
    if (finder->resolver == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for a list of names");
    }
    *url = mr_resolver_name(finder->resolver, name->name, name->name_bytes);
    *bytes = *url != NULL ? strlen(*url) : 0;
    if (*url != NULL && *bytes == name->name_bytes && memcmp(*url, name->name, *bytes) == 0) {
        *bytes = 0;
    }
    return MR_OK;
}

/* Of a name that was looked up: a page, perhaps a host, or nothing. */
static enum mr_status decide(void *data, const struct mr_row *name, uint32_t vertex, bool found,
                             struct mr_error *err)
{
    struct mr_page_names *finder = data;

    return found ? finder->take(finder->data, name, vertex, 1, err)
           : can_be_host(finder, name->name, name->name_bytes)
               ? keep(finder, name, err)
               : finder->miss(finder->data, name, err);
}

static enum mr_status find(struct mr_page_names *finder, const char *name, size_t bytes,
                           uint32_t *vertex, bool *found, struct mr_error *err)
{
    const struct mr_page_source *source = finder->place.source;

    if (source == NULL) {
        return mr_names_find(finder->place.names, name, bytes, vertex, found, err);
    }
    *found = source->find(source->data, name, bytes, vertex);
    return MR_OK;
}

static enum mr_status look_up(struct mr_page_names *finder, const struct mr_row *name,
                              struct mr_error *err)
{
    const char *url = NULL;
    size_t bytes = 0;
    uint32_t vertex = 0;
    bool found = false;

    finder->n_lookups++;
    enum mr_status status = find(finder, name->name, name->name_bytes, &vertex, &found, err);
    if (status == MR_OK && !found) {
        status = respell(finder, name, &url, &bytes, err);
    }
    if (status == MR_OK && bytes > 0) {
        status = find(finder, url, bytes, &vertex, &found, err);
    }
    return status == MR_OK ? decide(finder, name, vertex, found, err) : status;
}

enum mr_status mr_page_names_add(struct mr_page_names *finder, const struct mr_row *name,
                                 struct mr_error *err)
{
    struct mr_memory *memory = finder->context->memory;
    const char *url = NULL;
    size_t bytes = 0;
    enum mr_status status = MR_OK;

    if (finder->n_lookups < MOST_LOOKUPS || finder->place.source != NULL ||
        mr_names_walk_length(finder->place.names) == UINT64_MAX) {
        return look_up(finder, name, err);
    }
    if (finder->join == NULL) {
        status = mr_page_join_create(finder->context, finder->place.names,
                                     mr_memory_available(memory) / 4, decide, finder, &finder->join,
                                     err);
    }
    if (status == MR_OK) {
        status = respell(finder, name, &url, &bytes, err);
    }
    return status == MR_OK ? mr_page_join_add(finder->join, name, url, bytes, err) : status;
}

/* ---- The walks ---- */

/* Adds the names that mean the host [host, bytes): as a domain of hosts, or by BELOW. */
static enum mr_status add_hits(struct mr_page_names *finder, const char *host, size_t bytes,
                               bool is_domain, bool only_below, struct mr_error *err)
{
    const struct link *links = finder->links;
    const uint32_t number = mr_hash_set_find(&finder->hosts, XXH3_128bits(host, bytes));
    enum mr_status status = MR_OK;

    for (uint32_t i = number != NONE ? finder->heads[number] : NONE; i != NONE && status == MR_OK;
         i = links[i].next) {
        if (only_below != (links[i].form == BELOW)) {
            continue;
        }
        status = mr_memory_grow(finder->context->memory, array_name, finder->n_hits + 1,
                                &finder->hits, &finder->room_hits, err);
        if (status == MR_OK) {
            const enum meaning meaning = links[i].form == BELOW ? HOST
                                         : links[i].form == FORWARD
                                             ? (is_domain ? DOMAIN_ : HOST)
                                             : (is_domain ? REVERSED_DOMAIN : REVERSED_HOST);
            finder->hits[finder->n_hits++] = (struct hit){links[i].pending, meaning};
        }
    }
    return status;
}

/* Makes `hits` those of finder->host, of `bytes` bytes. */
static enum mr_status find_hits(struct mr_page_names *finder, size_t bytes, struct mr_error *err)
{
    const char *host = finder->host;

    finder->n_hits = 0;
    if (bytes == 0) {
        return MR_OK;
    }
    enum mr_status status = add_hits(finder, host, bytes, false, false, err);
    const char *domain = mr_domain_of_host(host);
    if (status == MR_OK && domain != host) {
        status = add_hits(finder, domain, strlen(domain), true, false, err);
    }
    for (const char *at = host; status == MR_OK && finder->has_below && at != NULL;) {
        status = add_hits(finder, at, strlen(at), false, true, err);
        at = strchr(at, '.');
        at = at != NULL ? at + 1 : NULL;
    }
    return status;
}

static struct mr_row name_of(const struct mr_page_names *finder, const struct pending *item)
{
    return (struct mr_row){.name = finder->texts + item->text,
                           .name_bytes = item->bytes,
                           .line = item->line,
                           .tag = item->tag,
                           .values = {item->weight}};
}

/* Counts the pages of the hits, or hands the page over. */
static enum mr_status use_hits(struct mr_page_names *finder, uint32_t vertex, bool counts,
                               struct mr_error *err)
{
    const struct hit *hits = finder->hits;
    enum mr_status status = MR_OK;

    for (uint64_t i = 0; i < finder->n_hits && status == MR_OK; i++) {
        struct pending *item = &finder->pending[hits[i].pending];
        if (counts) {
            item->n_pages[hits[i].meaning]++;
        } else if (item->chosen == hits[i].meaning) {
            const struct mr_row name = name_of(finder, item);
            status = finder->take(finder->data, &name, vertex, item->n_pages[item->chosen], err);
        }
    }
    return status;
}

static enum mr_status visit(void *data, const char *name, size_t bytes, uint32_t vertex,
                            struct mr_error *err)
{
    struct mr_page_names *finder = data;
    char host[MR_HOST_MAX_BYTES];
    const size_t host_bytes = host_of(finder, name, bytes, host);
    enum mr_status status = MR_OK;

    if (host_bytes != finder->host_bytes || memcmp(host, finder->host, host_bytes) != 0) {
        memcpy(finder->host, host, host_bytes + 1);
        finder->host_bytes = host_bytes;
        status = find_hits(finder, host_bytes, err);
    }
    return status == MR_OK ? use_hits(finder, vertex, finder->counts, err) : status;
}

/* A mr_name_take. */
static enum mr_status visit_at(void *data, const struct mr_name_cursor *cursor, uint64_t position,
                               const char *name, size_t bytes, struct mr_error *err)
{
    (void)position;
    return visit(data, name, bytes, mr_name_cursor_vertex(cursor), err);
}

/* Walks over all names, and counts the pages of the hits or hands them over. */
static enum mr_status walk_names(struct mr_page_names *finder, bool counts, struct mr_error *err)
{
    const struct mr_page_source *source = finder->place.source;

    finder->counts = counts;
    finder->host_bytes = finder->n_hits = 0;
    return source != NULL
               ? source->walk(source->data, visit, finder, err)
               : mr_names_walk(finder->context, finder->place.names, finder->place.info->n_vertices,
                               NULL, visit_at, finder, err);
}

static enum mr_status finish_hosts(struct mr_page_names *finder, struct mr_error *err)
{
    struct pending *pending = finder->pending;
    bool any = false;

    if (finder->n_pending == 0) {
        return MR_OK;
    }
    if (!mr_domains_are_known()) {
        return mr_host_groups_error(err);
    }
    enum mr_status status = walk_names(finder, true, err);
    for (uint64_t i = 0; i < finder->n_pending && status == MR_OK; i++) {
        for (int meaning = N_MEANINGS - 1; meaning >= 0; meaning--) {
            pending[i].chosen =
                pending[i].n_pages[meaning] > 0 ? (enum meaning)meaning : pending[i].chosen;
        }
        any |= pending[i].chosen != N_MEANINGS;
    }
    if (status == MR_OK && any) {
        status = walk_names(finder, false, err);
    }
    for (uint64_t i = 0; i < finder->n_pending && status == MR_OK; i++) {
        if (pending[i].chosen == N_MEANINGS) {
            const struct mr_row name = name_of(finder, &pending[i]);
            status = finder->miss(finder->data, &name, err);
        }
    }
    return status;
}

enum mr_status mr_page_names_finish(struct mr_page_names *finder, struct mr_error *err)
{
    enum mr_status status = finder->join != NULL ? mr_page_join_finish(finder->join, err) : MR_OK;

    mr_page_join_destroy(finder->join);
    finder->join = NULL;
    return status == MR_OK ? finish_hosts(finder, err) : status;
}

enum mr_status mr_page_names_open(const struct mr_context *context,
                                  const struct mr_page_place *place, mr_page_name_take take,
                                  mr_page_name_miss miss, void *data, struct mr_page_names **out,
                                  struct mr_error *err)
{
    const struct mr_store_info *info = place->info;
    struct mr_page_names *finder = calloc(1, sizeof *finder);

    *out = finder;
    if (finder == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for a list of names");
    }
    finder->context = context;
    finder->place = *place;
    finder->hosts = (struct mr_hash_set){.memory = context->memory, .name = array_name};
    finder->take = take;
    finder->miss = miss;
    finder->data = data;
    if (place->source != NULL) {
        finder->canonical = *place->canonical;
        finder->has_hosts = true;
    } else {
        finder->has_hosts = info != NULL && info->name_kind == MR_NAMES_TEXT &&
                            mr_canonical_of(info->name_key_number, &finder->canonical);
    }
    return MR_OK;
}

void mr_page_names_close(struct mr_page_names *finder)
{
    if (finder == NULL) {
        return;
    }
    struct mr_memory *memory = finder->context->memory;
    mr_page_join_destroy(finder->join);
    mr_memory_free(memory, finder->texts);
    mr_memory_free(memory, finder->pending);
    mr_memory_free(memory, finder->hits);
    mr_memory_free(memory, finder->heads);
    mr_memory_free(memory, finder->links);
    mr_hash_set_free(&finder->hosts);
    mr_resolver_close(finder->resolver);
    free(finder);
}

const char *mr_page_names_what(const struct mr_page_names *finder)
{
    return finder->has_hosts ? "page, host or domain" : "page";
}
