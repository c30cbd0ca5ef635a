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
    /// Whole-number automaton that tells territory and type; a state of `cnp_class_transitions`.
    uint16_t classes;
    /// Where the code's territories begin in `cnp_members`, and how many they are.
    uint16_t first_member;
    uint16_t member_count;
} cnp_calling_code;

extern const char cnp_metadata_version_text[];
extern const uint64_t cnp_metadata_fingerprint_value;
extern const uint32_t cnp_state_count_value;
extern const uint32_t cnp_first_accepting_value;
extern const uint32_t cnp_first_choosing_value;
extern const uint32_t cnp_first_indifferent_value;
extern const uint32_t cnp_class_state_count_value;
extern const uint32_t cnp_first_class_value;
extern const uint32_t cnp_program_count_value;
extern const uint32_t cnp_region_count_value;
extern const uint32_t cnp_geographic_region_count_value;
extern const uint32_t cnp_calling_code_count_value;
extern const uint32_t cnp_member_count_value;

extern const uint16_t cnp_transition_values[];
extern const uint32_t cnp_length_values[];
extern const uint16_t cnp_class_transition_values[];
extern const uint16_t cnp_class_values[];
extern const uint16_t cnp_program_values[];
extern const cnp_region cnp_region_values[];
extern const cnp_calling_code cnp_calling_code_values[];
extern const uint16_t cnp_member_values[];
extern const uint16_t cnp_calling_code_index_values[1000];

// In CharacterTables.c, which make-characters.py writes.
extern const uint32_t cnp_digit_zero_count_value;
extern const uint32_t cnp_word_bound_count_value;
extern const uint32_t cnp_digit_zero_values[];
extern const uint32_t cnp_word_bound_values[];

// Functions, because Swift imports neither large arrays nor arrays without a size.

/// Version of libphonenumber whose metadata this is.
static inline const char *cnp_metadata_version(void) { return cnp_metadata_version_text; }
/// FNV-1a of the metadata file the tables were made from.
static inline uint64_t cnp_metadata_fingerprint(void) { return cnp_metadata_fingerprint_value; }
/// Rows in `cnp_transitions`.
static inline uint32_t cnp_state_count(void) { return cnp_state_count_value; }
/// States from this one on accept.
static inline uint32_t cnp_first_accepting(void) { return cnp_first_accepting_value; }
/// From the states below this one on only the number of digits counts: the digits themselves lead all to the same.
static inline uint32_t cnp_first_choosing(void) { return cnp_first_choosing_value; }
/// Likewise from this one and those behind it on.
static inline uint32_t cnp_first_indifferent(void) { return cnp_first_indifferent_value; }
/// Rows in `cnp_class_transitions`.
static inline uint32_t cnp_class_state_count(void) { return cnp_class_state_count_value; }
/// The first of its states that has a class, and so have all behind it.
static inline uint32_t cnp_first_class(void) { return cnp_first_class_value; }
/// Words in `cnp_programs`.
static inline uint32_t cnp_program_count(void) { return cnp_program_count_value; }
/// Territories, the networks that belong to no country ("001") included; they come last.
static inline uint32_t cnp_region_count(void) { return cnp_region_count_value; }
/// Territories that are countries or regions, sorted by code.
static inline uint32_t cnp_geographic_region_count(void) { return cnp_geographic_region_count_value; }
/// Country calling codes, ascending.
static inline uint32_t cnp_calling_code_count(void) { return cnp_calling_code_count_value; }
/// Entries in `cnp_members`.
static inline uint32_t cnp_member_count(void) { return cnp_member_count_value; }
/// Ten next states a row, one for each digit.
static inline const uint16_t *cnp_transitions(void) { return cnp_transition_values; }
/// For each row the lengths of what leads from it to an accepting state: bit n for n digits.
static inline const uint32_t *cnp_lengths(void) { return cnp_length_values; }
/// `cnp_transitions` for the automata of territories and types, which share no states with the others.
static inline const uint16_t *cnp_class_transitions(void) { return cnp_class_transition_values; }
/// For each state from `cnp_first_class` on: the territory's place among those of the calling code in the high bits,
/// and in the four lowest libphonenumber's PhoneNumberType, or 15 for none.
static inline const uint16_t *cnp_classes(void) { return cnp_class_values; }
/// Backtracking programs, one after another.
static inline const uint16_t *cnp_programs(void) { return cnp_program_values; }
static inline const cnp_region *cnp_regions(void) { return cnp_region_values; }
static inline const cnp_calling_code *cnp_calling_codes(void) { return cnp_calling_code_values; }
/// Indices of territories, those of one calling code together, its main one first.
static inline const uint16_t *cnp_members(void) { return cnp_member_values; }
/// 1000 entries: for each number its place among the calling codes plus 1, or 0.
static inline const uint16_t *cnp_calling_code_index(void) { return cnp_calling_code_index_values; }

/// 10 to the power of `exponent`; 0 beyond 19, where 64 bits end.
static inline uint64_t cnp_power_of_ten(uint32_t exponent) {
    static const uint64_t powers[20] = {
        1u, 10u, 100u, 1000u, 10000u, 100000u, 1000000u, 10000000u, 100000000u, 1000000000u, 10000000000u,
        100000000000u, 1000000000000u, 10000000000000u, 100000000000000u, 1000000000000000u,
        10000000000000000u, 100000000000000000u, 1000000000000000000u, 10000000000000000000u,
    };
    return exponent < 20 ? powers[exponent] : 0;
}
/// Entries in `cnp_digit_zeros`.
static inline uint32_t cnp_digit_zero_count(void) { return cnp_digit_zero_count_value; }
/// Entries in `cnp_word_bounds`; an even number.
static inline uint32_t cnp_word_bound_count(void) { return cnp_word_bound_count_value; }
/// The digit zero of every script, ascending; the other nine digits follow it.
static inline const uint32_t *cnp_digit_zeros(void) { return cnp_digit_zero_values; }
/// Scalars of Unicode's categories L and N as ranges: first, last + 1, first, last + 1, …
static inline const uint32_t *cnp_word_bounds(void) { return cnp_word_bound_values; }

#endif
