/* Sections that say what changes from phase to phase, for weights.c, as ../formats.md defines them. */

/* Turns changes, in a plane of low and one of high bytes, into weights; `before` are those of the phase before. */
static void add_changes(uint8_t *content, int parameters, const uint8_t *before) {
    uint8_t *weights = calloc(parameters, 2);
    for (int n = 0; n < parameters; n++) {
        int word = content[n] | content[parameters + n] << 8, change = word >> 1 ^ -(word & 1);
        change += before ? (int)number(before + 2 * n, 2) : 0;
        weights[2 * n] = (uint8_t)change, weights[2 * n + 1] = (uint8_t)(change >> 8);
    }
    memcpy(content, weights, 2u * parameters), free(weights);
}
