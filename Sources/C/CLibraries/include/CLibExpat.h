// expat, opened at the first XML input: linking it would slow down the start of every filter. Adds limits that expat
// lacks.
//
// Not for: the meaning of elements, which is up to the parse stage.

#ifndef CDPIPE_LIBEXPAT_H
#define CDPIPE_LIBEXPAT_H

#include <stddef.h>
#include <stdint.h>

/// Opens the library, once per process. Returns 0, or an error number like cdp_library_load. Any thread may call it.
int cdp_xml_load(void);
/// Returns whether a library of another name could be opened, for tests of the error.
_Bool cdp_xml_library_is_usable(const char *file_name);
/// The library's file name, for messages.
const char *cdp_xml_library_name(void);

/// A parser of one document.
typedef struct cdp_xml cdp_xml;

/// Handlers for what is found. Names and text are UTF-8, whatever the encoding of the document. Names end with a zero
/// byte, and `attributes` is a list of alternating names and values that ends with NULL.
typedef struct cdp_xml_handlers {
  void (*start)(const char *name, const char *const *attributes, void *context);
  void (*end)(const char *name, void *context);
  /// A part of a text, which may arrive in many parts.
  void (*text)(const uint8_t *bytes, size_t count, void *context);
  /// A reference to an external entity, or to an undeclared one that the external document type may declare. The name
  /// does not end with a zero byte.
  void (*skipped)(const char *name, void *context);
  void *context;
} cdp_xml_handlers;

/// The result of parsing a block.
typedef enum cdp_xml_result {
  CDP_XML_FINE,
  /// A handler ended parsing.
  CDP_XML_STOPPED,
  /// The document is not well-formed; see `cdp_xml_error_code` and the position.
  CDP_XML_MALFORMED,
  /// The document ends inside an element.
  CDP_XML_TRUNCATED,
  /// An encoding that expat does not support.
  CDP_XML_ENCODING,
  /// A tag, comment or declaration longer than the limit.
  CDP_XML_TOKEN_TOO_LONG,
  /// Elements nested deeper than the limit.
  CDP_XML_TOO_DEEP,
  /// Entities that expand to far more than the size of the document.
  CDP_XML_BOMB,
  CDP_XML_MEMORY,
} cdp_xml_result;

/// The limits of a parser.
typedef struct cdp_xml_limits {
  /// The largest size of a tag, comment or declaration in bytes. At most twice as many may be buffered before the error
  /// is found.
  uint64_t token_bytes_max;
  /// The deepest nesting of elements.
  uint32_t depth_max;
  /// The expanded size of entities, in bytes, up to which the ratio of output to input is not checked.
  uint64_t entity_bytes_free;
} cdp_xml_limits;

/// Creates a parser; NULL when memory runs out. `encoding` overrides that of the document; NULL keeps it. External
/// entities and document types are never opened. The library must be loaded.
cdp_xml *cdp_xml_new(const char *encoding, cdp_xml_limits limits, cdp_xml_handlers handlers);
void cdp_xml_free(cdp_xml *parser);
/// Parses the next block of at most 2^30 bytes. Do not call it again after a result other than `CDP_XML_FINE`.
cdp_xml_result cdp_xml_parse(cdp_xml *parser, const uint8_t *bytes, size_t count, _Bool is_last);
/// Ends parsing. Called inside a handler.
void cdp_xml_stop(cdp_xml *parser);

/// The position of the parser: inside a handler the first byte of the token, after an error the position of the error.
/// Lines start at 1, bytes at 0.
uint64_t cdp_xml_line(const cdp_xml *parser);
uint64_t cdp_xml_byte(const cdp_xml *parser);
/// The expat code and message of an error; the message is never NULL.
int cdp_xml_error_code(const cdp_xml *parser);
const char *cdp_xml_error_text(const cdp_xml *parser);

#endif
