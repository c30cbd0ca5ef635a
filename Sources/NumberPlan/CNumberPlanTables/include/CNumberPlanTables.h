// The shape of the numbering-plan tables: what `generate-number-plan` writes and NumberPlan reads.
// Written by hand; the values are in the generated NumberPlanTables.c. Not for anyone but NumberPlan:
// the meaning of an index is only checked there.

#ifndef C_NUMBER_PLAN_TABLES_H
#define C_NUMBER_PLAN_TABLES_H

#include <stdint.h>

/// One territory of the metadata. Automata are named by their first state. A state is named by where its row in
/// `cnp_transitions` begins, counted in pairs of entries: row r is state 5 r. State 0 accepts nothing.
typedef struct {
    /// Two letters, or "001" for a network that belongs to no country; ends with a zero.
    char code[4];
    uint16_t calling_code;
    /// Prefix automaton of the ways to dial abroad.
    uint16_t international_prefix;
    /// Prefix automaton of what is dialled before a national number. Exact where `national_prefix_program`
    /// is 0; otherwise a filter that never misses, and the program decides.
    uint16_t national_prefix;
    /// Where the backtracking program of the national prefix begins, plus 1; 0 when there is none.
    uint16_t national_prefix_program;
    /// Whole-number automaton of the general description.
    uint16_t general;
    /// Bit d is set when a prefix that begins with digit d captures nothing, so that `national_prefix` is exact for it.
    uint16_t captureless_digits;
    /// Up to four digits that the transform rule puts in front, the first one in the lowest four bits.
    uint16_t transform_digits;
    uint8_t transform_digit_count;
    /// The group that the transform rule keeps; 0 when there is no rule.
    uint8_t transform_group;
    /// How many groups the national prefix captures: 0, 1 or 2.
    uint8_t national_prefix_groups;
    /// Bit n is set when some n digits fit the general description.
    uint32_t general_lengths;
    /// Bit n is set when a national number of n digits is possible.
    uint32_t lengths;
    /// The same for numbers that can only be dialled inside their area.
    uint32_t local_only_lengths;
} cnp_region;

/// One country calling code.
typedef struct {
    uint16_t calling_code;
    /// Index of the territory whose rules speak for the whole code.
    uint16_t main_region;
    /// Whole-number automaton of the valid national numbers, all territories of the code considered.
    uint16_t valid;
} cnp_calling_code;

extern const char cnp_metadata_version_text[];
extern const uint64_t cnp_metadata_fingerprint_value;
extern const uint32_t cnp_state_count_value;
extern const uint32_t cnp_first_accepting_value;
extern const uint32_t cnp_program_count_value;
extern const uint32_t cnp_region_count_value;
extern const uint32_t cnp_geographic_region_count_value;
extern const uint32_t cnp_calling_code_count_value;

extern const uint16_t cnp_transition_values[];
extern const uint16_t cnp_program_values[];
extern const cnp_region cnp_region_values[];
extern const cnp_calling_code cnp_calling_code_values[];
extern const uint16_t cnp_calling_code_index_values[1000];

// Functions, because Swift imports neither large arrays nor arrays without a size.

/// Version of libphonenumber whose metadata this is.
static inline const char *cnp_metadata_version(void) { return cnp_metadata_version_text; }
/// FNV-1a of the metadata file the tables were made from.
static inline uint64_t cnp_metadata_fingerprint(void) { return cnp_metadata_fingerprint_value; }
/// Rows in `cnp_transitions`.
static inline uint32_t cnp_state_count(void) { return cnp_state_count_value; }
/// States from this one on accept.
static inline uint32_t cnp_first_accepting(void) { return cnp_first_accepting_value; }
/// Words in `cnp_programs`.
static inline uint32_t cnp_program_count(void) { return cnp_program_count_value; }
/// Territories, the networks that belong to no country ("001") included; they come last.
static inline uint32_t cnp_region_count(void) { return cnp_region_count_value; }
/// Territories that are countries or regions, sorted by code.
static inline uint32_t cnp_geographic_region_count(void) { return cnp_geographic_region_count_value; }
/// Country calling codes, ascending.
static inline uint32_t cnp_calling_code_count(void) { return cnp_calling_code_count_value; }
/// Ten next states a row, one for each digit.
static inline const uint16_t *cnp_transitions(void) { return cnp_transition_values; }
/// Backtracking programs, one after another.
static inline const uint16_t *cnp_programs(void) { return cnp_program_values; }
static inline const cnp_region *cnp_regions(void) { return cnp_region_values; }
static inline const cnp_calling_code *cnp_calling_codes(void) { return cnp_calling_code_values; }
/// 1000 entries: for each number its place among the calling codes plus 1, or 0.
static inline const uint16_t *cnp_calling_code_index(void) { return cnp_calling_code_index_values; }

#endif
