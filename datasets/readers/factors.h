/* Factors, for weights.c: what patterns say together, as ../formats.md defines it. */
static int dimensions, shared_by;  /* factors of each parameter, 0 without; phases that share them */
static int8_t *groups[60];         /* the factors of a group of phases, one parameter after another */

static void read_shape(const char *pattern_set) { /* the keys stand in this very form */
    if (!(pattern_set = strstr(pattern_set, "\n[factors]\n"))) return;
    int found = sscanf(pattern_set, " [factors] dimensions = %d phases = %d", &dimensions, &shared_by);
    int valid = dimensions >= 8 && dimensions <= 128 && !(dimensions & (dimensions - 1));
    check(found == 2 && valid && shared_by > 0 && shared_by <= 60, "unknown factors");
}
/* Whether a section is a group's; then it is kept. */
static int is_group(const char *name, uint64_t size, char *content, int parameters) {
    unsigned group = 60;
    if (!dimensions || sscanf(name, "factors %2u", &group) != 1) return 0;
    check(group * shared_by < 60, "factors of a group that there is not");
    check(size == (uint64_t)dimensions * parameters, "factors of another pattern set");
    free(groups[group]), groups[group] = (int8_t *)content;
    return 1;
}
/* Adds what a parameter has, in units of a share: 8 divided by the symmetries of its pattern. */
static void add_factors(int *sum, int phase, int parameter, int share) {
    for (int d = 0; d < dimensions; d++)
        sum[d] += share * groups[phase / shared_by][dimensions * parameter + d];
}
/* Half the squares of the first half of the sum, less half those of the second half, in 1/32 disc. */
static int together(const int *sum) {
    int64_t squares = 0;
    for (int d = 0; d < dimensions; d++)
        squares += (2 * d < dimensions ? 1 : -1) * (int64_t)(sum[d] / 8) * (sum[d] / 8);
    return (int)((squares + 128 + ((int64_t)1 << 40)) / 256 - ((int64_t)1 << 32));
}
