/* SPDX-License-Identifier: Apache-2.0 */
/* The state of OPIC between crawls: writes the head and the rows, reads them, and merges them into
 * the vertices of the new store by name. docs/opic.md ("State file") has the layouts. All numbers
 * from a file are checked here, because the proof of the error bound rests on them. */
#include <math.h>
#include <string.h>

#include "algorithms/base/sum.h"
#include "algorithms/opic/internal.h"
#include "engine/base/bytes.h"

/* Byte offsets in the head. */
enum {
    AT_STORE_ID = 0, /* of the store of the last run */
    AT_PARAMETERS = 8, /* hash of everything that the proof depends on */
    AT_VIRTUAL_CASH = 16,
    AT_CLOCK_KIND = 24,
    AT_CLOCK = 32,
    AT_DISTRIBUTED = 40, /* u128 */
    AT_PAID = 56, /* u128 */
    AT_FOREIGN = 72, /* double */
    AT_LOST = 80,
    AT_PROOF_SWEEPS = 88,
    AT_SWEEPS = 96,
    AT_VISITS = 104,
    AT_CURSOR = 112,
    AT_RUNS = 120,
    AT_KEPT = 128, /* 1 - tax, as a fraction of 2^63; for information */
    AT_WINDOW = 136, /* double, in ticks; for information */
    AT_ZERO = 144, /* 16 bytes of zeros */
    HEAD_END = 160
};
_Static_assert(HEAD_END == MR_OPIC_HEAD_BYTES, "head layout");

/* Byte offsets in a row. */
enum { AT_CASH = 0, AT_HISTORY = 8, AT_LAST = 16, AT_FLAGS = 20, ROW_BYTES = 21 };

const struct mr_name_table_kind mr_opic_state = {
    .name = "opic", .version = 1, .head_bytes = MR_OPIC_HEAD_BYTES, .row_bytes = ROW_BYTES};

static void put_u128(uint8_t *out, mr_u128 value)
{
    mr_put_u64(out, (uint64_t)value);
    mr_put_u64(out + 8, (uint64_t)(value >> 64));
}

static mr_u128 get_u128(const uint8_t *in)
{
    return (mr_u128)mr_get_u64(in + 8) << 64 | mr_get_u64(in);
}

/* FNV-1a over 64-bit words. */
static void hash_word(uint64_t *hash, uint64_t word)
{
    for (unsigned i = 0; i < 8; i++) {
        *hash = (*hash ^ (word >> (8 * i) & 0xff)) * 0x100000001b3u;
    }
}

/* A hash of everything that the equation behind the bound depends on, except the store. */
static uint64_t parameters_hash(const struct mr_opic *opic)
{
    const struct mr_opic_options *o = &opic->options;
    const bool weighted = o->internal != NULL;
    uint64_t hash = 0xcbf29ce484222325u;

    hash_word(&hash, o->tax_one_link ? UINT64_MAX : opic->kept);
    hash_word(&hash, (uint64_t)o->payout);
    hash_word(&hash, o->ignore_self_loops);
    hash_word(&hash, weighted ? opic->internal_weight : 0);
    hash_word(&hash, weighted ? opic->external_weight : 0);
    hash_word(&hash, opic->window > 0);
    for (uint64_t v = 0; v < opic->info->n_vertices; v++) {
        if (o->payout == MR_OPIC_PAY_TARGETS && (opic->flags[v] & OPIC_TARGET) != 0) {
            hash_word(&hash, v);
        }
        /* A vertex that was visited and may not be visited now had edges in the equation. A vertex
         * without edges is the same in the equation, fetched or not. */
        if ((opic->flags[v] & OPIC_LINKED) == 0) {
            hash_word(&hash, ~v);
        }
    }
    return hash;
}

void mr_opic_describe(const struct mr_opic *opic, uint8_t head[MR_OPIC_HEAD_BYTES])
{
    memset(head, 0, MR_OPIC_HEAD_BYTES);
    mr_put_u64(head + AT_STORE_ID, opic->info->store_id);
    mr_put_u64(head + AT_PARAMETERS, parameters_hash(opic));
    mr_put_u64(head + AT_VIRTUAL_CASH, opic->virtual_cash);
    mr_put_u64(head + AT_CLOCK_KIND, (uint64_t)opic->clock_kind);
    mr_put_u64(head + AT_CLOCK, opic->clock);
    put_u128(head + AT_DISTRIBUTED, opic->distributed);
    put_u128(head + AT_PAID, opic->paid);
    mr_put_f64(head + AT_FOREIGN, opic->foreign);
    mr_put_u64(head + AT_LOST, opic->lost);
    mr_put_u64(head + AT_PROOF_SWEEPS, opic->proof_sweeps);
    mr_put_u64(head + AT_SWEEPS, opic->sweep);
    mr_put_u64(head + AT_VISITS, opic->visits);
    mr_put_u64(head + AT_CURSOR, opic->cursor);
    mr_put_u64(head + AT_RUNS, opic->runs + 1);
    mr_put_u64(head + AT_KEPT, opic->kept);
    mr_put_f64(head + AT_WINDOW, opic->window);
}

void mr_opic_fill_row(const void *data, uint32_t v, uint8_t *row)
{
    const struct mr_opic *opic = data;

    mr_put_u64(row + AT_CASH, opic->cash[v]);
    mr_put_f64(row + AT_HISTORY, opic->history[v]);
    mr_put_u32(row + AT_LAST, opic->last[v]);
    row[AT_FLAGS] = (uint8_t)((opic->flags[v] & (OPIC_VISITED | OPIC_RECENT)) |
                              (mr_opic_is_timed(opic, v) ? OPIC_FETCHED : 0));
}

/* Of a history that came over other links, in units of the total. */
#define OLD_TOTALS 1.0

/* ---- Payment of new vertices ---- */

void mr_opic_inject(struct mr_opic *opic, uint64_t n_new, bool all_of_it)
{
    const uint64_t n = opic->info->n_vertices;
    const bool to_targets = opic->options.payout == MR_OPIC_PAY_TARGETS;
    if (n_new == 0) {
        return;
    }
    uint64_t pay = opic->virtual_cash / n_new;
    /* the share of a vertex in the total, or all cash in equal parts if that is less */
    if (!all_of_it) {
        pay = mr_min_u64(pay, MR_OPIC_TOTAL / n);
    }
    for (uint64_t v = 0; v < n; v++) {
        const bool is_paid = !to_targets || (opic->flags[v] & OPIC_TARGET) != 0;
        if ((opic->flags[v] & OPIC_NEW) != 0 && is_paid) {
            opic->cash[v] += pay;
            opic->virtual_cash -= pay;
        }
        opic->flags[v] &= (uint8_t)~OPIC_NEW;
    }
}

/* ---- Merging ---- */

static enum mr_status damaged(const char *what, struct mr_error *err)
{
    return mr_error_set(err, MR_ERROR_CORRUPT,
                        "the state's %s: it is damaged; restore it from a copy, or begin without "
                        "it",
                        what);
}

static enum mr_status read_head(struct mr_opic *opic, const uint8_t *head, bool *is_proof,
                                struct mr_error *err)
{
    const uint64_t clock_kind = mr_get_u64(head + AT_CLOCK_KIND);
    const uint64_t clock = mr_get_u64(head + AT_CLOCK);
    const double foreign = mr_get_f64(head + AT_FOREIGN);

    opic->virtual_cash = mr_get_u64(head + AT_VIRTUAL_CASH);
    if (clock_kind > OPIC_CLOCK_TIME || clock > UINT32_MAX || !(foreign >= 0) || isinf(foreign) ||
        opic->virtual_cash > MR_OPIC_TOTAL) {
        return damaged("head makes no sense", err);
    }
    opic->distributed = get_u128(head + AT_DISTRIBUTED);
    opic->sweep = mr_get_u64(head + AT_SWEEPS);
    opic->visits = mr_get_u64(head + AT_VISITS);
    opic->cursor = mr_get_u64(head + AT_CURSOR);
    opic->runs = mr_get_u64(head + AT_RUNS);
    *is_proof = mr_get_u64(head + AT_STORE_ID) == opic->info->store_id &&
                mr_get_u64(head + AT_PARAMETERS) == parameters_hash(opic);
    if (*is_proof) {
        opic->foreign = foreign;
        opic->paid = get_u128(head + AT_PAID);
        opic->lost = mr_get_u64(head + AT_LOST);
        opic->proof_sweeps = mr_get_u64(head + AT_PROOF_SWEEPS);
    }
    if (opic->options.n_times == 0 && clock_kind == OPIC_CLOCK_TIME && !(opic->window > 0)) {
        opic->clock_kind = OPIC_CLOCK_TIME; /* no visit needs a time: keep the times of the state */
    }
    if ((uint64_t)opic->clock_kind == clock_kind) {
        opic->clock = clock;
    } else if (opic->clock_kind == OPIC_CLOCK_CASH) {
        opic->clock = (uint64_t)(opic->distributed >> (62 - OPIC_TICK_BITS));
    }
    return MR_OK;
}

static enum mr_status check_row(const uint8_t *row, struct mr_error *err)
{
    const double history = mr_get_f64(row + AT_HISTORY);
    const bool is_good =
        history >= 0 && !isinf(history) && (row[AT_FLAGS] & ~OPIC_STORED_FLAGS) == 0;
    return is_good ? MR_OK : damaged("rows make no sense", err);
}

enum mr_status mr_opic_page_of_row(const uint8_t *head, const uint8_t *row,
                                   struct mr_opic_page *page, bool *visited, bool *has_times,
                                   struct mr_error *err)
{
    const double last = mr_get_u32(row + AT_LAST);

    *has_times = mr_get_u64(head + AT_CLOCK_KIND) == OPIC_CLOCK_TIME;
    *visited = (row[AT_FLAGS] & OPIC_VISITED) != 0;
    *page = (struct mr_opic_page){.cash = (double)mr_get_u64(row + AT_CASH) * 0x1p-62,
                                  .history = mr_get_f64(row + AT_HISTORY),
                                  .last = *has_times ? last : ldexp(last, -OPIC_TICK_BITS)};
    return check_row(row, err);
}

/* Take one row of the state for vertex `v`. */
static void take_row(struct mr_opic *opic, uint32_t v, const uint8_t *row, bool same_clock)
{
    opic->cash[v] = mr_get_u64(row + AT_CASH);
    opic->history[v] = mr_get_f64(row + AT_HISTORY);
    opic->last[v] = same_clock ? mr_get_u32(row + AT_LAST) : (uint32_t)opic->clock;
    opic->flags[v] |= row[AT_FLAGS] & (OPIC_VISITED | OPIC_RECENT);
    if ((row[AT_FLAGS] & OPIC_FETCHED) != 0) {
        mr_opic_note_time(opic, v);
    }
    opic->n_visited += (row[AT_FLAGS] & OPIC_VISITED) != 0;
}

/* What the rows of a state add up to. */
struct merging {
    struct mr_opic *opic;
    struct mr_opic_merge *merge;
    bool same_clock;
    uint64_t cash;
    struct mr_sum history;
    /* of those vertices of the last addition that were visited since */
    double recent_history;
    uint64_t n_recent;
};

/* Without a window, each visit adds the cash that it moves to the history of its page, in one
 * rounding. So the histories are at most what the visits moved, and what came from other links
 * (`foreign`); and exactly that if these are the first links of the state. What the virtual page
 * paid has become history, or is still there. `cash`: that of the pages. Under a window the scores
 * are measured, whatever the histories are. */
static enum mr_status check_history(const uint8_t *head, double history, uint64_t cash,
                                    struct mr_error *err)
{
    const uint64_t sweeps = mr_get_u64(head + AT_SWEEPS);
    const double moved = (double)get_u128(head + AT_DISTRIBUTED) * 0x1p-62;
    const double paid = (double)get_u128(head + AT_PAID) * 0x1p-62;
    const double foreign = mr_get_f64(head + AT_FOREIGN);
    const double slack = 0x1p-52 * (double)mr_min_u64(sweeps + 64, UINT32_MAX);
    const bool is_first = !(foreign > 0) && mr_get_u64(head + AT_PROOF_SWEEPS) == sweeps;

    const bool adds_up = history <= (moved + foreign) * (1 + slack) &&
                         (!is_first || history >= moved * (1 - slack)) &&
                         paid * (1 - slack) <= history + (double)cash * 0x1p-62;
    return adds_up || mr_get_f64(head + AT_WINDOW) > 0
               ? MR_OK
               : damaged("histories are not the cash that moved", err);
}

/* A mr_name_table_take. */
static enum mr_status merge_row(void *data, const uint32_t *vertex, const uint8_t *row,
                                struct mr_error *err)
{
    struct merging *merging = data;
    struct mr_opic *opic = merging->opic;
    struct mr_opic_merge *merge = merging->merge;

    if (row == NULL) {
        opic->flags[*vertex] |= OPIC_NEW;
        opic->last[*vertex] = (uint32_t)opic->clock;
        merge->added++;
        return MR_OK;
    }
    const uint64_t cash = mr_get_u64(row + AT_CASH);
    const double history = mr_get_f64(row + AT_HISTORY);
    if (cash > MR_OPIC_TOTAL - merging->cash) {
        return damaged("cash is more than the total", err);
    }
    const enum mr_status status = check_row(row, err);
    if (status != MR_OK) {
        return status;
    }
    merging->cash += cash;
    mr_sum_add(&merging->history, history);
    if ((~row[AT_FLAGS] & (OPIC_VISITED | OPIC_RECENT)) == 0) {
        merging->recent_history += history;
        merging->n_recent++;
    }
    if (vertex == NULL) {
        opic->virtual_cash += cash;
        merge->vanished++;
        merge->vanished_cash += (double)cash * 0x1p-62;
    } else {
        merge->kept++;
        take_row(opic, *vertex, row, merging->same_clock);
    }
    return MR_OK;
}

/* What other links brought counts little beside what comes now. Where all pages are visited, cash
 * goes round for ever, and a history of OLD_TOTALS is outgrown in half as many sweeps again as a
 * run from the start takes; a longer one stands in the way of every bound. Draining moves each unit
 * once, so it begins anew. Pages that are not fetched keep the cash, which ends with them: what
 * comes is then less than what was, and history stays. A window forgets by itself, and times are
 * about single pages. */
static void forget(struct mr_opic *opic)
{
    const struct mr_opic_options *o = &opic->options;
    const uint64_t n = opic->info->n_vertices;
    double history = 0;

    if (opic->n_fetched < n || opic->window > 0 || o->n_times > 0) {
        return;
    }
    for (uint64_t v = 0; v < n; v++) {
        history += opic->history[v];
    }
    const double share = o->drain ? 0 : history > OLD_TOTALS ? OLD_TOTALS / history : 1;
    for (uint64_t v = 0; v < n; v++) {
        opic->history[v] *= share;
        opic->virtual_cash += o->drain ? opic->cash[v] : 0;
        opic->cash[v] = o->drain ? 0 : opic->cash[v];
    }
}

/* Sum up the history and cash that did not come over the edges of this graph. Every bound from now
 * on includes them. */
static void begin_proof(struct mr_opic *opic)
{
    const double tax = opic->options.tax;
    double history = 0, cash = 0;
    for (uint64_t v = 0; v < opic->info->n_vertices; v++) {
        history += opic->history[v];
        cash += (double)opic->cash[v] * 0x1p-62;
    }
    opic->foreign = (history + (tax > 0 ? cash / tax : cash)) * (1 + 0x1p-20);
    opic->paid = 0;
    opic->lost = opic->proof_sweeps = 0;
}

static void settle_new_pages(struct mr_opic *opic, const struct merging *merging)
{
    struct mr_opic_merge *merge = merging->merge;
    const bool to_targets = opic->options.payout == MR_OPIC_PAY_TARGETS;
    const uint64_t before = opic->virtual_cash;
    uint64_t n_paid = 0;

    if (merge->added == 0) {
        return;
    }
    if (mr_opic_new_get_average(&opic->options) && merging->n_recent > 0) {
        merge->added_history = merging->recent_history / (double)merging->n_recent;
    }
    for (uint64_t v = 0; v < opic->info->n_vertices; v++) {
        if ((opic->flags[v] & OPIC_NEW) == 0) {
            opic->flags[v] &= (uint8_t)~OPIC_RECENT;
            continue;
        }
        opic->flags[v] |= OPIC_RECENT;
        opic->history[v] = merge->added_history;
        n_paid += !to_targets || (opic->flags[v] & OPIC_TARGET) != 0;
    }
    mr_opic_inject(opic, n_paid, false);
    merge->added_cash = (double)(before - opic->virtual_cash) * 0x1p-62;
}

enum mr_status mr_opic_load(struct mr_opic *opic, struct mr_name_table_reader *reader,
                            struct mr_names *names, mr_name_key key, struct mr_opic_merge *merge,
                            struct mr_error *err)
{
    const uint8_t *head = mr_name_table_head(reader);
    const uint64_t n = opic->info->n_vertices;
    struct merging merging = {.opic = opic, .merge = merge};
    bool is_proof = false;

    memset(merge, 0, sizeof *merge);
    memset(opic->cash, 0, n * sizeof *opic->cash);
    memset(opic->history, 0, n * sizeof *opic->history);
    for (uint64_t v = 0; v < n; v++) {
        opic->flags[v] &= (uint8_t) ~(OPIC_VISITED | OPIC_RECENT | OPIC_NEW);
    }
    opic->n_visited = 0;
    enum mr_status status = read_head(opic, head, &is_proof, err);
    if (status == MR_OK) {
        merging.cash = opic->virtual_cash;
        merging.same_clock = mr_get_u64(head + AT_CLOCK_KIND) == (uint64_t)opic->clock_kind;
        merge->other_clock = !merging.same_clock;
        status = mr_name_table_merge(opic->context, reader, names, opic->info, key, merge_row,
                                     &merging, err);
    }
    if (status == MR_OK) {
        status = merging.cash != MR_OPIC_TOTAL
                     ? damaged("cash is less than the total", err)
                     : check_history(head, mr_sum_value(&merging.history),
                                     merging.cash - mr_get_u64(head + AT_VIRTUAL_CASH), err);
    }
    if (status != MR_OK) {
        return status;
    }
    merge->unchanged = is_proof && merge->added == 0 && merge->vanished == 0;
    settle_new_pages(opic, &merging);
    if (!merge->unchanged) {
        forget(opic);
        begin_proof(opic);
    }
    return MR_OK;
}
