/* The formats that graph_writer.c lists. Internal to formats/. */
#ifndef MR_FORMATS_GRAPH_WRITERS_H
#define MR_FORMATS_GRAPH_WRITERS_H

#include "formats/graph_writer.h"

/* stream_writers.c */
extern const struct mr_graph_writer mr_writer_u32, mr_writer_u64, mr_writer_edges, mr_writer_mtx,
    mr_writer_npy, mr_writer_wel, mr_writer_u32_f32;
/* graphalytics_writer.c, sg_writer.c, bvgraph_writer.c */
extern const struct mr_graph_writer mr_writer_graphalytics, mr_writer_sg, mr_writer_wsg,
    mr_writer_bvgraph;

#endif
