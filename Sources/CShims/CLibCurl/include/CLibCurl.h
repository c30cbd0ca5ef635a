// libcurl, opened when the first transfer needs it: linked outright, its libraries would cost every filter's
// start several milliseconds. libcurl's setters are variadic, which Swift can't call; here they have types.
//
// Not for: deciding anything. Redirects, retries and limits are the download stage's.

#ifndef CDPIPE_LIBCURL_H
#define CDPIPE_LIBCURL_H

#include <stddef.h>
#include <stdint.h>

/// A libcurl handle with what belongs to one request.
typedef struct cdp_curl cdp_curl;

/// What a finished transfer means, as far as the download stage tells one from another.
typedef enum cdp_curl_kind {
  CDP_CURL_DONE,
  /// It did not begin, or broke off, for a reason that may be gone in a moment.
  CDP_CURL_PASSING,
  /// It began and ended before its end. May be gone in a moment too.
  CDP_CURL_PARTIAL,
  /// The time limit for connecting, or the one for the whole transfer.
  CDP_CURL_TIMEOUT,
  /// No byte moved for as long as the request allows.
  CDP_CURL_IDLE,
  /// The URL can't be read as one.
  CDP_CURL_MALFORMED,
  /// The receiver of the bytes said stop.
  CDP_CURL_STOPPED,
  /// Anything else; trying again would not help.
  CDP_CURL_LASTING,
} cdp_curl_kind;

/// One request. Strings are copied by the library.
typedef struct cdp_curl_request {
  const char *url;
  const char *user_agent;
  /// Certificates to trust in place of the system's, in PEM; NULL for the system's.
  const char *ca_file;
  /// User names and passwords by host; NULL for none.
  const char *netrc_file;
  long connect_timeout_ms;
  /// So long without a byte ends the transfer. The time that `receive` takes does not count.
  long idle_timeout_ms;
  /// For the whole transfer; 0 for none.
  long timeout_ms;
  /// Takes a line of a response's head, with its line end; also those of responses before the last one.
  void (*head)(const uint8_t *bytes, size_t count, void *context);
  /// Takes bytes of the response's body; false stops the transfer.
  _Bool (*receive)(const uint8_t *bytes, size_t count, void *context);
  void *context;
} cdp_curl_request;

/// Opens the library, once per process, and returns whether that worked. Any thread may call it.
_Bool cdp_curl_load(void);
/// Returns whether a library of another name could be opened, for tests of the error.
_Bool cdp_curl_library_is_usable(const char *file_name);
/// The library's file name, for messages.
const char *cdp_curl_library_name(void);

/// A handle, or NULL when there is no memory. The library must be loaded.
cdp_curl *cdp_curl_new(void);
void cdp_curl_free(cdp_curl *handle);

/// Adds a header line to the next request; false when there is no memory.
_Bool cdp_curl_add_header(cdp_curl *handle, const char *line);
/// Runs one request over http or https and returns libcurl's code, 0 for success. It follows no redirect.
/// The headers added before are used up.
int cdp_curl_perform(cdp_curl *handle, const cdp_curl_request *request);

/// The seconds since 1970 that a date in a header says (RFC 9110, 5.6.7), or -1.
int64_t cdp_curl_date(const char *text);

/// What a code means.
cdp_curl_kind cdp_curl_kind_of(int code);
/// libcurl's own words for a code. The library must be loaded.
const char *cdp_curl_words(int code);
/// libcurl's own words for the last request's failure; valid until the next request.
const char *cdp_curl_text(cdp_curl *handle, int code);
/// The response's status; also inside `receive`. 0 before there is one.
long cdp_curl_status(cdp_curl *handle);
/// The length the response announced, or -1; also inside `receive`.
int64_t cdp_curl_expected(cdp_curl *handle);
/// Seconds that the response asked to wait, or 0.
int64_t cdp_curl_retry_after(cdp_curl *handle);
/// Whether the last request got as far as being sent.
_Bool cdp_curl_was_connected(cdp_curl *handle);
/// Where the response redirects to, made absolute, or NULL; valid until the next request.
const char *cdp_curl_redirect(cdp_curl *handle);

#endif
