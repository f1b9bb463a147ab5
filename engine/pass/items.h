/* SPDX-License-Identifier: Apache-2.0 */
/* What a unit of a pass reads, in order, and the claims ahead that keep its queue full. Internal to
 * the pass: the reading and the computing side walk the same sequence of items, each with its own
 * cursor. */
#ifndef MR_ENGINE_PASS_ITEMS_H
#define MR_ENGINE_PASS_ITEMS_H

#include "engine/pass/internal.h"

/* What a unit reads, in order: its segment's blocks, then with the last unit of a band the blocks
 * of the diagonal and the degrees asked for. */
enum item_kind { ITEM_LINKS, ITEM_DIAGONAL, ITEM_OUT_DEGREES, ITEM_IN_DEGREES, N_ITEM_KINDS };

struct item {
    enum item_kind kind;
    const struct mr_block_entry *entry;
    const uint8_t *pinned; /* NULL: from the queue */
    uint64_t n_bytes; /* there */
    bool is_decoded; /* pinned as tiles that are decoded already */
};

struct item_cursor {
    enum item_kind kind;
    uint64_t next; /* block in its file */
    uint64_t n_idle; /* blocks passed over so far */
    bool is_started;
};

struct claim {
    struct pass_unit unit;
    struct item_cursor read; /* pushed to the queue so far */
};

/* A pass begins with so many reads in flight per thread, and with each block that arrives there may
 * be one more, as far as the queue goes. Disks may say in bursts that reads are done: with all of a
 * small store asked for at once its first blocks come late. cnr-2000, 1.2 MB: cold passes take 7%
 * less, of keys alone, 4 MB, 16%; kron-22, 287 MB: no difference. */
enum { READS_AT_FIRST = 2 };

/* The units this worker holds: claim[0] is computed, the others only read. */
struct claims {
    struct claim claim[CLAIMS_AHEAD];
    unsigned count;
    unsigned reading; /* index of the one whose blocks are pushed next; count: none left to push */
    bool exhausted;
    unsigned window; /* reads in flight at most, never fewer than there are; see READS_AT_FIRST */
};

/* The next item of `unit`, or false. Blocks that are idle in this run are passed over. */
bool mr_items_next(const struct mr_pass *pass, const struct pass_unit *unit,
                   struct item_cursor *cursor, struct item *item);

/* The file of an item, and the graph it belongs to. */
struct mr_block_location mr_item_location(const struct mr_pass *pass, const struct item *item);

/* Keep the queue full: push the blocks of the units held, claiming ahead when they run out. */
enum mr_status mr_items_read(struct pass_worker *worker, struct claims *claims,
                             struct mr_error *err) MR_WARN_UNUSED;

/* Bytes of an item, verified and decompressed, until the next is opened; of decoded links the tiles
 * (mr_decoded_head), header->raw_bytes is then not set. Waits for the disk. Errors: CORRUPT,
 * RUNTIME, INTERRUPTED. */
enum mr_status mr_items_open(struct pass_worker *worker, struct claims *claims,
                             const struct item *item, uint32_t band, struct mr_block_header *header,
                             const uint8_t **raw, struct mr_error *err) MR_WARN_UNUSED;

/* Where the item behind `cursor` is or will be, in the unit that is computed or in the one claimed
 * next; false: nobody knows. */
bool mr_items_ahead(const struct pass_worker *worker, const struct claims *claims,
                    struct item_cursor cursor, struct item *item);

#endif
