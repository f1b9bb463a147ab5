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
 * arithmetic, so the graph is the same on any number of threads and any machine. */
#ifndef MR_GENERATORS_HOSTS_H
#define MR_GENERATORS_HOSTS_H

#include "generators/generate.h"

struct mr_hosts;

struct mr_hosts_options {
    size_t struct_size; /* sizeof(struct mr_hosts_options) */
    uint64_t n_hosts; /* 1000 .. 2^32 - 1 */
    uint64_t edge_factor; /* edges per host, about; 4 .. 1000; 0: MR_HOSTS_EDGE_FACTOR */
    uint64_t seed;
};

#define MR_HOSTS_EDGE_FACTOR 35u

/* Prepares the graph. Memory: 2 bytes per host, about. Errors: USAGE for numbers out of range;
 * BUDGET. `context` outlives it. mr_hosts_destroy takes NULL. */
enum mr_status mr_hosts_create(const struct mr_context *context,
                               const struct mr_hosts_options *options, struct mr_hosts **out,
                               struct mr_error *err) MR_WARN_UNUSED;
void mr_hosts_destroy(struct mr_hosts *hosts);

/* Its edges: sources ascend, targets of a source ascend, no edge repeats, none leads from a host to
 * itself. The generator borrows `hosts`. A builder for it has MR_IDS_DENSE and n_vertices =
 * n_hosts. */
struct mr_generator mr_hosts_generator(const struct mr_hosts *hosts);

/* Writes the reversed name of `host`, not terminated; returns its length. Names ascend by their
 * bytes, as the vertices of Common Crawl do. The first host of a domain is the domain. O(log
 * domains); thread-safe. */
#define MR_HOSTS_NAME_MAX_BYTES 64u
size_t mr_hosts_name(const struct mr_hosts *hosts, uint32_t host,
                     char name[MR_HOSTS_NAME_MAX_BYTES]);

/* Was the host fetched? The others have no out-edges. */
bool mr_hosts_is_fetched(const struct mr_hosts *hosts, uint32_t host);

#endif
