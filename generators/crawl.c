/* SPDX-License-Identifier: Apache-2.0 */
/* A synthetic crawl of the web, which has the structure of real crawls at any size.
 *
 * Pages are numbered in URL order: hosts with power-law sizes one after the other, and in each host
 * directories of neighbouring pages. Most edges are navigation: a template of a few runs of pages,
 * the same on nearly every page of the host. Other edges are an index page's list of its directory,
 * lists copied from the page before with small changes, long lists of hub pages, and a few edges to
 * near hosts and to popular hosts. Some directories and hosts were never fetched: their pages have
 * no out-edges (the frontier). Every page except the first has an in-edge.
 *
 * Calibrated on cnr-2000 (docs/generators.md compares the figures). Each page's edges are a
 * function of (pages, seed, page) in integer arithmetic, so the graph is the same on any number of
 * threads and any machine.
 *
 * Edges are made page by page, about 30 ns each: first a plan for each host (its directories and
 * template), then the edges of each page from the plan and from random numbers by counter.
 * `millrace generate` calls it. A page needs only its host's plan, so threads can make any pages in
 * any order. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "generators/crawl_internal.h"

#include "engine/base/bytes.h"
#include "engine/base/memory.h"
#include "engine/base/random.h"
#include "engine/base/sort.h"

/* The parameters of the shape. A search minimised the distance to cnr-2000 in the figures of
 * docs/generators.md. Shares are probabilities. */
enum {
    HOST_MIN_PAGES = 2,
    HOST_MAX_PAGES = 24576, /* crawlers have such limits; also at most 1/14 of all pages */
    DIRECTORY_MIN_PAGES = 7,
    DIRECTORY_MAX_PAGES = 4096,
    CLIQUE_MAX_PAGES = 40,
    SMALL_HOST_PAGES = 8, /* smaller hosts have a template of at most 3 edges */
    MEDIUM_HOST_PAGES = 150, /* smaller hosts have a template of at most 12 edges */
    LARGE_HOST_PAGES = 6000, /* hosts from this size on have a template of 22 to 37 edges */
    TEMPLATE_RUN_PAGES = 3,
    TEMPLATE_MAX_PAGES = 1024,
    COPY_BACK_PAGES = 32, /* a list is copied from at most this many pages before */
    CONTENT_RUN_PAGES = 4,
    HUB_MIN_LINKS = 75,
    HUB_MAX_LINKS = 3000,
    NEAR_HOSTS = 200,
    DENSITY_ONE = 16 /* the density of a crawl with MR_CRAWL_LINKS_USUAL */
};
#define FRONTIER_HOST      MR_SHARE(0.25) /* hosts of one page that was never fetched */
#define FRONTIER_DIRECTORY MR_SHARE(0.28)
#define FRONTIER_PAGE      MR_SHARE(0.03)
/* Pages of a host that was fetched, on average; the share of them without links where no directory
 * is frontier, and by how much it grows to where all are; the share of frontier pages that the
 * shares above make. Measured on crawls of 1 M pages. */
#define HOST_PAGES       17.3
#define FRONTIER_OF_NONE 0.0197
#define FRONTIER_OF_ALL  0.709
#define FRONTIER_USUAL   0.233
#define SHORT_DIRECTORY  MR_SHARE(0.371) /* the shorter of two draws */
#define TINY_TEMPLATE    MR_SHARE(0.45)
#define MIDDLE_TEMPLATE  MR_SHARE(0.37)
#define HAS_TEMPLATE     MR_SHARE(0.794)
#define IS_CLIQUE        MR_SHARE(0.04)
#define LINKS_UP         MR_SHARE(0.5)
#define LINKS_BESIDE     MR_SHARE(0.101)
#define LINKS_ITSELF     MR_SHARE(0.239)
#define NEW_LIST         MR_SHARE(0.20)
#define LINK_COPIED      MR_SHARE(0.5)
#define CONTENT_NEAR     MR_SHARE(0.5)
#define CONTENT_LISTS    6u
#define UP_LINKS         14u
#define IS_HUB           MR_SHARE(0.0019)
#define LINKS_OUT        MR_SHARE(0.12)
#define OUT_NEAR         MR_SHARE(0.5)
#define OUT_TO_FRONT     MR_SHARE(0.6)

/* Pages of a unit. At this size the plan of the largest host costs 5% of the time of making its
 * pages. */
#define UNIT_PAGES ((uint64_t)2048)

/* The longest list: every directory of a host, a whole directory, a hub's list, and some more. */
#define LIST_MAX            ((size_t)HOST_MAX_PAGES + DIRECTORY_MAX_PAGES + HUB_MAX_LINKS + 2048)
#define LIST_ROOM_FOR_HOSTS 512u /* edges from a front page to the frontier hosts after it */

/* The purpose of each random number. Numbers about content have an index of their own. */
enum what {
    ABOUT_HOST_SIZE = 1,
    ABOUT_HOST_FRONTIER,
    ABOUT_LENGTH,
    ABOUT_SHORTNESS,
    ABOUT_CLIQUE,
    ABOUT_DIRECTORY_FRONTIER,
    ABOUT_TEMPLATE_KIND,
    ABOUT_TEMPLATE_LINKS,
    ABOUT_TEMPLATE_MORE,
    ABOUT_PAGE_FRONTIER,
    ABOUT_HAVING_TEMPLATE,
    ABOUT_UP,
    ABOUT_UP_LINKS,
    ABOUT_BESIDE,
    ABOUT_ITSELF,
    ABOUT_NEW_LIST,
    ABOUT_LIST_LENGTH,
    ABOUT_HUB,
    ABOUT_HUB_LINKS,
    ABOUT_HUB_START,
    ABOUT_OUT,
    ABOUT_OUT_COPIED,
    ABOUT_OUT_NEAR,
    ABOUT_OUT_HOST,
    ABOUT_OUT_RANK,
    ABOUT_OUT_PAGE,
    ABOUT_OUT_FRONT,
    ABOUT_TEMPLATE_RUN = 64, /* + number of the run, twice */
    ABOUT_CONTENT = 1024 /* + 4 * number of the run */
};

struct directory {
    uint32_t first, end;
    bool is_clique; /* every page links to every page */
    bool is_frontier; /* no page but the index was fetched */
};

/* What the pages of a host have in common. */
struct host_plan {
    uint32_t host; /* UINT32_MAX: none */
    uint32_t first, end;
    uint32_t n_directories, n_template;
    uint32_t template_pages[TEMPLATE_MAX_PAGES]; /* ascending, none twice */
    struct directory directories[HOST_MAX_PAGES];
};

struct crawl_scratch {
    uint32_t ready; /* not 0: `plan` is valid (memory is zeroed at first) */
    struct host_plan plan;
    size_t n_targets;
    uint32_t targets[LIST_MAX];
    uint32_t sort_room[LIST_MAX];
};

static uint64_t draw(const struct mr_crawl *crawl, unsigned what, uint64_t index)
{
    return mr_random_at(crawl->key, what, index);
}

static bool chance(const struct mr_crawl *crawl, unsigned what, uint64_t index, uint32_t share)
{
    return mr_random_chance(draw(crawl, what, index), share);
}

/* least / u for a uniform u in (0, 1]: a Pareto distribution with exponent 1, in integers. */
static uint64_t pareto(uint64_t random, uint32_t least)
{
    return ((uint64_t)least << 32) / ((random >> 32) + 1);
}

/* ---- Hosts ---- */

static uint32_t host_pages(const struct mr_crawl *crawl, uint64_t host, uint32_t most)
{
    if (host > 0 && chance(crawl, ABOUT_HOST_FRONTIER, host, crawl->frontier_host)) {
        return 1;
    }
    /* u is at least least / most: this cuts the distribution off without piling hosts up at the
     * largest size. */
    uint64_t floor = ((uint64_t)HOST_MIN_PAGES << 32) / most;
    uint64_t u = floor + mr_random_below(draw(crawl, ABOUT_HOST_SIZE, host),
                                         (uint32_t)((((uint64_t)1 << 32) - 1) - floor));
    return (uint32_t)mr_min_u64(((uint64_t)HOST_MIN_PAGES << 32) / mr_max_u64(u, 1), most);
}

static enum mr_status make_hosts(struct mr_crawl *crawl, struct mr_error *err)
{
    uint32_t most = (uint32_t)mr_max_u64(mr_min_u64(crawl->n_pages / 14, HOST_MAX_PAGES), 8);
    uint64_t at = 0, room = 0;

    for (uint64_t host = 0;; host++) {
        const enum mr_status status = mr_memory_grow(crawl->context->memory, "hosts of the crawl",
                                                     host + 1, &crawl->starts, &room, err);
        if (status != MR_OK) {
            return status;
        }
        crawl->starts[host] = (uint32_t)at;
        if (at == crawl->n_pages) {
            crawl->n_hosts = (uint32_t)host;
            return MR_OK;
        }
        at = mr_min_u64(at + host_pages(crawl, host, most), crawl->n_pages);
    }
}

/* Choose which directories and hosts are frontier, for a share of frontier pages above that of the
 * real crawl from both: index pages are never frontier, so directories alone cannot do it. */
static void choose_frontier(struct mr_crawl *crawl, double frontier)
{
    const double usual = FRONTIER_OF_NONE + FRONTIER_OF_ALL * 0.28;
    crawl->frontier_directory = FRONTIER_DIRECTORY;
    crawl->frontier_host = FRONTIER_HOST;
    if (frontier == 0) {
        return;
    }
    const bool is_more = frontier > FRONTIER_USUAL;
    const double of_hosts = usual + (is_more ? 0.6 : 1) * (frontier - FRONTIER_USUAL);
    const double more = HOST_PAGES * (frontier - of_hosts);
    crawl->frontier_directory =
        (uint32_t)(65536.0 * (of_hosts - FRONTIER_OF_NONE) / FRONTIER_OF_ALL);
    if (is_more) {
        crawl->frontier_host = (uint32_t)(65536.0 * more / (1 - frontier + more));
    }
}

/* Choose how much longer templates and lists are than those of cnr-2000. Small hosts do not have
 * the pages for that, so the links grow more slowly. The parabola is a fit to crawls of 1 M pages
 * with 10 to 86 links per page. */
static void choose_density(struct mr_crawl *crawl, uint32_t n_links)
{
    const uint32_t more = n_links - MR_CRAWL_LINKS_USUAL;
    crawl->density = DENSITY_ONE + (241 * more + more * more) / 100;
}

static void close_crawl(void *model)
{
    struct mr_crawl *crawl = model;
    mr_memory_free(crawl->context->memory, crawl->starts);
    free(crawl);
}

/* ---- The plan of a host ---- */

static void plan_directories(const struct mr_crawl *crawl, struct host_plan *plan)
{
    uint32_t size = plan->end - plan->first;
    uint64_t most = mr_min_u64(mr_max_u64(size / 3, 4), DIRECTORY_MAX_PAGES);

    plan->n_directories = 0;
    for (uint32_t at = plan->first; at < plan->end;) {
        uint64_t length = pareto(draw(crawl, ABOUT_LENGTH, at), DIRECTORY_MIN_PAGES);
        uint64_t random = draw(crawl, ABOUT_SHORTNESS, at);
        if (mr_random_chance(random, SHORT_DIRECTORY)) {
            length = mr_min_u64(length, pareto(random, DIRECTORY_MIN_PAGES));
        }
        length = mr_min_u64(length, most);
        uint32_t left = plan->end - at;
        if (left < length + 3) { /* leave no rest of one or two pages */
            length = left;
        }
        bool is_first = at == plan->first;
        plan->directories[plan->n_directories++] = (struct directory){
            .first = at,
            .end = at + (uint32_t)length,
            .is_clique = length <= CLIQUE_MAX_PAGES && chance(crawl, ABOUT_CLIQUE, at, IS_CLIQUE),
            .is_frontier =
                !is_first && chance(crawl, ABOUT_DIRECTORY_FRONTIER, at, crawl->frontier_directory),
        };
        at += (uint32_t)length;
    }
}

static uint32_t template_links(const struct mr_crawl *crawl, const struct host_plan *plan)
{
    uint32_t size = plan->end - plan->first;
    uint32_t kind = (uint32_t)(draw(crawl, ABOUT_TEMPLATE_KIND, plan->host) & 0xffff);
    uint64_t random = draw(crawl, ABOUT_TEMPLATE_LINKS, plan->host);
    uint32_t n;

    if (size >= LARGE_HOST_PAGES) {
        n = 22 + mr_random_below(random, 16);
    } else if (kind < TINY_TEMPLATE || size < SMALL_HOST_PAGES) {
        n = 1 + mr_random_below(random, 3);
    } else if (kind < TINY_TEMPLATE + MIDDLE_TEMPLATE || size < MEDIUM_HOST_PAGES) {
        n = 4 + mr_random_below(random, 9);
    } else {
        n = 18 + mr_random_small(random, 50) +
            mr_random_below(draw(crawl, ABOUT_TEMPLATE_MORE, plan->host), 10);
    }
    n = n * crawl->density / DENSITY_ONE;
    return n < size / 2 ? n : size / 2;
}

/* Chooses runs of pages, more of them near the front page. The first run begins with the front
 * page. */
static void plan_template(const struct mr_crawl *crawl, struct host_plan *plan)
{
    uint32_t wanted = template_links(crawl, plan), size = plan->end - plan->first;
    uint32_t pages[TEMPLATE_MAX_PAGES], room[TEMPLATE_MAX_PAGES], n = 0;

    for (unsigned run = 0; n < wanted; run++) {
        uint64_t what = ABOUT_TEMPLATE_RUN + 2 * run;
        uint32_t length =
            1 + mr_random_below(draw(crawl, (unsigned)what, plan->host), TEMPLATE_RUN_PAGES);
        uint32_t start =
            run == 0 ? 0 : mr_random_small(draw(crawl, (unsigned)what + 1, plan->host), size);
        for (uint32_t i = 0; i < length && n < wanted && start + i < size; i++) {
            pages[n++] = plan->first + start + i;
        }
    }
    const uint32_t *sorted = mr_sort_u32(pages, room, n);
    plan->n_template = (uint32_t)mr_unique_u32(sorted, n, plan->template_pages);
}

static void make_plan(const struct mr_crawl *crawl, uint32_t host, struct host_plan *plan)
{
    plan->host = host;
    plan->first = crawl->starts[host];
    plan->end = crawl->starts[host + 1];
    plan_directories(crawl, plan);
    plan_template(crawl, plan);
}

/* ---- The links of a page ---- */

static void add(struct crawl_scratch *scratch, uint32_t target)
{
    assert(scratch->n_targets < LIST_MAX);
    scratch->targets[scratch->n_targets++] = target;
}

/* Adds at most `length` pages from `first` on, up to `end`. */
static void add_run(struct crawl_scratch *scratch, uint32_t first, uint64_t length, uint32_t end)
{
    for (uint32_t page = first; page < end && page - first < length; page++) {
        add(scratch, page);
    }
}

/* Adds the edges of a host's front page to the frontier hosts that follow, and to the next host
 * that is not in the frontier. So every host has an in-edge. */
static void add_next_hosts(const struct mr_crawl *crawl, struct crawl_scratch *scratch)
{
    for (uint32_t i = 1; i < LIST_ROOM_FOR_HOSTS; i++) {
        uint32_t host = scratch->plan.host + i;
        if (host >= crawl->n_hosts) {
            return;
        }
        add(scratch, crawl->starts[host]);
        if (crawl->starts[host + 1] - crawl->starts[host] > 1) {
            return;
        }
    }
}

static void add_navigation(const struct mr_crawl *crawl, uint32_t page,
                           const struct directory *directory, struct crawl_scratch *scratch)
{
    const struct host_plan *plan = &scratch->plan;
    bool is_index = page == directory->first;

    if (chance(crawl, ABOUT_HAVING_TEMPLATE, page >> 2, HAS_TEMPLATE)) {
        memcpy(scratch->targets, plan->template_pages, plan->n_template * sizeof(uint32_t));
        scratch->n_targets = plan->n_template;
    }
    if (page == plan->first) {
        add_next_hosts(crawl, scratch);
        for (uint32_t i = 0; i < plan->n_directories; i++) {
            add(scratch, plan->directories[i].first);
        }
    }
    if (is_index || directory->is_clique) {
        add_run(scratch, directory->first, UINT64_MAX, directory->end);
    } else if (chance(crawl, ABOUT_UP, page, LINKS_UP)) {
        uint64_t random = draw(crawl, ABOUT_UP_LINKS, directory->first);
        add_run(scratch, directory->first, 1 + mr_random_small(random, UP_LINKS), directory->end);
    }
    if (chance(crawl, ABOUT_BESIDE, page, LINKS_BESIDE)) {
        add_run(scratch, page > plan->first ? page - 1 : page + 1, 1, plan->end);
        add_run(scratch, page + 1, 1, plan->end);
    }
    if (chance(crawl, ABOUT_ITSELF, page, LINKS_ITSELF)) {
        add(scratch, page);
    }
}

/* The page whose list this page copied: the nearest page at or before it, in its directory, that
 * began a new list. */
static uint32_t list_leader(const struct mr_crawl *crawl, uint32_t page,
                            const struct directory *directory)
{
    for (unsigned i = 0; i < COPY_BACK_PAGES && page > directory->first; i++, page--) {
        if (chance(crawl, ABOUT_NEW_LIST, page, NEW_LIST)) {
            break;
        }
    }
    return page;
}

static void add_content(const struct mr_crawl *crawl, uint32_t page, uint32_t leader,
                        const struct directory *directory, struct crawl_scratch *scratch)
{
    const struct host_plan *plan = &scratch->plan;
    uint32_t n_runs = mr_random_small(draw(crawl, ABOUT_LIST_LENGTH, leader),
                                      CONTENT_LISTS * crawl->density / DENSITY_ONE);

    for (uint32_t run = 0; run < n_runs; run++) {
        unsigned what = ABOUT_CONTENT + 4 * run;
        uint32_t from = chance(crawl, what, page, LINK_COPIED) ? leader : page;
        uint64_t where = draw(crawl, what + 1, from), random = draw(crawl, what + 2, from);
        uint32_t length = 1 + mr_random_below(draw(crawl, what + 3, from), CONTENT_RUN_PAGES);
        uint32_t start =
            mr_random_chance(where, CONTENT_NEAR)
                ? directory->first + mr_random_below(random, directory->end - directory->first)
                : plan->first + mr_random_small(random, plan->end - plan->first);
        add_run(scratch, start, length, plan->end);
    }
}

/* Adds a long list of pages of the host; it wraps around from the host's end to its beginning. */
static void add_hub_list(const struct mr_crawl *crawl, uint32_t page, struct crawl_scratch *scratch)
{
    const struct host_plan *plan = &scratch->plan;
    uint32_t size = plan->end - plan->first;
    uint64_t length = pareto(draw(crawl, ABOUT_HUB_LINKS, page), HUB_MIN_LINKS);
    uint32_t start = mr_random_below(draw(crawl, ABOUT_HUB_START, page), size);

    length = mr_min_u64(mr_min_u64(length, HUB_MAX_LINKS), size);
    add_run(scratch, plan->first + start, length, plan->end);
    if (length > size - start) {
        add_run(scratch, plan->first, length - (size - start), plan->end);
    }
}

/* A popular host. Ranks are distributed like a product of three uniform numbers, and ranks are
 * spread over all hosts. */
static uint32_t popular_host(const struct mr_crawl *crawl, uint32_t from)
{
    uint64_t rank = mr_random_small(draw(crawl, ABOUT_OUT_HOST, from), crawl->n_hosts);
    rank = mr_random_below(draw(crawl, ABOUT_OUT_RANK, from), (uint32_t)rank);
    return (uint32_t)((rank * 2654435761u + 12345) % crawl->n_hosts);
}

static void add_other_host(const struct mr_crawl *crawl, uint32_t page, uint32_t leader,
                           struct crawl_scratch *scratch)
{
    uint32_t from = chance(crawl, ABOUT_OUT_COPIED, page, LINK_COPIED) ? leader : page;
    uint64_t host;

    if (!chance(crawl, ABOUT_OUT, from, LINKS_OUT)) {
        return;
    }
    uint64_t near = draw(crawl, ABOUT_OUT_NEAR, from);
    if (mr_random_chance(near, OUT_NEAR)) {
        uint64_t step = 1 + mr_random_small(draw(crawl, ABOUT_OUT_HOST, from), NEAR_HOSTS);
        host = (near >> 16 & 1) != 0 ? scratch->plan.host + step : scratch->plan.host - step;
    } else {
        host = popular_host(crawl, from);
    }
    if (host >= crawl->n_hosts) { /* also below host 0, because the number is unsigned */
        return;
    }
    uint32_t first = crawl->starts[host], size = crawl->starts[host + 1] - first;
    bool to_front = chance(crawl, ABOUT_OUT_FRONT, from, OUT_TO_FRONT);
    add(scratch,
        to_front ? first : first + mr_random_small(draw(crawl, ABOUT_OUT_PAGE, from), size));
}

static bool is_frontier(const struct mr_crawl *crawl, uint32_t page,
                        const struct directory *directory, const struct host_plan *plan)
{
    if (plan->end - plan->first == 1) {
        return true;
    }
    return page != directory->first &&
           (directory->is_frontier || chance(crawl, ABOUT_PAGE_FRONTIER, page, FRONTIER_PAGE));
}

/* Collects the targets of `page`, in any order, with repetitions. */
static void collect(const struct mr_crawl *crawl, uint32_t page, const struct directory *directory,
                    struct crawl_scratch *scratch)
{
    const struct host_plan *plan = &scratch->plan;
    scratch->n_targets = 0;
    if (is_frontier(crawl, page, directory, plan)) {
        return;
    }
    uint32_t leader = list_leader(crawl, page, directory);
    add_navigation(crawl, page, directory, scratch);
    add_content(crawl, page, leader, directory, scratch);
    add_other_host(crawl, page, leader, scratch);
    if (chance(crawl, ABOUT_HUB, page, IS_HUB)) {
        add_hub_list(crawl, page, scratch);
    }
    if (scratch->n_targets == 0) { /* a fetched page has at least one out-edge */
        add(scratch, plan->first);
    }
}

/* ---- Units ---- */

static enum mr_status add_page(const struct mr_crawl *crawl, uint32_t page,
                               const struct directory *directory, struct crawl_scratch *scratch,
                               struct mr_edge_list *list, struct mr_error *err)
{
    collect(crawl, page, directory, scratch);
    enum mr_status status = mr_edge_list_reserve(list, scratch->n_targets, err);
    if (status != MR_OK) {
        return status;
    }
    const uint32_t *targets = mr_sort_u32(scratch->targets, scratch->sort_room, scratch->n_targets);
    for (size_t i = 0; i < scratch->n_targets; i++) {
        if (i == 0 || targets[i] != targets[i - 1]) {
            list->edges[list->n_edges++] = (struct mr_edge){page, targets[i]};
        }
    }
    return MR_OK;
}

static enum mr_status make_unit(const void *model, uint64_t unit, void *room,
                                struct mr_edge_list *list, struct mr_error *err)
{
    const struct mr_crawl *crawl = model;
    struct crawl_scratch *scratch = room;
    uint32_t page = (uint32_t)(unit * UNIT_PAGES);
    uint32_t end = (uint32_t)mr_min_u64((unit + 1) * UNIT_PAGES, crawl->n_pages);
    enum mr_status status = MR_OK;

    for (uint32_t host = mr_crawl_host(crawl, page); status == MR_OK && page < end; host++) {
        struct host_plan *plan = &scratch->plan;
        if (!scratch->ready || plan->host != host) {
            make_plan(crawl, host, plan);
            scratch->ready = true;
        }
        for (uint32_t i = 0; status == MR_OK && i < plan->n_directories && page < end; i++) {
            const struct directory *directory = &plan->directories[i];
            while (status == MR_OK && page < directory->end && page < end) {
                status = add_page(crawl, page++, directory, scratch, list, err);
            }
        }
    }
    return status;
}

enum mr_status mr_crawl_open(const struct mr_context *context,
                             const struct mr_generator_options *options, struct mr_generator *out,
                             struct mr_error *err)
{
    *out = (struct mr_generator){0};
    if (options->frontier != 0 && !(options->frontier >= MR_CRAWL_FRONTIER_LEAST &&
                                    options->frontier <= MR_CRAWL_FRONTIER_MOST)) {
        return mr_error_set(err, MR_ERROR_USAGE, "the frontier of a crawl is %g to %g of its pages",
                            MR_CRAWL_FRONTIER_LEAST, MR_CRAWL_FRONTIER_MOST);
    }
    if (options->n_vertices < 1 || options->n_vertices > UINT32_MAX) {
        return mr_error_set(err, MR_ERROR_USAGE, "a crawl has 1 to 4294967295 pages");
    }
    const uint64_t n_links =
        options->edge_factor != 0 ? options->edge_factor : MR_CRAWL_LINKS_USUAL;
    if (n_links < MR_CRAWL_LINKS_USUAL || n_links > MR_CRAWL_LINKS_MOST) {
        return mr_error_set(err, MR_ERROR_USAGE, "the links per page of a crawl are %u to %u",
                            MR_CRAWL_LINKS_USUAL, MR_CRAWL_LINKS_MOST);
    }
    struct mr_crawl *crawl = calloc(1, sizeof *crawl);
    if (crawl == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for a crawl");
    }
    crawl->context = context;
    crawl->key = mr_random_mix(options->seed + MR_RANDOM_GOLDEN);
    crawl->n_pages = (uint32_t)options->n_vertices;
    *out = (struct mr_generator){.n_units = mr_div_up(crawl->n_pages, UNIT_PAGES),
                                 .n_vertices = crawl->n_pages,
                                 .n_edges = n_links * crawl->n_pages,
                                 .model = crawl,
                                 .scratch_bytes = sizeof(struct crawl_scratch),
                                 .make = make_unit,
                                 .name = mr_crawl_url,
                                 .close = close_crawl};
    choose_frontier(crawl, options->frontier);
    choose_density(crawl, (uint32_t)n_links);
    return make_hosts(crawl, err);
}
