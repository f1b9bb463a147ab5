/* SPDX-License-Identifier: Apache-2.0 */
/* A synthetic graph of hosts, with the figures that Common Crawl publishes of its host graphs
 * (docs/generators.md): three quarters of the hosts were never fetched and have no out-edges, two
 * hosts a domain, 35 edges a host, a strong component of a seventh of the hosts.
 *
 * Hosts are numbered in the order of their reversed names: top-level domains of fixed shares, in
 * them domains of power-law sizes. Edges of a fetched host lead to hosts of its domain, to targets
 * that hosts of a domain share, to popular hosts of the web and of its top-level domain, to
 * neighbours that link back, and to hosts that no other one found. A share of the fetched hosts is
 * never linked to. Each host's edges are a function of (hosts, edge factor, seed, host) in integer
 * arithmetic, so the graph is the same on any number of threads and any machine.
 *
 * Edges are made host by host. They ascend, no edge repeats, none leads from a host to itself. Two
 * bitmaps and the first host of each domain are in memory; all else comes from random numbers by
 * counter, so threads can make any hosts in any order. `millrace generate hosts` calls it. */
#include "generators/generate.h"

#include <stdlib.h>
#include <string.h>

#include "engine/base/bytes.h"
#include "engine/base/memory.h"
#include "engine/base/random.h"

/* The parameters of the shape, chosen for the figures of docs/generators.md. */
#define FETCHED_DOMAIN  MR_SHARE(0.330) /* hosts that are a domain */
#define FETCHED_HOST    MR_SHARE(0.180) /* other hosts */
#define LINKED          MR_SHARE(0.585) /* fetched hosts that others link to */
#define SINGLE_DOMAIN   MR_SHARE(0.84) /* domains of one host */
#define LARGE_DOMAIN    MR_SHARE(0.30) /* of the others */
#define FOUND_NEAR      MR_SHARE(0.5) /* hosts found from the host before them */
#define TO_FETCHED      MR_SHARE(0.80) /* popular hosts that were fetched */
#define LINKS_BACK      MR_SHARE(0.80) /* of neighbours, both ways */
#define COPIES_TEMPLATE MR_SHARE(0.90)

enum {
    DOMAIN_PARTS = 20, /* a domain has at most this part of its top-level domain's hosts */
    DOMAIN_MAX_HOSTS = 1 << 20,
    NEIGHBOURS = 64, /* in blocks of so many hosts neighbours link to each other */
    EDGE_FACTOR = 35, /* edges per host, about */
    UNIT_HOSTS = 2048,
    LEAST_LINKS = 3,
    LABEL_DIGITS = 7, /* of 32: more domains than hosts can be */
    TLD_SHARES = 65536
};

/* What an edge leads to; shares out of 65536, in this order. */
enum { INSIDE, TEMPLATE, POPULAR, IN_TLD, NEAR, N_TARGETS };
static const uint32_t target_shares[N_TARGETS] = {
    [INSIDE] = MR_SHARE(0.14), [TEMPLATE] = MR_SHARE(0.46), [POPULAR] = MR_SHARE(0.16),
    [IN_TLD] = MR_SHARE(0.18), [NEAR] = MR_SHARE(0.06),
};

/* Top-level domains in the order of their bytes, with shares of the hosts. */
static const struct {
    const char *name;
    uint32_t share; /* of TLD_SHARES */
} tlds[] = {
    {"at", 700},   {"au.com", 900}, {"be", 800},    {"biz", 500}, {"br.com", 1500}, {"ca", 900},
    {"ch", 1000},  {"cn", 1600},    {"com", 29000}, {"cz", 900},  {"de", 4200},     {"dk", 600},
    {"edu", 500},  {"es", 900},     {"eu", 900},    {"fr", 1700}, {"hu", 500},      {"in", 700},
    {"info", 900}, {"io", 700},     {"it", 1500},   {"jp", 1500}, {"net", 2400},    {"nl", 1600},
    {"no", 400},   {"org", 3600},   {"pl", 1300},   {"ro", 400},  {"ru", 1400},     {"se", 600},
    {"uk.co", 0},
};
enum { N_TLDS = sizeof tlds / sizeof tlds[0] };

enum what {
    ABOUT_SIZE = 1,
    ABOUT_SINGLE,
    ABOUT_FETCHED,
    ABOUT_LINKED,
    ABOUT_FOUND,
    ABOUT_DEGREE,
    ABOUT_BACK,
    ABOUT_KIND,
    ABOUT_RANK,
    ABOUT_PLACE,
    ABOUT_TLD_PLACE,
    ABOUT_INSIDE,
    ABOUT_NEAR,
    ABOUT_TEMPLATE
};

struct mr_hosts {
    const struct mr_context *context;
    uint64_t key;
    uint32_t n;
    uint64_t edge_factor;
    uint64_t stride, inverse; /* of the bijection host -> host * stride mod n, and back */
    uint32_t tld_first[N_TLDS + 1]; /* hosts */
    uint32_t tld_domain[N_TLDS + 1]; /* domains */
    uint32_t n_domains;
    uint32_t *starts; /* [n_domains + 1]: the first host of each domain, then n */
    uint64_t *fetched; /* bits */
    uint64_t least_links, most_links; /* of a fetched host, before those that are found */
};

static uint64_t draw(const struct mr_hosts *hosts, unsigned what, uint64_t index)
{
    return mr_random_at(hosts->key, what, index);
}

static bool chance(const struct mr_hosts *hosts, unsigned what, uint64_t index, uint32_t share)
{
    return mr_random_chance(draw(hosts, what, index), share);
}

bool mr_hosts_is_fetched(const struct mr_hosts *hosts, uint32_t host)
{
    return (hosts->fetched[host >> 6] >> (host & 63) & 1) != 0;
}

static bool is_linked(const struct mr_hosts *hosts, uint32_t host)
{
    return !mr_hosts_is_fetched(hosts, host) || chance(hosts, ABOUT_LINKED, host, LINKED);
}

/* The last host of a list of ascending starts that is not behind `host`. */
static uint32_t place_in(const uint32_t *starts, uint32_t n, uint32_t host)
{
    uint32_t low = 0, high = n;

    MR_FIND_LAST(low, high, middle, starts[middle] <= host);
    return low;
}

/* ---- Preparing ---- */

static uint64_t greatest_common_divisor(uint64_t a, uint64_t b)
{
    while (b != 0) {
        const uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* A number without a common factor with n, near the golden section, and its inverse mod n. */
static void choose_stride(struct mr_hosts *hosts)
{
    const uint64_t n = hosts->n;
    uint64_t stride = (uint64_t)((unsigned __int128)n * 40503 >> 16) | 1;
    int64_t old_r, r, old_s = 1, s = 0;

    while (greatest_common_divisor(stride, n) != 1) {
        stride += 2;
    }
    old_r = (int64_t)stride;
    r = (int64_t)n;
    while (r != 0) {
        const int64_t q = old_r / r, next_r = old_r - q * r, next_s = old_s - q * s;
        old_r = r;
        r = next_r;
        old_s = s;
        s = next_s;
    }
    hosts->stride = stride % n;
    hosts->inverse = (uint64_t)(old_s < 0 ? old_s + (int64_t)n : old_s);
}

/* One host; else 2 to 4; else Pareto with exponent 1 from 2 on, cut at `most`. */
static uint64_t domain_hosts(const struct mr_hosts *hosts, uint64_t domain, uint64_t most)
{
    const uint64_t random = draw(hosts, ABOUT_SIZE, domain);

    if (most <= 4 || chance(hosts, ABOUT_SINGLE, domain, SINGLE_DOMAIN)) {
        return 1;
    }
    if (!mr_random_chance(random, LARGE_DOMAIN)) {
        return 2 + mr_random_below(random, 3);
    }
    const uint64_t two = (uint64_t)2 << 32;
    return mr_min_u64(two / ((random >> 32) + two / most + 1) + 2, most);
}

static enum mr_status add_domain(struct mr_hosts *hosts, uint64_t *room, uint64_t at,
                                 struct mr_error *err)
{
    const enum mr_status status = mr_memory_grow(hosts->context->memory, "domains of the hosts",
                                                 hosts->n_domains + 2, &hosts->starts, room, err);
    if (status == MR_OK) {
        hosts->starts[hosts->n_domains++] = (uint32_t)at;
        hosts->starts[hosts->n_domains] = (uint32_t)hosts->n;
    }
    return status;
}

static enum mr_status make_domains(struct mr_hosts *hosts, struct mr_error *err)
{
    uint64_t room = 0, shares = 0;
    enum mr_status status = MR_OK;

    for (size_t tld = 0; tld < N_TLDS; tld++) {
        uint64_t at = hosts->n * shares / TLD_SHARES;
        shares = tld + 1 == N_TLDS ? TLD_SHARES : shares + tlds[tld].share;
        const uint64_t end = hosts->n * shares / TLD_SHARES;
        const uint64_t most = mr_min_u64((end - at) / DOMAIN_PARTS, DOMAIN_MAX_HOSTS);
        hosts->tld_first[tld] = (uint32_t)at;
        hosts->tld_domain[tld] = hosts->n_domains;
        while (at < end && status == MR_OK) {
            const uint64_t size = mr_min_u64(domain_hosts(hosts, hosts->n_domains, most), end - at);
            status = add_domain(hosts, &room, at, err);
            at += size;
        }
    }
    hosts->tld_first[N_TLDS] = hosts->n;
    hosts->tld_domain[N_TLDS] = hosts->n_domains;
    return status;
}

static enum mr_status choose_fetched(struct mr_hosts *hosts, struct mr_error *err)
{
    const enum mr_status status = mr_memory_array(
        hosts->context->memory, "fetched hosts", (uint64_t)hosts->n / 64 + 1, &hosts->fetched, err);

    for (uint32_t domain = 0; domain < hosts->n_domains && status == MR_OK; domain++) {
        for (uint32_t v = hosts->starts[domain]; v < hosts->starts[domain + 1]; v++) {
            const uint32_t share = v == hosts->starts[domain] ? FETCHED_DOMAIN : FETCHED_HOST;
            if (v == 0 || chance(hosts, ABOUT_FETCHED, v, share)) {
                hosts->fetched[v >> 6] |= (uint64_t)1 << (v & 63);
            }
        }
    }
    return status;
}

/* Numbers of links are least / u with u down to least / most: the mean is least * ln(most / least).
 * A quarter of the hosts has links; repeated targets cost some. */
static void choose_links(struct mr_hosts *hosts)
{
    const uint64_t wanted = 4 * hosts->edge_factor * 140 / 100;

    hosts->most_links = mr_max_u64(mr_min_u64(hosts->n / 100, 200000), 64);
    hosts->least_links = LEAST_LINKS;
    for (;;) {
        unsigned doublings = 0; /* log2(most / least), in eighths */
        for (uint64_t x = hosts->least_links << 3; x < hosts->most_links << 3; x += x >> 3) {
            doublings++;
        }
        /* each step is a factor 9/8, so a step adds ln(9/8) = 0.1178 */
        if (hosts->least_links * doublings * 1178 / 10000 >= wanted ||
            2 * hosts->least_links > hosts->most_links) {
            return;
        }
        hosts->least_links++;
    }
}

static void close_hosts(void *model)
{
    struct mr_hosts *hosts = model;
    mr_memory_free(hosts->context->memory, hosts->fetched);
    mr_memory_free(hosts->context->memory, hosts->starts);
    free(hosts);
}

/* The reversed name of a host. Names ascend by their bytes, as the vertices of Common Crawl do. The
 * first host of a domain is the domain. O(log domains). */
static size_t write_name(const void *model, uint32_t host, char name[MR_GENERATOR_NAME_MAX_BYTES])
{
    const struct mr_hosts *hosts = model;
    static const char digits[] = "0123456789abcdefghijklmnopqrstuv";
    const uint32_t domain = place_in(hosts->starts, hosts->n_domains, host);
    const uint32_t tld = place_in(hosts->tld_domain, N_TLDS, domain);
    size_t used = strlen(tlds[tld].name);

    memcpy(name, tlds[tld].name, used);
    name[used++] = '.';
    uint32_t number = domain - hosts->tld_domain[tld];
    for (unsigned i = LABEL_DIGITS; i-- > 0; number >>= 5) {
        name[used + i] = digits[number & 31];
    }
    used += LABEL_DIGITS;
    number = host - hosts->starts[domain];
    if (number > 0) {
        name[used++] = '.';
        for (unsigned i = LABEL_DIGITS; i-- > 0; number >>= 5) {
            name[used + i] = digits[number & 31];
        }
        used += LABEL_DIGITS;
    }
    return used;
}

/* ---- The edges of a host ---- */

/* The list of targets of the host that is being made: edges of the list, from `first` on. */
struct targets {
    const struct mr_hosts *hosts;
    struct mr_edge_list *list;
    uint32_t source;
};

static void add_target(struct targets *targets, uint32_t target)
{
    if (target != targets->source && is_linked(targets->hosts, target)) {
        targets->list->edges[targets->list->n_edges++] =
            (struct mr_edge){.source = targets->source, .target = target};
    }
}

/* The host at a rank of popularity in the hosts from `first` on: mostly a fetched one. */
static uint32_t popular_host(const struct mr_hosts *hosts, unsigned what, uint64_t rank,
                             uint32_t first, uint32_t n)
{
    const uint64_t random = draw(hosts, what, rank + ((uint64_t)first << 32));
    uint32_t host = first + mr_random_below(random, n);

    if (mr_random_chance(random, TO_FETCHED)) {
        while (host > first && !(mr_hosts_is_fetched(hosts, host) && is_linked(hosts, host))) {
            host--;
        }
    }
    return host;
}

/* A rank below n whose logarithm is uniform, in integers: a power of two, then a number in it. */
static uint64_t log_uniform(uint64_t random, uint32_t n)
{
    const unsigned bits = 32 - (unsigned)__builtin_clz(n);
    const unsigned power = mr_random_below(random << 32, bits);
    const uint64_t low = (uint64_t)1 << power;
    return (low + mr_random_below(random, (uint32_t)low) - 1) % n;
}

/* The target of edge number `i` of a source. Template targets have the domain as their key, so that
 * its hosts share them. */
static uint32_t choose_target(const struct mr_hosts *hosts, uint32_t source, uint32_t domain,
                              uint32_t tld, uint64_t i)
{
    uint64_t index = ((uint64_t)source << 20) + i;
    uint32_t kind_random = (uint32_t)(draw(hosts, ABOUT_KIND, index) & 0xffff);
    int kind = 0;

    while (kind < N_TARGETS - 1 && kind_random >= target_shares[kind]) {
        kind_random -= target_shares[kind++];
    }
    const uint32_t first = hosts->starts[domain], n_inside = hosts->starts[domain + 1] - first;
    if (kind == INSIDE && n_inside > 1) {
        return first + mr_random_below(draw(hosts, ABOUT_INSIDE, index), n_inside);
    }
    if (kind == TEMPLATE || kind == INSIDE) {
        if (n_inside > 1 && chance(hosts, ABOUT_TEMPLATE, index, COPIES_TEMPLATE)) {
            index = ((uint64_t)(domain | 0x80000000u) << 24) + i;
        }
        kind = chance(hosts, ABOUT_KIND, index + 1, MR_SHARE(0.5)) ? POPULAR : IN_TLD;
    }
    const uint64_t random = draw(hosts, ABOUT_RANK, index);
    if (kind == NEAR) {
        const uint64_t step = log_uniform(random, NEIGHBOURS * NEIGHBOURS) + 1;
        const bool back = (draw(hosts, ABOUT_NEAR, index) & 1) != 0;
        return (uint32_t)((source + (back ? hosts->n - step % hosts->n : step)) % hosts->n);
    }
    if (kind == IN_TLD) {
        const uint32_t n = hosts->tld_first[tld + 1] - hosts->tld_first[tld];
        return popular_host(hosts, ABOUT_TLD_PLACE, log_uniform(random, n), hosts->tld_first[tld],
                            n);
    }
    return popular_host(hosts, ABOUT_PLACE, log_uniform(random, hosts->n), 0, hosts->n);
}

/* Neighbours in a block of 64 that link to each other: a property of the pair. */
static void add_neighbours(struct targets *targets)
{
    const struct mr_hosts *hosts = targets->hosts;
    const uint32_t source = targets->source;

    if (!is_linked(hosts, source)) {
        return;
    }
    for (uint32_t mask = 1; mask < NEIGHBOURS; mask++) {
        const uint32_t other = source ^ mask;
        const uint32_t low = source < other ? source : other;
        if (other < hosts->n && mr_hosts_is_fetched(hosts, other) &&
            chance(hosts, ABOUT_BACK, ((uint64_t)low << 8) + mask, LINKS_BACK)) {
            add_target(targets, other);
        }
    }
}

/* Every host that was not fetched was found from one: from the last fetched one before it, or from
 * the last one before its image in the bijection. */
static void add_found(struct targets *targets)
{
    const struct mr_hosts *hosts = targets->hosts;

    for (uint64_t v = targets->source; v < hosts->n; v++) {
        if (v > targets->source && mr_hosts_is_fetched(hosts, (uint32_t)v)) {
            return;
        }
        const uint32_t far = (uint32_t)((unsigned __int128)v * hosts->inverse % hosts->n);
        if (v > targets->source && chance(hosts, ABOUT_FOUND, v, FOUND_NEAR)) {
            add_target(targets, (uint32_t)v);
        }
        if (!mr_hosts_is_fetched(hosts, far) && !chance(hosts, ABOUT_FOUND, far, FOUND_NEAR)) {
            add_target(targets, far);
        }
    }
}

static uint64_t n_links_of(const struct mr_hosts *hosts, uint32_t source)
{
    const uint64_t u = draw(hosts, ABOUT_DEGREE, source) >> 32;
    const uint64_t floor = (hosts->least_links << 32) / hosts->most_links;
    return (hosts->least_links << 32) / mr_max_u64(floor + u - (floor * u >> 32), 1);
}

static int compare_targets(const void *one, const void *other)
{
    const struct mr_edge *a = one, *b = other;
    return a->target < b->target ? -1 : a->target > b->target;
}

static void sort_targets(struct mr_edge_list *list, size_t first)
{
    struct mr_edge *edges = list->edges + first;
    const size_t n = list->n_edges - first;
    size_t kept = 0;

    qsort(edges, n, sizeof *edges, compare_targets);
    for (size_t i = 0; i < n; i++) {
        if (i == 0 || edges[i].target != edges[i - 1].target) {
            edges[kept++] = edges[i];
        }
    }
    list->n_edges = first + kept;
}

static enum mr_status make_unit(const void *model, uint64_t unit, void *scratch,
                                struct mr_edge_list *list, struct mr_error *err)
{
    const struct mr_hosts *hosts = model;
    const uint64_t begin = unit * UNIT_HOSTS;
    const uint64_t end = mr_min_u64(begin + UNIT_HOSTS, hosts->n);
    uint32_t domain = place_in(hosts->starts, hosts->n_domains, (uint32_t)begin);
    uint32_t tld = place_in(hosts->tld_first, N_TLDS, (uint32_t)begin);

    (void)scratch;
    for (uint64_t v = begin; v < end; v++) {
        while (hosts->starts[domain + 1] <= v) {
            domain++;
        }
        while (tld + 1 < N_TLDS && hosts->tld_first[tld + 1] <= v) {
            tld++;
        }
        if (!mr_hosts_is_fetched(hosts, (uint32_t)v)) {
            continue;
        }
        const uint64_t n_links = n_links_of(hosts, (uint32_t)v);
        uint64_t run = 1;
        while (v + run < hosts->n && !mr_hosts_is_fetched(hosts, (uint32_t)(v + run))) {
            run++;
        }
        const enum mr_status status =
            mr_edge_list_reserve(list, n_links + NEIGHBOURS + 2 * run, err);
        if (status != MR_OK) {
            return status;
        }
        struct targets targets = {.hosts = hosts, .list = list, .source = (uint32_t)v};
        const size_t first = list->n_edges;
        add_found(&targets);
        add_neighbours(&targets);
        for (uint64_t i = 0; i < n_links; i++) {
            add_target(&targets, choose_target(hosts, (uint32_t)v, domain, tld, i));
        }
        sort_targets(list, first);
    }
    return MR_OK;
}

enum mr_status mr_hosts_open(const struct mr_context *context,
                             const struct mr_generator_options *options, struct mr_generator *out,
                             struct mr_error *err)
{
    *out = (struct mr_generator){0};
    if (options->n_vertices < 1000 || options->n_vertices > UINT32_MAX) {
        return mr_error_set(err, MR_ERROR_USAGE, "a graph of hosts has 1000 to 4294967295 hosts");
    }
    if (options->edge_factor != 0 && (options->edge_factor < 4 || options->edge_factor > 1000)) {
        return mr_error_set(err, MR_ERROR_USAGE, "hosts have 4 to 1000 links each");
    }
    struct mr_hosts *hosts = calloc(1, sizeof *hosts);
    if (hosts == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for hosts");
    }
    hosts->context = context;
    hosts->key = mr_random_mix(options->seed + MR_RANDOM_GOLDEN);
    hosts->n = (uint32_t)options->n_vertices;
    hosts->edge_factor = options->edge_factor != 0 ? options->edge_factor : (uint64_t)EDGE_FACTOR;
    *out = (struct mr_generator){.n_units = mr_div_up(hosts->n, UNIT_HOSTS),
                                 .n_vertices = hosts->n,
                                 .n_edges = hosts->n * hosts->edge_factor,
                                 .model = hosts,
                                 .make = make_unit,
                                 .name = write_name,
                                 .close = close_hosts};
    choose_stride(hosts);
    choose_links(hosts);
    const enum mr_status status = make_domains(hosts, err);
    return status == MR_OK ? choose_fetched(hosts, err) : status;
}
