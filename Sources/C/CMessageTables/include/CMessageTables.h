// The facts about characters that folding a text needs, as tables; MessageTables.c is generated.
//
// Not for: use on a phone. Compiled rules contain what they need of these tables.

#ifndef CMESSAGETABLES_H
#define CMESSAGETABLES_H

#include <stdint.h>

/// One step of each decomposition: the scalars in ascending order, the starts of their targets (and the end of the last
/// ones), and the kinds: 0 canonical, 1 width, 2 another compatibility form.
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

/// The characters that represent a number from 0 to 50, except for ASCII digits.
extern const uint32_t cmt_digit_count;
extern const uint32_t cmt_digit_scalars[];
extern const uint8_t cmt_digit_values[];

/// Runs of scalars of one class: the start of each run, and its class (the lowest 3 bits) and script (the other bits).
extern const uint32_t cmt_class_count;
extern const uint32_t cmt_class_starts[];
extern const uint8_t cmt_class_values[];

// Access to single entries, because Swift can't import arrays of unknown length. The caller must respect the counts.

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
