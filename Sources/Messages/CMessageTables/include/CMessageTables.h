// Facts about characters that folding a text needs, as tables; MessageTables.c is generated.
//
// Not for: a phone. Compiled rules hold what they need of them.

#ifndef CMESSAGETABLES_H
#define CMESSAGETABLES_H

#include <stdint.h>

/// One step of each decomposition: the scalars in order, where their targets begin (one more for the end), and the
/// kinds: 0 canonical, 1 width, 2 another compatibility form.
extern const uint32_t cmt_decomposition_count;
extern const uint32_t cmt_decomposition_scalars[];
extern const uint16_t cmt_decomposition_starts[];
extern const uint32_t cmt_decomposition_targets[];
extern const uint8_t cmt_decomposition_kinds[];

/// Full case folding, in the same form.
extern const uint32_t cmt_folding_count;
extern const uint32_t cmt_folding_scalars[];
extern const uint16_t cmt_folding_starts[];
extern const uint32_t cmt_folding_targets[];

/// Characters that are a number from 0 to 50, besides ASCII's digits.
extern const uint32_t cmt_digit_count;
extern const uint32_t cmt_digit_scalars[];
extern const uint8_t cmt_digit_values[];

/// Runs of scalars of one class: where each begins, and its class (the lowest 3 bits) and script (above).
extern const uint32_t cmt_class_count;
extern const uint32_t cmt_class_starts[];
extern const uint8_t cmt_class_values[];

// The tables entry by entry, because Swift does not see arrays of unknown length. The caller keeps to the counts.

static inline uint32_t cmt_decomposition_scalar(uint32_t index) { return cmt_decomposition_scalars[index]; }
static inline uint16_t cmt_decomposition_start(uint32_t index) { return cmt_decomposition_starts[index]; }
static inline uint32_t cmt_decomposition_target(uint32_t index) { return cmt_decomposition_targets[index]; }
static inline uint8_t cmt_decomposition_kind(uint32_t index) { return cmt_decomposition_kinds[index]; }
static inline uint32_t cmt_folding_scalar(uint32_t index) { return cmt_folding_scalars[index]; }
static inline uint16_t cmt_folding_start(uint32_t index) { return cmt_folding_starts[index]; }
static inline uint32_t cmt_folding_target(uint32_t index) { return cmt_folding_targets[index]; }
static inline uint32_t cmt_digit_scalar(uint32_t index) { return cmt_digit_scalars[index]; }
static inline uint8_t cmt_digit_value(uint32_t index) { return cmt_digit_values[index]; }
static inline uint32_t cmt_class_start(uint32_t index) { return cmt_class_starts[index]; }
static inline uint8_t cmt_class_value(uint32_t index) { return cmt_class_values[index]; }

#endif
