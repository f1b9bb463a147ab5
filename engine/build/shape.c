/* What finishing goes by: how wide bands and stripes are, and how the spooled edges are read. */
#include "engine/build/internal.h"

/* Bits of a key: of a band and of a stripe together. */
enum { KEY_BITS = 32 };

/* The widest band that is chosen by itself. */
enum { DEFAULT_BITS = 16, WIDEST_BAND_BITS = 18 };

/* A graph whose 2^16 x 2^16 tiles hold fewer edges than this on average gets wider bands and narrower
 * stripes, of the same area: half as many edges, twice the width. Few edges in a tile mean that the
 * kernel gathers from a stripe that is cold each time, and a narrow stripe is warm sooner, while the
 * accumulator of a wide band stays put for the whole band. Random ids, pinned, two threads with 512 KiB of L2, ns an
 * edge in bands of 2^16, 2^17, 2^18: kron-23, 15,790 edges a tile, 1.23, 1.58; kron-24, 7,950, 2.58, 1.76, 2.06. With
 * 2 MiB of L2 there was no difference; retune with bench/. */
#define DENSE_TILE_EDGES_LOG2 13u

/* Graphs of a few tiles gain nothing. */
#define FEW_TILES_VERTICES ((uint64_t)1 << 18)

/* Nor do those with at least half of their edges in the diagonal tiles of narrow bands, as crawls in the
 * order of their URLs have: most edges are in full tiles, and a corner tile costs its rows as well. On
 * a generated crawl of 20.5 M pages, 99% near, 2^18 x 2^14 took 0.66 ns a link and 0.61 bytes, 2^16 x 2^16
 * 0.38 and 0.41; with keys alone 0.72 and 0.65 ns. */
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
