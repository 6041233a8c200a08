/* The rows that every peer generates, and the checksum over the rows read. */
#include "peer.h"

#include <stdlib.h>
#include <string.h>

static const char alphabet[64] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789 -";

/* splitmix64 */
uint64_t draw(uint64_t *state) {
    uint64_t z = *state += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

void *allocate(size_t size) {
    void *memory = malloc(size ? size : 1);
    if (!memory) die(NULL, "out of memory");
    return memory;
}

static char *make_text(uint64_t *state, int *count) {
    *count = 16 + (int)(draw(state) % 25);
    char *text = allocate((size_t)*count + 1);
    uint64_t bits = 0;
    for (int index = 0; index < *count; index++) {
        if (index % 8 == 0) bits = draw(state);
        text[index] = alphabet[bits >> (8 * (index % 8)) & 63];
    }
    text[*count] = 0;
    return text;
}

static void put_words(uint64_t *state, unsigned char *bytes, size_t count) {
    for (size_t index = 0; index < count; index += 8) {
        uint64_t word = draw(state);
        for (int byte = 0; byte < 8; byte++) bytes[index + byte] = (unsigned char)(word >> (8 * byte));
    }
}

struct record *make_records(int64_t count) {
    struct record *records = allocate((size_t)count * sizeof *records);
    for (int64_t index = 0; index < count; index++) {
        struct record *record = &records[index];
        record->id = index + 1;
        uint64_t state = (uint64_t)record->id;
        record->a = (int64_t)(draw(&state) >> 56);
        record->b = (int64_t)(draw(&state) >> 48);
        record->c = (int64_t)(draw(&state) >> 33);
        record->d = (int64_t)draw(&state);
        record->ratio = (double)(draw(&state) >> 11) * 0x1p-53;
        record->first = make_text(&state, &record->first_count);
        record->second = make_text(&state, &record->second_count);
        record->bytes_count = BLOB_BYTES;
        record->bytes = allocate(BLOB_BYTES);
        put_words(&state, record->bytes, BLOB_BYTES);
    }
    return records;
}

int64_t *make_keys(int64_t count, int64_t rows) {
    int64_t *keys = allocate((size_t)count * sizeof *keys);
    uint64_t state = 0x6C6F636B73746570u;
    for (int64_t index = 0; index < count; index++) {
        keys[index] = 1 + (int64_t)(draw(&state) % (uint64_t)rows);
    }
    return keys;
}

unsigned char *make_chunks(void) {
    unsigned char *chunks = allocate((size_t)CHUNK_KINDS * CHUNK_BYTES);
    for (int kind = 0; kind < CHUNK_KINDS; kind++) {
        uint64_t state = (uint64_t)kind;
        put_words(&state, chunks + (size_t)kind * CHUNK_BYTES, CHUNK_BYTES);
    }
    return chunks;
}

/* FNV-1a of 64 bits. */
uint64_t hash_start(void) { return 0xCBF29CE484222325u; }

void hash_bytes(uint64_t *hash, const void *bytes, size_t count) {
    const unsigned char *position = bytes;
    for (size_t index = 0; index < count; index++) {
        *hash = (*hash ^ position[index]) * 0x100000001B3u;
    }
}

static void hash_word(uint64_t *hash, uint64_t word) {
    unsigned char bytes[8];
    for (int byte = 0; byte < 8; byte++) bytes[byte] = (unsigned char)(word >> (8 * byte));
    hash_bytes(hash, bytes, 8);
}

void hash_record(uint64_t *hash, const struct record *record) {
    uint64_t ratio;
    memcpy(&ratio, &record->ratio, sizeof ratio);
    hash_word(hash, (uint64_t)record->id);
    hash_word(hash, (uint64_t)record->a);
    hash_word(hash, (uint64_t)record->b);
    hash_word(hash, (uint64_t)record->c);
    hash_word(hash, (uint64_t)record->d);
    hash_word(hash, ratio);
    hash_word(hash, (uint64_t)record->first_count);
    hash_bytes(hash, record->first, (size_t)record->first_count);
    hash_word(hash, (uint64_t)record->second_count);
    hash_bytes(hash, record->second, (size_t)record->second_count);
    hash_word(hash, (uint64_t)record->bytes_count);
    hash_bytes(hash, record->bytes, (size_t)record->bytes_count);
}
