/* The formats that graph_format.c lists. Internal to formats/. */
#ifndef MR_FORMATS_GRAPH_READERS_H
#define MR_FORMATS_GRAPH_READERS_H

#include "formats/graph_format.h"

/* binary_edges.c: records of two ids, perhaps a weight, and nothing else. */
extern const struct mr_graph_format mr_format_u32, mr_format_u64, mr_format_u32be, mr_format_u64be,
    mr_format_u32_f32, mr_format_u64_f64;
/* adjacency_text.c */
extern const struct mr_graph_format mr_format_ascii_graph, mr_format_metis, mr_format_adjlist;
/* bvgraph.c */
extern const struct mr_graph_format mr_format_bvgraph;
/* sg_reader.c */
extern const struct mr_graph_format mr_format_sg, mr_format_wsg;
/* csv_edges.c, dimacs.c, graphalytics.c, ligra.c */
extern const struct mr_graph_format mr_format_csv, mr_format_dimacs, mr_format_graphalytics,
    mr_format_ligra;
/* common_crawl.c */
extern const struct mr_graph_format mr_format_common_crawl;
/* crawl_lines.c, warc_links.c */
extern const struct mr_graph_format mr_format_nutch, mr_format_adjacency, mr_format_crawl_log,
    mr_format_cdxj, mr_format_wat, mr_format_warc;
/* wel_edges.c */
extern const struct mr_graph_format mr_format_wel;
/* matrix_market.c */
extern const struct mr_graph_format mr_format_matrix_market;
/* npy_edges.c */
extern const struct mr_graph_format mr_format_npy;

#endif
