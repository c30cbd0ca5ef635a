// libyaml's events, flat: a Swift caller need not know the unions of yaml_event_t.

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
  /// The scalar's bytes, UTF-8, or the reason of an error; valid until the next call.
  const char *text;
  size_t length;
  /// Whether the scalar was written without quotes.
  int is_plain;
  /// Where it starts, from 1.
  size_t line;
  size_t column;
} cdp_yaml_event;

typedef struct cdp_yaml_parser cdp_yaml_parser;

/// Makes a parser over bytes that stay valid until it is freed; NULL if there is no memory.
cdp_yaml_parser *cdp_yaml_open(const uint8_t *bytes, size_t length);

/// The next event. Start and end of stream and document are passed over; a second document is an error.
cdp_yaml_event cdp_yaml_next(cdp_yaml_parser *parser);

/// Frees the parser.
void cdp_yaml_close(cdp_yaml_parser *parser);

#endif
