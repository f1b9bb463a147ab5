/* SPDX-License-Identifier: Apache-2.0 */
/* Chooses the width of bands and stripes, and describes how finish.c reads the spooled edges. The
 * width is a function of the graph only, so that the store's bytes do not depend on memory or
 * threads. */
#include "engine/builder/internal.h"

/* Bits of a key: position in the band and position in the stripe together. */
enum { KEY_BITS = 32 };

/* Widths that the builder chooses without an option. */
enum { DEFAULT_BITS = 16, WIDEST_BAND_BITS = 18 };

/* A graph with fewer edges per 2^16 x 2^16 tile than this, on average, gets wider bands and
 * narrower stripes of the same area: twice the width where it has half as many edges. With few
 * edges in a tile, the kernel gathers from a stripe that is cold each time. A narrow stripe is warm
 * sooner, and the accumulator of a wide band stays in the cache for the whole band. Measured:
 * random ids, pinned, two threads with 512 KiB of L2, ns per edge in bands of 2^16, 2^17, 2^18.
 * kron-23, 15,790 edges per tile: 1.23, 1.58. kron-24, 7,950 edges per tile: 2.58, 1.76, 2.06. With
 * 2 MiB of L2 there was no difference. Retune with bench/. */
#define DENSE_TILE_EDGES_LOG2 13u

/* Wider bands do not help graphs of a few tiles. */
#define FEW_TILES_VERTICES ((uint64_t)1 << 18)

/* Wider bands do not help graphs with at least half of their edges in the diagonal tiles of narrow
 * bands, such as crawls in the order of their URLs: most edges are in full tiles, and a corner tile
 * has a cost per row too. Measured on a generated crawl of 20.5 M pages, 99% near: 2^18 x 2^14 took
 * 0.66 ns and 0.61 bytes per edge, 2^16 x 2^16 took 0.38 and 0.41. With keys alone it was 0.72
 * against 0.65 ns. */
static bool is_local(uint64_t n_edges, uint64_t n_near)
{
    return n_edges > 0 && n_near >= n_edges - n_near;
}

void mr_build_choose_bits(uint64_t n_vertices, uint64_t n_edges, uint64_t n_near,
                          unsigned *band_bits, unsigned *stripe_bits)
{
    unsigned widening = 0;
    /* edges * 2^32 / n^2 < 2^13  <=>  edges < n^2 / 2^19, which does not overflow. */
    uint64_t enough = (n_vertices * n_vertices) >> (KEY_BITS - DENSE_TILE_EDGES_LOG2);
    if (n_vertices > FEW_TILES_VERTICES && !is_local(n_edges, n_near)) {
        while (DEFAULT_BITS + widening < WIDEST_BAND_BITS && n_edges < enough >> widening) {
            widening++;
        }
    }
    *band_bits = DEFAULT_BITS + widening;
    *stripe_bits = DEFAULT_BITS - widening;
}

struct mr_spool_scan mr_build_scan(const struct mr_build *build, const char *stage)
{
    return (struct mr_spool_scan){
        .stage = stage,
        .spool = build->spool,
        .translate = mr_numbering_apply,
        .numbering = build->numbering,
        .n_workers = mr_spool_scan_workers(build->context, 0),
        .drop_self_loops = build->options.drop_self_loops,
        .undirected = build->options.undirected,
    };
}
