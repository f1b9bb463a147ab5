/* Values of the vertices that have links, without gaps.
 *
 * Half of the vertices of a Kronecker graph have no links, and of a crawl those that were seen and
 * not fetched. A band of kron-24 reads 2^16 values of a stripe for 15,900 links: 16 bytes a link,
 * four times what the links take, half of it values that no link asks for. So where links are
 * decoded to stay, their sources are numbered anew in each stripe, passing over those without
 * links, and a run begins by bringing x into that order. Relaxing runs keep it so: new values of a
 * band are packed when it is finished, next to where they wait to be committed.
 *
 * Where the store is undirected, vertices without links are nobody's targets either. There targets
 * have the numbers of sources, counted on over the band, so that the sums of a segment take half of
 * the cache as well: passes over kron-24 take 12% less for it, relaxing ones over kron-22 6%.
 * Before links of the diagonal are added the sums go to the places that the vertices have.
 *
 * Links of the diagonal keep the numbers they have, since sweeps want sources and targets numbered
 * alike, and corner tiles theirs. The additions and their order stay what they are. Where vertices
 * have several values, each has a line of cache of its own, or nearly, and gaps are not read:
 * personalised ranks of 8 vertices on kron-22 took 4 to 14% longer. */
#include <string.h>

#include "engine/base/bytes.h"
#include "engine/base/memory.h"
#include "engine/pass/internal.h"

/* Worth it where a pass leaves out so many values for each vertex, whose value a run has to bring
 * into order. On kron-22 it leaves out 27 and takes 1.2 times less, on kron-24 60 and 1.3 times, on
 * kron-20, whose values stay in cache, 6 and takes as long; on a crawl of which most links are on
 * the diagonal 7 and took 10% longer. */
enum { WORTH = 16 };

/* Values in a line of cache: fewer links than lines leave some of a stripe unread. */
enum { LINE_VALUES = 16 };

/* The number of a vertex without links. */
#define NO_LINKS UINT32_MAX

static bool is_worth_packing(const struct mr_store_info *info)
{
    const uint64_t most = info->keys_tiles << info->stripe_bits;
    const uint64_t n_links =
        info->keys_edges - mr_min_u64(info->keys_edges, info->n_diagonal_edges);
    const double read = (double)mr_min_u64(most, LINE_VALUES * n_links);
    const double n_vertices = (double)info->n_vertices;
    return info->n_dangling < info->n_vertices &&
           read * (double)info->n_dangling / n_vertices >= WORTH * n_vertices;
}

static uint64_t n_values(const struct mr_pass *pass)
{
    return pass->packed.first[mr_pass_stripes(pass->info)];
}

/* Of any type. */
#define VALUE_BYTES_MOST sizeof(double)

/* Stripes [*first, *end) of a band. */
static void stripes_of(const struct mr_pass *pass, uint32_t band, uint64_t *first, uint64_t *end)
{
    const unsigned bits = pass->info->band_bits - pass->info->stripe_bits;
    *first = (uint64_t)band << bits;
    *end = ((uint64_t)band + 1) << bits;
}

/* What mr_packed_create charges, at most. */
static uint64_t memory_of(const struct mr_pass *pass)
{
    const struct mr_store_info *info = pass->info;
    const uint64_t n = mr_pass_vector_length(info);
    return n / 8 + (n + mr_pass_stripes(info) + 1) * sizeof(uint32_t) +
           (info->n_vertices - info->n_dangling) * VALUE_BYTES_MOST;
}

/* Number the vertices that have links. */
static void number(struct mr_pass *pass)
{
    struct pass_packed *packed = &pass->packed;
    const uint64_t n_stripes = mr_pass_stripes(pass->info);
    const uint64_t width = (uint64_t)1 << pass->info->stripe_bits;
    uint32_t n = 0;
    for (uint64_t stripe = 0; stripe < n_stripes; stripe++) {
        packed->first[stripe] = n;
        for (uint64_t v = stripe * width; v < (stripe + 1) * width; v++) {
            const bool has_links = pass->out_degrees[v] != 0;
            packed->has_links[v / 64] |= (uint64_t)has_links << v % 64;
            packed->numbers[v] = has_links ? n : NO_LINKS;
            n += has_links;
        }
    }
    packed->first[n_stripes] = n;
}

static enum mr_status allocate(struct mr_pass *pass, uint64_t bytes, void *out,
                               struct mr_error *err)
{
    void *pointer = NULL;
    enum mr_status status =
        mr_memory_alloc(pass->context->memory, "packed values", bytes, &pointer, err);
    memcpy(out, &pointer, sizeof pointer);
    return status;
}

enum mr_status mr_packed_create(struct mr_pass *pass, uint64_t *available, struct mr_error *err)
{
    struct pass_packed *packed = &pass->packed;
    const struct mr_store_info *info = pass->info;
    const uint64_t n = mr_pass_vector_length(info);
    if (pass->out_degrees == NULL || pass->options.width > 1 || !is_worth_packing(info) ||
        memory_of(pass) > *available) {
        return MR_OK;
    }
    *available -= memory_of(pass);
    enum mr_status status = allocate(pass, n / 8, &packed->has_links, err);
    if (status == MR_OK) {
        status = allocate(pass, n * sizeof *packed->numbers, &packed->numbers, err);
    }
    if (status == MR_OK) {
        status = allocate(pass, (mr_pass_stripes(info) + 1) * sizeof *packed->first, &packed->first,
                          err);
    }
    if (status != MR_OK) {
        return status;
    }
    number(pass);
    packed->has_targets = info->undirected && info->corners.edges == 0;
    if (n_values(pass) != info->n_vertices - info->n_dangling) {
        return mr_error_file(err, MR_ERROR_CORRUPT,
                             mr_file_path(mr_store_degrees_location(pass->store).file), 0,
                             "has not as many pages with links as the index; the store is "
                             "damaged: build it again");
    }
    const uint64_t bytes = n_values(pass) * VALUE_BYTES_MOST;
    status = allocate(pass, bytes, &packed->values, err);
    pass->figures.packed_bytes = bytes;
    return status;
}

void mr_packed_end_numbering(struct mr_pass *pass)
{
    mr_memory_free(pass->context->memory, pass->packed.numbers);
    pass->packed.numbers = NULL;
}

void mr_packed_destroy(struct mr_pass *pass)
{
    struct mr_memory *memory = pass->context->memory;
    mr_memory_free(memory, pass->packed.values);
    mr_memory_free(memory, pass->packed.first);
    mr_memory_free(memory, pass->packed.numbers);
    mr_memory_free(memory, pass->packed.has_links);
}

bool mr_packed_keys(const struct mr_pass *pass, uint32_t band, uint32_t stripe, uint32_t *keys,
                    uint32_t n_keys)
{
    const struct pass_packed *packed = &pass->packed;
    const unsigned bits = pass->info->band_bits, stripe_bits = pass->info->stripe_bits;
    const uint32_t targets = (1u << bits) - 1, sources = (1u << stripe_bits) - 1;
    const uint32_t *of_sources = packed->numbers + ((size_t)stripe << stripe_bits);
    const uint32_t *of_targets = packed->numbers + ((size_t)band << bits);
    const uint32_t first_source = packed->first[stripe];
    const uint32_t first_target = packed->first[(size_t)band << (bits - stripe_bits)];
    bool is_good = true;
    for (uint32_t i = 0; i < n_keys; i++) {
        const uint32_t source = of_sources[keys[i] >> bits & sources];
        uint32_t target = keys[i] & targets;
        if (packed->has_targets) {
            target = of_targets[target];
            is_good &= target != NO_LINKS;
            target -= first_target;
        }
        is_good &= source != NO_LINKS;
        keys[i] = (source - first_source) << bits | (target & targets);
    }
    return is_good;
}

/* Sums are moved as they are. */
typedef uint64_t any_sum;
_Static_assert(sizeof(any_sum) == sizeof(double), "sums have 8 bytes");

static const uint64_t *links_of_band(const struct mr_pass *pass, uint32_t band)
{
    return pass->packed.has_links + ((size_t)band << pass->info->band_bits) / 64;
}

void mr_packed_scatter_sums(const struct mr_pass *pass, uint32_t band, void *sums)
{
    const uint64_t *has_links = links_of_band(pass, band);
    const size_t bytes = sizeof(any_sum);
    uint64_t first, end;
    stripes_of(pass, band, &first, &end);
    const uint8_t *from =
        (uint8_t *)sums + (pass->packed.first[end] - pass->packed.first[first]) * bytes;
    uint8_t *to = (uint8_t *)sums + pass->band_width * bytes;
    for (uint64_t i = pass->band_width / 64; i-- > 0;) {
        for (uint64_t left = has_links[i], k = 0; k < 64; k++, left <<= 1) {
            const uint64_t has = left >> 63;
            any_sum sum;
            from -= has * bytes;
            memcpy(&sum, from, bytes); /* without links, one that is not looked at */
            sum &= -has;
            memcpy(to -= bytes, &sum, bytes);
        }
    }
}

/* Values of those of 64 * n_words vertices that have links, to `out`. */
static inline __attribute__((always_inline)) void pack_words(const uint64_t *has_links,
                                                             uint64_t n_words, const uint8_t *x,
                                                             size_t bytes, uint8_t *out)
{
    for (uint64_t i = 0; i < n_words; i++, x += 64 * bytes) {
        for (uint64_t left = has_links[i]; left != 0; left &= left - 1, out += bytes) {
            memcpy(out, x + (size_t)__builtin_ctzll(left) * bytes, bytes);
        }
    }
}

static uint64_t bytes_of(const struct mr_pass *pass, uint64_t first, uint64_t end)
{
    return (pass->packed.first[end] - pass->packed.first[first]) * pass->vertex_bytes;
}

void mr_packed_stripe(const struct mr_pass *pass, uint64_t stripe)
{
    const unsigned bits = pass->info->stripe_bits;
    const uint64_t *has_links = pass->packed.has_links + (stripe << bits) / 64;
    const uint64_t n_words = (uint64_t)1 << bits >> 6;
    const uint8_t *x = (const uint8_t *)pass->run->x + (pass->vertex_bytes << bits) * stripe;
    uint8_t *out = pass->packed.values + bytes_of(pass, 0, stripe);
    if (pass->vertex_bytes == sizeof(float)) {
        pack_words(has_links, n_words, x, sizeof(float), out);
    } else {
        pack_words(has_links, n_words, x, sizeof(double), out);
    }
}

void mr_packed_begin(const struct mr_pass *pass, unsigned thread, unsigned n_threads)
{
    const struct mr_pass_task *run = pass->run;
    const uint64_t n_stripes = mr_pass_stripes(pass->info);
    for (uint64_t stripe = thread; stripe < n_stripes; stripe += n_threads) {
        if (run->active_stripes == NULL || run->active_stripes[stripe] != 0) {
            mr_packed_stripe(pass, stripe);
        } else {
            memset(pass->packed.values + bytes_of(pass, 0, stripe), 0,
                   bytes_of(pass, stripe, stripe + 1));
        }
    }
}

const void *mr_packed_values(const struct mr_pass *pass, uint32_t stripe)
{
    return pass->packed.values + bytes_of(pass, 0, stripe);
}

uint64_t mr_packed_bytes(const struct mr_pass *pass, uint32_t stripe)
{
    return bytes_of(pass, stripe, (uint64_t)stripe + 1);
}
