/* SPDX-License-Identifier: Apache-2.0 */
/* Connects the micro benchmarks, which are in C, to Google Benchmark, which is in C++: registers
 * functions, runs them, and prints the median time per item. */
#include "bench/shim.h"

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

namespace
{

const int repetitions = 5;
const double seconds = 0.1; /* of each repetition; enough for 1% on a calm machine */

bool failed = false;

benchmark::State *unwrap(bench_state *state)
{
    return reinterpret_cast<benchmark::State *>(state);
}

/* A rate that Google Benchmark computes ("items_per_second"), or a counter; 0 if there is none. */
double counter_of(const benchmark::BenchmarkReporter::Run &run, const char *name)
{
    auto found = run.counters.find(name);
    return found == run.counters.end() ? 0.0 : found->second.value;
}

/* Prints one line for each benchmark, with times per item, because these add up to the time of a
 * pass. The reporter of Google Benchmark would print rates. */
class Table : public benchmark::BenchmarkReporter
{
  public:
    explicit Table(const char *item_name) : item(item_name)
    {
    }

    bool ReportContext(const Context &) override
    {
        std::printf("%-36s %9s %9s %9s %7s\n", "", ("ns/" + item).c_str(), "min", "max", "GB/s");
        return true;
    }

    /* All repetitions of one benchmark come together. */
    void ReportRuns(const std::vector<Run> &runs) override
    {
        std::vector<double> ns, rates;
        const Run *last = nullptr;
        for (const Run &run : runs) {
            double items = counter_of(run, "items_per_second");
            if (run.run_type == Run::RT_Iteration && items > 0) {
                ns.push_back(1e9 / items);
                rates.push_back(counter_of(run, "bytes_per_second") * 1e-9);
                last = &run;
            }
        }
        if (last == nullptr) {
            return;
        }
        std::sort(ns.begin(), ns.end());
        std::sort(rates.begin(), rates.end());
        std::printf("%-36s %9.3f %9.3f %9.3f %7.2f", last->run_name.function_name.c_str(),
                    ns[ns.size() / 2], ns.front(), ns.back(), rates[rates.size() / 2]);
        for (const auto &counter : last->counters) {
            if (counter.first != "items_per_second" && counter.first != "bytes_per_second") {
                std::printf("  %s %.2f", counter.first.c_str(), counter.second.value);
            }
        }
        std::printf("\n");
        std::fflush(stdout);
    }

  private:
    std::string item;
};

} // namespace

void bench_register(const char *name, bench_function function, const void *data)
{
    auto body = [function, data](benchmark::State &state) {
        function(reinterpret_cast<bench_state *>(&state), data);
    };
    benchmark::RegisterBenchmark(name, body)->Repetitions(repetitions)->MinTime(seconds);
}

bool bench_next(bench_state *state)
{
    return unwrap(state)->KeepRunning();
}

void bench_set_items(bench_state *state, uint64_t items)
{
    int64_t all = static_cast<int64_t>(unwrap(state)->iterations()) * static_cast<int64_t>(items);
    unwrap(state)->SetItemsProcessed(all);
}

void bench_set_bytes(bench_state *state, uint64_t bytes)
{
    int64_t all = static_cast<int64_t>(unwrap(state)->iterations()) * static_cast<int64_t>(bytes);
    unwrap(state)->SetBytesProcessed(all);
}

void bench_set_counter(bench_state *state, const char *name, double value)
{
    unwrap(state)->counters[name] = value;
}

void bench_fail(bench_state *state, const char *message)
{
    if (!failed) {
        std::fprintf(stderr, "benchmark failed: %s\n", message);
    }
    failed = true;
    unwrap(state)->SkipWithError(message);
}

void bench_keep(const void *pointer)
{
    benchmark::DoNotOptimize(pointer);
    benchmark::ClobberMemory();
}

int bench_run(int argc, char **argv, const char *item)
{
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) {
        return 2;
    }
    Table table(item);
    benchmark::RunSpecifiedBenchmarks(&table);
    benchmark::Shutdown();
    return failed ? 1 : 0;
}
