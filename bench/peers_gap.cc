/* SPDX-License-Identifier: Apache-2.0 */
/* Runs PageRank of the GAP Benchmark Suite and writes its ranks, which its own program does not.
 * peers.py compiles this file with the suite's src/ as an include directory.
 *
 *     peers_gap GRAPH.sg ROUNDS TOLERANCE RANKS
 *
 * Prints the seconds of the ranking. */
#define main gap_main
#include "pr.cc"
#undef main

int main(int argc, char **argv)
{
    if (argc != 5) {
        return 2;
    }
    char *arguments[] = {argv[0], (char *)"-f", argv[1]};
    CLPageRank cli(3, arguments, "pagerank", 1e-4, 1000);
    cli.ParseArgs();
    Builder builder(cli);
    Graph graph = builder.MakeGraph();
    Timer timer;
    timer.Start();
    pvector<ScoreT> ranks = PageRankPullGS(graph, atoi(argv[2]), atof(argv[3]));
    timer.Stop();
    std::ofstream out(argv[4]);
    out.precision(9);
    for (NodeID v : graph.vertices()) {
        out << v << '\t' << ranks[v] << '\n';
    }
    std::printf("seconds %.6f\n", timer.Seconds());
    return out.good() ? 0 : 1;
}
