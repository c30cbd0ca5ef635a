// The events of libyaml as plain structures, since Swift can't read the unions of yaml_event_t well.

#ifndef CLIBYAML_H
#define CLIBYAML_H

#include <stddef.h>
#include <stdint.h>

typedef enum {
  CDP_YAML_END = 0,
  CDP_YAML_SCALAR,
  CDP_YAML_SEQUENCE_START,
  CDP_YAML_SEQUENCE_END,
  CDP_YAML_MAPPING_START,
  CDP_YAML_MAPPING_END,
  CDP_YAML_ALIAS,
  CDP_YAML_ERROR
} cdp_yaml_kind;

typedef struct {
  cdp_yaml_kind kind;
  /// The scalar in UTF-8, or the reason of an error; valid until the next call.
  const char *text;
  size_t length;
  /// Whether the scalar was written without quotes.
  int is_plain;
  /// The position where it starts; lines and columns start at 1.
  size_t line;
  size_t column;
} cdp_yaml_event;

typedef struct cdp_yaml_parser cdp_yaml_parser;

/// Creates a parser for bytes that stay valid until it is freed; NULL when memory runs out.
cdp_yaml_parser *cdp_yaml_open(const uint8_t *bytes, size_t length);

/// Returns the next event. Skips the start and end of the stream and the document; a second document is an error.
cdp_yaml_event cdp_yaml_next(cdp_yaml_parser *parser);

/// Frees the parser.
void cdp_yaml_close(cdp_yaml_parser *parser);

#endif
