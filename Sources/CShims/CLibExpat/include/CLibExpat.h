// expat, opened when the first XML input comes by: linked, it would be one more library for every filter's
// start. Its parser as a few typed functions; the limits that expat itself does not have are kept here.
//
// Not for: what the elements mean. That is the parse stage's.

#ifndef CDPIPE_LIBEXPAT_H
#define CDPIPE_LIBEXPAT_H

#include <stddef.h>
#include <stdint.h>

/// Opens the library, once per process, and returns whether that worked. Any thread may call it.
_Bool cdp_xml_load(void);
/// Returns whether a library of another name could be opened, for tests of the error.
_Bool cdp_xml_library_is_usable(const char *file_name);
/// The library's file name, for messages.
const char *cdp_xml_library_name(void);

/// A parser of one document.
typedef struct cdp_xml cdp_xml;

/// Who takes what is found. Names and text are UTF-8, whatever the document is written in; names end in a
/// zero byte, and `attributes` is a list of names and values in turn that ends in NULL.
typedef struct cdp_xml_handlers {
  void (*start)(const char *name, const char *const *attributes, void *context);
  void (*end)(const char *name, void *context);
  /// A piece of text. One text may come in many pieces.
  void (*text)(const uint8_t *bytes, size_t count, void *context);
  /// A reference to an entity that nothing here declares, where a document type that is not read might; or to one that
  /// is declared to be outside of the document. The name need not end in a zero byte.
  void (*skipped)(const char *name, void *context);
  void *context;
} cdp_xml_handlers;

/// What came of parsing a piece.
typedef enum cdp_xml_result {
  CDP_XML_FINE,
  /// A handler called for the end.
  CDP_XML_STOPPED,
  /// Not well-formed; see `cdp_xml_error_code` and the place.
  CDP_XML_MALFORMED,
  /// The document ends before its last element does.
  CDP_XML_TRUNCATED,
  /// An encoding that expat does not read.
  CDP_XML_ENCODING,
  /// A tag, comment or declaration longer than the limit.
  CDP_XML_TOKEN_TOO_LONG,
  /// Elements nested deeper than the limit.
  CDP_XML_TOO_DEEP,
  /// Entities that expand to far more than the document.
  CDP_XML_BOMB,
  CDP_XML_MEMORY,
} cdp_xml_result;

/// What a parser allows.
typedef struct cdp_xml_limits {
  /// The longest tag, comment or declaration in bytes. Twice that may be held before it shows.
  uint64_t token_bytes_max;
  /// The most elements inside one another.
  uint32_t depth_max;
  /// So many bytes may come out of entities before their share is looked at.
  uint64_t entity_bytes_free;
} cdp_xml_limits;

/// A parser, or NULL when there is no memory. `encoding` is the document's whatever it says of itself, or NULL.
/// No external entity or document type is ever opened. The library must be loaded.
cdp_xml *cdp_xml_new(const char *encoding, cdp_xml_limits limits, cdp_xml_handlers handlers);
void cdp_xml_free(cdp_xml *parser);
/// Parses a further piece of at most 2^30 bytes. After anything but `CDP_XML_FINE` there is no further one.
cdp_xml_result cdp_xml_parse(cdp_xml *parser, const uint8_t *bytes, size_t count, _Bool is_last);
/// Ends the parse from inside a handler.
void cdp_xml_stop(cdp_xml *parser);

/// Where the parser is: inside a handler the first byte of what it was called for, after a failure the place of
/// the failure. The first line is 1, the first byte 0.
uint64_t cdp_xml_line(const cdp_xml *parser);
uint64_t cdp_xml_byte(const cdp_xml *parser);
/// expat's own code and words for a failure; the words are never NULL.
int cdp_xml_error_code(const cdp_xml *parser);
const char *cdp_xml_error_text(const cdp_xml *parser);

#endif
