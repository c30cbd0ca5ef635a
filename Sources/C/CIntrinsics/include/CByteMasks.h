// Which of 64 bytes end fields and lines, as bits. Swift's vectors have no instruction that makes bits of a comparison.

#ifndef CBYTEMASKS_H
#define CBYTEMASKS_H

#include <stdbool.h>
#include <stdint.h>

/// Bit i is for byte i.
typedef struct cdp_table_marks {
  uint64_t separators;
  /// Line feeds and carriage returns.
  uint64_t line_ends;
  uint64_t quotes;
} cdp_table_marks;

typedef uint8_t cdp_bytes64 __attribute__((ext_vector_type(64)));
typedef bool cdp_bits64 __attribute__((ext_vector_type(64)));

/// The lowest bit of each byte.
static inline uint64_t cdp_bits_of(const cdp_bytes64 *bytes) {
  cdp_bits64 bits = __builtin_convertvector(*bytes, cdp_bits64);
  uint64_t word;
  __builtin_memcpy(&word, &bits, sizeof word);
  return word;
}

/// Finds the bytes that a table's syntax consists of among the 64 at `bytes`, at any alignment; quotes only if it has them.
static inline cdp_table_marks cdp_find_table_marks(const void *bytes, uint8_t separator, bool has_quotes) {
  cdp_bytes64 block;
  __builtin_memcpy(&block, bytes, sizeof block);
  cdp_bytes64 separators = (cdp_bytes64)(block == separator);
  cdp_bytes64 line_ends = (cdp_bytes64)((block == '\n') | (block == '\r'));
  cdp_table_marks marks = {cdp_bits_of(&separators), cdp_bits_of(&line_ends), 0};
  if (has_quotes) {
    cdp_bytes64 quotes = (cdp_bytes64)(block == '"');
    marks.quotes = cdp_bits_of(&quotes);
  }
  return marks;
}

#endif
