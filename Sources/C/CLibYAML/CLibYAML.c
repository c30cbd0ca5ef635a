#include "CLibYAML.h"

#include <stdlib.h>
#include <string.h>
#if !__has_include(<yaml.h>)
#error "libyaml is missing, or not found: run `make build`"
#endif
#include <yaml.h>

struct cdp_yaml_parser {
  yaml_parser_t parser;
  yaml_event_t event;
  int has_event;
  int documents;
};

cdp_yaml_parser *cdp_yaml_open(const uint8_t *bytes, size_t length) {
  cdp_yaml_parser *made = calloc(1, sizeof *made);
  if (made == NULL) return NULL;
  if (!yaml_parser_initialize(&made->parser)) {
    free(made);
    return NULL;
  }
  yaml_parser_set_input_string(&made->parser, bytes, length);
  return made;
}

void cdp_yaml_close(cdp_yaml_parser *parser) {
  if (parser == NULL) return;
  if (parser->has_event) yaml_event_delete(&parser->event);
  yaml_parser_delete(&parser->parser);
  free(parser);
}

static cdp_yaml_event failed(const char *reason, yaml_mark_t mark) {
  cdp_yaml_event event = {CDP_YAML_ERROR, reason, strlen(reason), 0, mark.line + 1, mark.column + 1};
  return event;
}

cdp_yaml_event cdp_yaml_next(cdp_yaml_parser *parser) {
  for (;;) {
    if (parser->has_event) yaml_event_delete(&parser->event);
    parser->has_event = 0;
    if (!yaml_parser_parse(&parser->parser, &parser->event)) {
      const char *reason = parser->parser.problem != NULL ? parser->parser.problem : "not YAML";
      return failed(reason, parser->parser.problem_mark);
    }
    parser->has_event = 1;
    yaml_event_t *from = &parser->event;
    cdp_yaml_event event = {CDP_YAML_END, "", 0, 0, from->start_mark.line + 1, from->start_mark.column + 1};
    switch (from->type) {
      case YAML_STREAM_END_EVENT:
        return event;
      case YAML_DOCUMENT_START_EVENT:
        if (parser->documents++ > 0) return failed("a second document", from->start_mark);
        break;
      case YAML_SCALAR_EVENT:
        event.kind = CDP_YAML_SCALAR;
        event.text = (const char *)from->data.scalar.value;
        event.length = from->data.scalar.length;
        event.is_plain = from->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
        return event;
      case YAML_SEQUENCE_START_EVENT:
        event.kind = CDP_YAML_SEQUENCE_START;
        return event;
      case YAML_SEQUENCE_END_EVENT:
        event.kind = CDP_YAML_SEQUENCE_END;
        return event;
      case YAML_MAPPING_START_EVENT:
        event.kind = CDP_YAML_MAPPING_START;
        return event;
      case YAML_MAPPING_END_EVENT:
        event.kind = CDP_YAML_MAPPING_END;
        return event;
      case YAML_ALIAS_EVENT:
        event.kind = CDP_YAML_ALIAS;
        return event;
      default:
        break;
    }
  }
}
