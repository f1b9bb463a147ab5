/* Decoding where there is no instruction that spreads bytes: sixteen numbers a step, their ends found in
 * one word of continuation bits. Included by a keys_X.c after it defined load32, load64 and
 * continuations(in), whose bit i says that byte in[i] is not the last one of its number (i < 64). */

struct keys_state {
    const uint8_t *in;
    uint32_t previous;
};

ALWAYS_INLINE void keys_begin(struct keys_state *state, const uint8_t *in, uint32_t previous)
{
    *state = (struct keys_state){.in = in, .previous = previous};
}

/* One number of up to five bytes; false when it has more than 32 bits. */
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

/* Numbers of five bytes, or too long. */
static __attribute__((noinline)) bool step_long(struct keys_state *state, unsigned count,
                                                uint32_t *out)
{
    for (unsigned i = 0; i < count; i++) {
        uint32_t difference;
        if (!decode_one(&state->in, &difference)) {
            return false;
        }
        out[i] = state->previous += difference;
    }
    return true;
}

ALWAYS_INLINE bool keys_step(struct keys_state *state, const uint8_t *end, unsigned count,
                             uint32_t *out)
{
    (void)end; /* 64 bytes from state->in on are there */
    const uint8_t *in = state->in;
    const uint64_t more = continuations(in);
    uint32_t key = state->previous;
    if (count == 16 && (more & 0xffff) == 0) { /* sixteen numbers of one byte */
        for (unsigned i = 0; i < 16; i++) {
            out[i] = key += in[i];
        }
        *state = (struct keys_state){.in = in + 16, .previous = key};
        return true;
    }
    /* Four continuations in a row, or fewer than `count` ends: somewhere, perhaps behind the numbers
     * wanted. */
    const uint64_t more2 = more & (more >> 1);
    uint64_t ends = ~more;
    if ((more2 & (more2 >> 2)) != 0 || (unsigned)__builtin_popcountll(ends) < count) {
        struct keys_state copy = *state; /* so that `state` stays in registers */
        const bool is_good = step_long(&copy, count, out);
        *state = copy;
        return is_good;
    }
    uint32_t groups[16];
    unsigned start = 0;
    for (unsigned i = 0; i < count; i++) {
        const unsigned next = (unsigned)__builtin_ctzll(ends) + 1;
        ends &= ends - 1;
        groups[i] = load32(in + start) & (UINT32_MAX >> (8 * (start + 4 - next)));
        start = next;
    }
    for (unsigned i = 0; i < 16; i++) {
        const uint32_t halves = (groups[i] & 0x007f007f) | ((groups[i] & 0x7f007f00) >> 1);
        groups[i] = (halves & 0x3fff) | ((halves >> 16) << 14);
    }
    for (unsigned i = 0; i < count; i++) {
        out[i] = key += groups[i];
    }
    *state = (struct keys_state){.in = in + start, .previous = key};
    return true;
}
