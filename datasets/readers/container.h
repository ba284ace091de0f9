/* The parts of a file and their checksums, for weights.c, as ../formats.md defines them. */
static uint8_t *file; /* with 64 zeros after its end */
static uint64_t file_size, place;

static void check(int good, const char *problem) {
    if (!good) fprintf(stderr, "near byte %llu: %s\n", (unsigned long long)place, problem), exit(2);
}
/* n bytes as a number, the lowest first */
static uint64_t number(const uint8_t *at, int n) { return n ? *at | number(at + 1, n - 1) << 8 : 0; }
static uint8_t *take(uint64_t bytes) { /* the next part of the file, which its checksum follows */
    check(bytes < file_size && bytes + 4 <= file_size - place, "the file is cut short");
    uint8_t *part = file + place;
    uint32_t crc = ~0u;
    for (uint64_t bit = 0; bit < 8 * bytes; bit++)
        crc = crc >> 1 ^ ((crc ^ part[bit / 8] >> bit % 8) & 1) * 0xEDB88320u;
    place += bytes + 4;
    check((uint32_t)~crc == number(part + bytes, 4), "the checksum is wrong");
    return part;
}
