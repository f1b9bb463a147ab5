/* Decoding where there is no instruction that spreads bytes: sixteen numbers a step, their ends found in
 * one word of continuation bits. Included by a keys_X.c after it defined load32(in) and
 * continuations(in, &count), whose bit i says that byte in[i] is not the last one of its number (i < 64),
 * with how many of these bits are set. */

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
    unsigned n_more;
    const uint64_t more = continuations(in, &n_more);
    uint32_t key = state->previous;
    if (count == 16 && (more & 0xffff) == 0) { /* sixteen numbers of one byte */
        for (unsigned i = 0; i < 16; i++) {
            out[i] = key += in[i];
        }
        *state = (struct keys_state){.in = in + 16, .previous = key};
        return true;
    }
    /* Four continuations in a row, or more of them than leave `count` ends: somewhere, perhaps behind the
     * numbers wanted. */
    const uint64_t more2 = more & (more >> 1);
    if ((more2 & (more2 >> 2)) != 0 || n_more > 64 - count) {
        struct keys_state copy = *state; /* so that `state` stays in registers */
        const bool is_good = step_long(&copy, count, out);
        *state = copy;
        return is_good;
    }
    uint32_t words[16];
    uint64_t ends = ~more;
    unsigned start = 0;
    for (unsigned i = 0; i < count; i++) {
        words[i] = load32(in + start);
        start = (unsigned)__builtin_ctzll(ends) + 1;
        ends &= ends - 1;
    }
    /* Cut off behind the first byte without a continuation bit; join the 7-bit groups. */
    for (unsigned i = 0; i < 16; i++) {
        const uint32_t stops = ~words[i] & 0x80808080;
        const uint32_t groups = words[i] & (stops ^ (stops - 1)) & 0x7f7f7f7f;
        const uint32_t halves = (groups & 0x007f007f) | ((groups & 0x7f007f00) >> 1);
        words[i] = (halves & 0x3fff) | ((halves >> 16) << 14);
    }
    for (unsigned i = 0; i < count; i++) {
        out[i] = key += words[i];
    }
    *state = (struct keys_state){.in = in + start, .previous = key};
    return true;
}
