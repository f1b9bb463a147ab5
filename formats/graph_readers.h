/* The formats that graph_format.c lists. Internal to formats/. */
#ifndef MR_FORMATS_GRAPH_READERS_H
#define MR_FORMATS_GRAPH_READERS_H

#include "formats/graph_format.h"

/* binary_edges.c: records of two ids, perhaps a weight, and nothing else. */
extern const struct mr_graph_format mr_format_u32, mr_format_u64, mr_format_u32be, mr_format_u64be,
    mr_format_u32_f32, mr_format_u64_f64, mr_format_packed;
/* bvgraph.c */
extern const struct mr_graph_format mr_format_bvgraph;
/* matrix_market.c */
extern const struct mr_graph_format mr_format_matrix_market;
/* npy_edges.c */
extern const struct mr_graph_format mr_format_npy;

#endif
