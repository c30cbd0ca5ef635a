// The layout of the numbering-plan tables: what `generate-number-plan` writes and NumberPlan reads. Written by hand;
// the values are in the generated NumberPlanTables.c. Only NumberPlan may use these tables, because only it checks
// their indices.

#ifndef C_NUMBER_PLAN_TABLES_H
#define C_NUMBER_PLAN_TABLES_H

#include <stdint.h>

/// One territory of the metadata. An automaton is identified by its first state, and a state by the start of its row in
/// `cnp_transitions`, counted in pairs of entries: row r is state 5 r. State 0 accepts nothing.
typedef struct {
    /// Two letters, or "001" for a network that belongs to no country; ends with a zero byte.
    char code[4];
    uint16_t calling_code;
    /// Prefix automaton of the international prefixes.
    uint16_t international_prefix;
    /// Prefix automaton of the national prefixes. Exact where `national_prefix_program` is 0; otherwise it accepts too
    /// much, and the program decides.
    uint16_t national_prefix;
    /// The start of the backtracking program of the national prefix, plus 1; 0 when there is none.
    uint16_t national_prefix_program;
    /// Whole-number automaton of the general description.
    uint16_t general;
    /// Bit d is set when a prefix that begins with digit d captures nothing, so that `national_prefix` is exact for it.
    uint16_t captureless_digits;
    /// Up to four digits that the transform rule prepends, the first one in the lowest four bits.
    uint16_t transform_digits;
    uint8_t transform_digit_count;
    /// The group that the transform rule keeps; 0 when there is no rule.
    uint8_t transform_group;
    /// How many groups the national prefix captures: 0, 1 or 2.
    uint8_t national_prefix_groups;
    /// Bit n is set when some numbers of n digits match the general description.
    uint32_t general_lengths;
    /// Bit n is set when a national number of n digits is possible.
    uint32_t lengths;
    /// The same for numbers that can only be dialled inside their area.
    uint32_t local_only_lengths;
} cnp_region;

/// One country calling code.
typedef struct {
    uint16_t calling_code;
    /// Index of the territory whose rules apply to the whole code.
    uint16_t main_region;
    /// Whole-number automaton of the valid national numbers of all the code's territories.
    uint16_t valid;
    /// Whole-number automaton that determines territory and type; a state of `cnp_class_transitions`.
    uint16_t classes;
    /// The start of the code's territories in `cnp_members`, and their number.
    uint16_t first_member;
    uint16_t member_count;
    /// Prefix automaton that determines the formats of national numbers; a state of `cnp_class_transitions`.
    uint16_t formats;
} cnp_calling_code;

/// How national numbers are written.
typedef struct {
    /// Eight bits for each group of digits, the first one lowest: the minimum of digits in the lower four bits, the
    /// maximum in the others. 0 after the last group.
    uint64_t groups;
    /// The start of the national form in `cnp_templates`.
    uint16_t national;
    /// The same for the international form, after the calling code; 0xFFFF when there is none.
    uint16_t international;
} cnp_format;

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
extern const uint32_t cnp_format_count_value;
extern const uint32_t cnp_format_list_count_value;
extern const uint32_t cnp_template_count_value;

extern const uint16_t cnp_transition_values[];
extern const uint32_t cnp_length_values[];
extern const uint16_t cnp_class_transition_values[];
extern const uint16_t cnp_class_values[];
extern const uint16_t cnp_program_values[];
extern const cnp_region cnp_region_values[];
extern const cnp_calling_code cnp_calling_code_values[];
extern const uint16_t cnp_member_values[];
extern const uint16_t cnp_format_list_values[];
extern const uint8_t cnp_template_values[];
extern const cnp_format cnp_format_values[];
extern const uint16_t cnp_calling_code_index_values[1000];

// In CharacterTables.c, which make-characters.py writes.
extern const uint32_t cnp_digit_zero_count_value;
extern const uint32_t cnp_word_bound_count_value;
extern const uint32_t cnp_digit_zero_values[];
extern const uint32_t cnp_word_bound_values[];

// Functions, because Swift imports neither large arrays nor arrays without a size.

/// The version of libphonenumber that the metadata is from.
static inline const char *cnp_metadata_version(void) { return cnp_metadata_version_text; }
/// FNV-1a hash of the metadata file that the tables were made from.
static inline uint64_t cnp_metadata_fingerprint(void) { return cnp_metadata_fingerprint_value; }
/// The number of rows in `cnp_transitions`.
static inline uint32_t cnp_state_count(void) { return cnp_state_count_value; }
/// The first accepting state; all following states accept, too.
static inline uint32_t cnp_first_accepting(void) { return cnp_first_accepting_value; }
/// In all states before this one, only the number of the remaining digits matters: all ten digits lead to the same
/// state.
static inline uint32_t cnp_first_choosing(void) { return cnp_first_choosing_value; }
/// The same holds for this state and all following ones.
static inline uint32_t cnp_first_indifferent(void) { return cnp_first_indifferent_value; }
/// The number of rows in `cnp_class_transitions`.
static inline uint32_t cnp_class_state_count(void) { return cnp_class_state_count_value; }
/// The first state of that table that has a class; all following states have one, too.
static inline uint32_t cnp_first_class(void) { return cnp_first_class_value; }
/// The number of words in `cnp_programs`.
static inline uint32_t cnp_program_count(void) { return cnp_program_count_value; }
/// The number of territories, including the networks that belong to no country ("001"), which come last.
static inline uint32_t cnp_region_count(void) { return cnp_region_count_value; }
/// The number of territories that are countries or regions, which are sorted by code.
static inline uint32_t cnp_geographic_region_count(void) { return cnp_geographic_region_count_value; }
/// The number of country calling codes, which ascend.
static inline uint32_t cnp_calling_code_count(void) { return cnp_calling_code_count_value; }
/// The number of entries in `cnp_members`.
static inline uint32_t cnp_member_count(void) { return cnp_member_count_value; }
/// Ten next states per row, one for each digit.
static inline const uint16_t *cnp_transitions(void) { return cnp_transition_values; }
/// For each row, the lengths of paths from it to an accepting state: bit n for n digits.
static inline const uint32_t *cnp_lengths(void) { return cnp_length_values; }
/// The transitions of the automata of territories and types, which share no states with the others.
static inline const uint16_t *cnp_class_transitions(void) { return cnp_class_transition_values; }
/// For each state from `cnp_first_class` on: the territory's index among those of the calling code in the high bits,
/// and libphonenumber's PhoneNumberType in the four lowest bits, or 15 for none. In the automata of formats, the start of
/// a list in `cnp_format_lists`.
static inline const uint16_t *cnp_classes(void) { return cnp_class_values; }
/// Backtracking programs, one after another.
static inline const uint16_t *cnp_programs(void) { return cnp_program_values; }
static inline const cnp_region *cnp_regions(void) { return cnp_region_values; }
static inline const cnp_calling_code *cnp_calling_codes(void) { return cnp_calling_code_values; }
/// The number of entries in `cnp_formats`, `cnp_format_lists` and `cnp_templates`.
static inline uint32_t cnp_format_count(void) { return cnp_format_count_value; }
static inline uint32_t cnp_format_list_count(void) { return cnp_format_list_count_value; }
static inline uint32_t cnp_template_count(void) { return cnp_template_count_value; }
static inline const cnp_format *cnp_formats(void) { return cnp_format_values; }
/// Lists of formats, of which the first one with a number's length applies. The last one of a list has the highest bit.
static inline const uint16_t *cnp_format_lists(void) { return cnp_format_list_values; }
/// Texts that end with a zero byte, in which the byte n stands for the nth group of digits.
static inline const uint8_t *cnp_templates(void) { return cnp_template_values; }
/// Indices of territories, grouped by calling code, its main territory first.
static inline const uint16_t *cnp_members(void) { return cnp_member_values; }
/// 1000 entries: for each number its index among the calling codes plus 1, or 0.
static inline const uint16_t *cnp_calling_code_index(void) { return cnp_calling_code_index_values; }

/// 10 to the power of `exponent`; 0 above 19, where the result exceeds 64 bits.
static inline uint64_t cnp_power_of_ten(uint32_t exponent) {
    static const uint64_t powers[20] = {
        1u, 10u, 100u, 1000u, 10000u, 100000u, 1000000u, 10000000u, 100000000u, 1000000000u, 10000000000u,
        100000000000u, 1000000000000u, 10000000000000u, 100000000000000u, 1000000000000000u,
        10000000000000000u, 100000000000000000u, 1000000000000000000u, 10000000000000000000u,
    };
    return exponent < 20 ? powers[exponent] : 0;
}
/// The number of entries in `cnp_digit_zeros`.
static inline uint32_t cnp_digit_zero_count(void) { return cnp_digit_zero_count_value; }
/// The number of entries in `cnp_word_bounds`, which is even.
static inline uint32_t cnp_word_bound_count(void) { return cnp_word_bound_count_value; }
/// The digit zero of every script, ascending; the other nine digits follow it.
static inline const uint32_t *cnp_digit_zeros(void) { return cnp_digit_zero_values; }
/// The scalars of Unicode's categories L and N as ranges: first, last + 1, first, last + 1, …
static inline const uint32_t *cnp_word_bounds(void) { return cnp_word_bound_values; }

#endif
