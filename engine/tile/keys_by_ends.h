/* SPDX-License-Identifier: Apache-2.0 */
/* Decodes keys on machines without an instruction that spreads bytes: sixteen numbers a step.
 * First, one bit per byte says where numbers end. The step takes off these ends one by one and
 * loads each number as a whole into a lane of a vector. In all lanes of a vector together it then
 * cuts off the bytes behind the number, joins the 7-bit groups and makes the prefix sum. A
 * byte-by-byte loop would mispredict at every other number: 3.7-4.0 ns per key on scrambled
 * Kronecker graphs. A keys_X.c includes this file after it has defined
 *
 *     LANES, lanes           a vector of 4 uint32_t
 *     load32(in), load64(in) little-endian
 *     find_64_ends(in, ends) bit i of ends[8]: in[i] is the last byte of its number
 *     nth_end(ends, n)       a word whose lowest set bit is the n-th (1..16) of `ends`; 0: too few
 */

enum { KEYS_WINDOW = 2048 }; /* bytes whose ends are found at a time */

struct keys_state {
    const uint8_t *in;
    uintptr_t base; /* in - base <= KEYS_WINDOW - 64, except before the first step */
    lanes carry; /* the previous key, in every lane */
    uint8_t ends[KEYS_WINDOW / 8];
};

ALWAYS_INLINE void keys_begin(struct keys_state *state, const uint8_t *in, uint32_t previous)
{
    state->in = in;
    state->base = (uintptr_t)in - KEYS_WINDOW;
    state->carry = (lanes){0} + previous;
}

static __attribute__((noinline)) void find_ends(const uint8_t *in, const uint8_t *end,
                                                uint8_t *ends)
{
    for (unsigned i = 0; i < KEYS_WINDOW / 8 && in < end + 64; i += 8, in += 64) {
        find_64_ends(in, ends + i);
    }
}

/* Each lane becomes the sum of the lanes up to it. */
ALWAYS_INLINE lanes prefix_sum(lanes v)
{
    const lanes zero = {0};
    v += SHUFFLE(lanes, v, zero, 4, 0, 1, 2);
    v += SHUFFLE(lanes, v, zero, 4, 4, 0, 1);
    return v;
}

ALWAYS_INLINE lanes last_lane(lanes v)
{
    return (lanes){0} + v[LANES - 1];
}

/* Join the two 14-bit numbers of each lane to one of 28 bits. */
ALWAYS_INLINE lanes join_halves(lanes halves)
{
    return (halves & 0x3fff) | ((halves >> 16) << 14);
}

/* Each lane holds four bytes of the stream; turn them into the number of up to 28 bits that they
 * begin with. */
ALWAYS_INLINE lanes join_groups(lanes words)
{
    const lanes stops = ~words & 0x80808080;
    const lanes groups = words & (stops ^ (stops - 1)) & 0x7f7f7f7f;
    return join_halves((groups & 0x007f007f) | ((groups & 0x7f007f00) >> 1));
}

/* Spread one-byte numbers to lanes. */
ALWAYS_INLINE lanes spread(const uint8_t *in)
{
    typedef uint8_t some_bytes __attribute__((vector_size(LANES)));
    some_bytes bytes;
    memcpy(&bytes, in, sizeof bytes);
    return __builtin_convertvector(bytes, lanes);
}

/* Load the number at `start` and the numbers behind the next ends. Bits of `beyond` serve as ends
 * where there are no more. */
ALWAYS_INLINE lanes load_words(const uint8_t *in, unsigned *start, uint64_t *ends, uint64_t beyond)
{
    uint32_t words[LANES];
    for (unsigned i = 0; i < LANES; i++) {
        words[i] = load32(in + *start);
        *start = (unsigned)__builtin_ctzll(*ends | beyond) + 1;
        *ends &= *ends - 1;
    }
    return (lanes){words[0], words[1], words[2], words[3]};
}

ALWAYS_INLINE void put_keys(lanes numbers, struct keys_state *state, uint32_t *out)
{
    const lanes keys = prefix_sum(numbers) + state->carry;
    state->carry = last_lane(keys);
    memcpy(out, &keys, sizeof keys);
}

/* Decode one number of up to five bytes; false when it has more than 32 bits. */
static inline bool decode_one(const uint8_t **in, uint32_t *value)
{
    uint32_t result = 0;
    for (unsigned shift = 0; shift < 35; shift += 7) {
        const uint8_t byte = *(*in)++;
        if (shift == 28 && byte > 0x0f) {
            return false;
        }
        result |= (uint32_t)(byte & 0x7f) << shift;
        if (byte < 0x80) {
            *value = result;
            return true;
        }
    }
    return false;
}

/* The rare step: some number has five bytes or is too long, or 64 bytes hold fewer than sixteen
 * numbers. Writes `numbers` and returns the position behind them; NULL when one has more than 32
 * bits. */
static __attribute__((noinline)) const uint8_t *step_long(const uint8_t *in, unsigned count,
                                                          uint32_t *numbers)
{
    for (unsigned i = 0; i < count; i++) {
        if (!decode_one(&in, numbers + i)) {
            return NULL;
        }
    }
    return in;
}

ALWAYS_INLINE bool keys_step(struct keys_state *state, const uint8_t *end, unsigned count,
                             uint32_t *out)
{
    size_t at = (uintptr_t)state->in - state->base;
    if (at > KEYS_WINDOW - 64) {
        find_ends(state->in, end, state->ends);
        state->base = (uintptr_t)state->in;
        at = 0;
    }
    const uint8_t *in = state->in;
    /* 57 to 64 valid bits, zeros above */
    const uint64_t ends = load64(state->ends + at / 8) >> at % 8;
    if (count == 16 && (ends & 0xffff) == 0xffff) { /* sixteen numbers of one byte */
        for (unsigned i = 0; i < 16; i += LANES) {
            put_keys(spread(in + i), state, out + i);
        }
        state->in = in + 16;
        return true;
    }
    /* Compute the next position first, because the next step waits for it. */
    const uint64_t last = nth_end(ends, count);
    const uint64_t used = last ^ (last - 1), more = ~ends & used;
    const uint64_t more2 = more & (more >> 1);
    if (last == 0 || (more2 & (more2 >> 2)) != 0) {
        uint32_t numbers[16] = {0};
        state->in = step_long(in, count, numbers);
        for (unsigned i = 0; i < 16; i += LANES) {
            lanes some;
            memcpy(&some, numbers + i, sizeof some);
            put_keys(some, state, out + i);
        }
        return state->in != NULL;
    }
    uint64_t left = ends;
    const uint64_t beyond = count == 16 ? 0 : UINT64_C(1) << 63;
    unsigned start = 0;
    for (unsigned i = 0; i < count; i += LANES) {
        put_keys(join_groups(load_words(in, &start, &left, beyond)), state, out + i);
    }
    state->in = in + (unsigned)__builtin_ctzll(last) + 1;
    return true;
}
