// See the header. All calls go through a table of functions that is filled when the library is opened.

#include "CLibExpat.h"

#include <CLibraryLoader.h>
#include <expat.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct api {
  XML_Parser (*create)(const XML_Char *);
  void (*release)(XML_Parser);
  void (*set_user_data)(XML_Parser, void *);
  void (*set_elements)(XML_Parser, XML_StartElementHandler, XML_EndElementHandler);
  void (*set_text)(XML_Parser, XML_CharacterDataHandler);
  void (*set_skipped)(XML_Parser, XML_SkippedEntityHandler);
  void (*set_default)(XML_Parser, XML_DefaultHandler);
  enum XML_Status (*parse)(XML_Parser, const char *, int, int);
  enum XML_Status (*stop)(XML_Parser, XML_Bool);
  enum XML_Error (*error_code)(XML_Parser);
  const XML_LChar *(*error_string)(enum XML_Error);
  XML_Size (*line)(XML_Parser);
  XML_Index (*byte)(XML_Parser);
  int (*byte_count)(XML_Parser);
  // Since 2.4.0, and only where expat was built with support for document types. Libraries without it have no
  // protection against expanding entities and are not used.
  XML_Bool (*set_bomb_threshold)(XML_Parser, unsigned long long);
};

struct cdp_xml {
  XML_Parser expat;
  cdp_xml_limits limits;
  cdp_xml_handlers handlers;
  uint64_t fed;
  uint32_t depth;
  // Why and where a handler in this file stopped parsing; CDP_XML_FINE if none did.
  cdp_xml_result stopped;
  uint64_t stop_line;
  uint64_t stop_byte;
};

static const char *const file_names[] = {
#ifdef __APPLE__
    "libexpat.1.dylib", "/usr/lib/libexpat.1.dylib",
#else
    "libexpat.so.1",
#endif
    NULL,
};

static struct api expat;
static int load_error;
static pthread_once_t once = PTHREAD_ONCE_INIT;

#define SYMBOL(name, member) {name, offsetof(struct api, member), 0}

static const cdp_library_symbol symbols[] = {
    SYMBOL("XML_ParserCreate", create),
    SYMBOL("XML_ParserFree", release),
    SYMBOL("XML_SetUserData", set_user_data),
    SYMBOL("XML_SetElementHandler", set_elements),
    SYMBOL("XML_SetCharacterDataHandler", set_text),
    SYMBOL("XML_SetSkippedEntityHandler", set_skipped),
    SYMBOL("XML_SetDefaultHandlerExpand", set_default),
    SYMBOL("XML_Parse", parse),
    SYMBOL("XML_StopParser", stop),
    SYMBOL("XML_GetErrorCode", error_code),
    SYMBOL("XML_ErrorString", error_string),
    SYMBOL("XML_GetCurrentLineNumber", line),
    SYMBOL("XML_GetCurrentByteIndex", byte),
    SYMBOL("XML_GetCurrentByteCount", byte_count),
    SYMBOL("XML_SetBillionLaughsAttackProtectionActivationThreshold", set_bomb_threshold),
    {NULL, 0, 0},
};

static const cdp_library library = {file_names, symbols};

static void load_once(void) { load_error = cdp_library_load(&library, &expat); }

int cdp_xml_load(void) {
  pthread_once(&once, load_once);
  return load_error;
}

_Bool cdp_xml_library_is_usable(const char *file_name) { return cdp_library_is_usable(&library, file_name); }

const char *cdp_xml_library_name(void) { return file_names[0]; }

static void stop(cdp_xml *parser, cdp_xml_result why) {
  if (parser->stopped != CDP_XML_FINE) return;
  parser->stop_line = cdp_xml_line(parser);
  parser->stop_byte = cdp_xml_byte(parser);
  parser->stopped = why;
  expat.stop(parser->expat, XML_FALSE);
}

// Whether a token may be passed on. The length of finished tokens is checked too, so that the result does not depend on
// how the input is split.
static _Bool is_fine(cdp_xml *parser) {
  if (parser->stopped != CDP_XML_FINE) return 0;
  int count = expat.byte_count(parser->expat);
  if (count > 0 && (uint64_t)count > parser->limits.token_bytes_max) stop(parser, CDP_XML_TOKEN_TOO_LONG);
  return parser->stopped == CDP_XML_FINE;
}

static void on_start(void *context, const XML_Char *name, const XML_Char **attributes) {
  cdp_xml *parser = context;
  if (!is_fine(parser)) return;
  if (parser->depth == parser->limits.depth_max) {
    stop(parser, CDP_XML_TOO_DEEP);
    return;
  }
  parser->depth++;
  parser->handlers.start(name, (const char *const *)attributes, parser->handlers.context);
}

static void on_end(void *context, const XML_Char *name) {
  cdp_xml *parser = context;
  if (!is_fine(parser)) return;
  parser->depth--;
  parser->handlers.end(name, parser->handlers.context);
}

// Text has no limit: expat passes it on in parts.
static void on_text(void *context, const XML_Char *bytes, int count) {
  cdp_xml *parser = context;
  if (parser->stopped == CDP_XML_FINE)
    parser->handlers.text((const uint8_t *)bytes, (size_t)count, parser->handlers.context);
}

static void on_skipped(void *context, const XML_Char *name, int is_parameter) {
  cdp_xml *parser = context;
  if (is_fine(parser) && !is_parameter) parser->handlers.skipped(name, parser->handlers.context);
}

// Comments, processing instructions and declarations: they are ignored, but their length is checked. References to
// external entities arrive here too, because these are never opened; they are reported like undeclared entities. No
// other token that arrives here starts with an ampersand.
static void on_other(void *context, const XML_Char *bytes, int count) {
  cdp_xml *parser = context;
  if (is_fine(parser) && count > 0 && bytes[0] == '&') parser->handlers.skipped(bytes, parser->handlers.context);
}

cdp_xml *cdp_xml_new(const char *encoding, cdp_xml_limits limits, cdp_xml_handlers handlers) {
  cdp_xml *parser = calloc(1, sizeof *parser);
  if (!parser) return NULL;
  parser->expat = expat.create(encoding);
  if (!parser->expat) {
    free(parser);
    return NULL;
  }
  parser->limits = limits;
  parser->handlers = handlers;
  expat.set_user_data(parser->expat, parser);
  expat.set_elements(parser->expat, on_start, on_end);
  expat.set_text(parser->expat, on_text);
  expat.set_skipped(parser->expat, on_skipped);
  expat.set_default(parser->expat, on_other);
  // No handler for external entities is set, and expat does not parse parameter entities by default, so nothing outside
  // the document is read.
  expat.set_bomb_threshold(parser->expat, limits.entity_bytes_free);
  return parser;
}

void cdp_xml_free(cdp_xml *parser) {
  if (!parser) return;
  expat.release(parser->expat);
  free(parser);
}

static cdp_xml_result result_of(enum XML_Error code) {
  switch (code) {
  case XML_ERROR_NO_MEMORY: return CDP_XML_MEMORY;
  case XML_ERROR_AMPLIFICATION_LIMIT_BREACH: return CDP_XML_BOMB;
  case XML_ERROR_UNKNOWN_ENCODING:
  case XML_ERROR_INCORRECT_ENCODING: return CDP_XML_ENCODING;
  case XML_ERROR_NO_ELEMENTS:
  case XML_ERROR_UNCLOSED_TOKEN:
  case XML_ERROR_UNCLOSED_CDATA_SECTION:
  case XML_ERROR_PARTIAL_CHAR: return CDP_XML_TRUNCATED;
  default: return CDP_XML_MALFORMED;
  }
}

cdp_xml_result cdp_xml_parse(cdp_xml *parser, const uint8_t *bytes, size_t count, _Bool is_last) {
  parser->fed += count;
  enum XML_Status status = expat.parse(parser->expat, (const char *)bytes, (int)count, is_last);
  if (parser->stopped != CDP_XML_FINE) return parser->stopped;
  if (status == XML_STATUS_ERROR) return result_of(expat.error_code(parser->expat));
  // Checks the bytes that expat buffers for an unfinished token, and possibly for the one before it.
  uint64_t place = cdp_xml_byte(parser);
  if (parser->fed > place && parser->fed - place > 2 * parser->limits.token_bytes_max) {
    parser->stop_line = cdp_xml_line(parser);
    parser->stop_byte = place;
    parser->stopped = CDP_XML_TOKEN_TOO_LONG;
  }
  return parser->stopped;
}

void cdp_xml_stop(cdp_xml *parser) { stop(parser, CDP_XML_STOPPED); }

uint64_t cdp_xml_line(const cdp_xml *parser) {
  return parser->stopped != CDP_XML_FINE ? parser->stop_line : (uint64_t)expat.line(parser->expat);
}

uint64_t cdp_xml_byte(const cdp_xml *parser) {
  if (parser->stopped != CDP_XML_FINE) return parser->stop_byte;
  XML_Index place = expat.byte(parser->expat);
  return place < 0 ? 0 : (uint64_t)place;
}

int cdp_xml_error_code(const cdp_xml *parser) { return (int)expat.error_code(parser->expat); }

const char *cdp_xml_error_text(const cdp_xml *parser) {
  const char *text = expat.error_string(expat.error_code(parser->expat));
  return text ? text : "unknown error";
}
