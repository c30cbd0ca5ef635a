// libcurl, opened at the first transfer: linking it would add several milliseconds to the start of every filter. Swift
// can't call libcurl's variadic setters; these functions have fixed types.
//
// Not for: redirects, retries and limits, which are up to the download stage.

#ifndef CDPIPE_LIBCURL_H
#define CDPIPE_LIBCURL_H

#include <stddef.h>
#include <stdint.h>

/// A libcurl handle with the data of one request.
typedef struct cdp_curl cdp_curl;

/// The result of a transfer, as far as the download stage needs it.
typedef enum cdp_curl_kind {
  CDP_CURL_DONE,
  /// It failed for a reason that may be temporary.
  CDP_CURL_TEMPORARY,
  /// It ended too early. The reason may be temporary.
  CDP_CURL_PARTIAL,
  /// The connection timeout or the timeout of the whole transfer has passed.
  CDP_CURL_TIMEOUT,
  /// No data arrived within the idle timeout.
  CDP_CURL_IDLE,
  /// The URL is malformed.
  CDP_CURL_MALFORMED,
  /// Memory ran out, or libcurl can't use this machine's certificates.
  CDP_CURL_LOCAL,
  /// The receiver stopped the transfer.
  CDP_CURL_STOPPED,
  /// Any other error; retrying would not help.
  CDP_CURL_PERMANENT,
} cdp_curl_kind;

/// A request. libcurl copies the strings.
typedef struct cdp_curl_request {
  const char *url;
  const char *user_agent;
  /// A file of trusted certificates in PEM format; NULL for those of the system.
  const char *ca_file;
  /// User names and passwords by host; NULL for none.
  const char *netrc_file;
  long connect_timeout_ms;
  /// The transfer is aborted when no data arrives for this long. The time spent in `receive` does not count.
  long idle_timeout_ms;
  /// The limit for the whole transfer; 0 for no limit.
  long timeout_ms;
  /// Receives a line of a response head with its line end, also of responses before the final one.
  void (*head)(const uint8_t *bytes, size_t count, void *context);
  /// Receives bytes of the response body; returning false stops the transfer.
  _Bool (*receive)(const uint8_t *bytes, size_t count, void *context);
  void *context;
} cdp_curl_request;

/// Opens the library, once per process. Returns 0, or an error number like cdp_library_load. Any thread may call it.
int cdp_curl_load(void);
/// Returns whether a library of another name could be opened, for tests of the error.
_Bool cdp_curl_library_is_usable(const char *file_name);
/// The library's file name, for messages.
const char *cdp_curl_library_name(void);

/// Creates a handle; NULL when memory runs out. The library must be loaded.
cdp_curl *cdp_curl_new(void);
void cdp_curl_free(cdp_curl *handle);

/// Adds a header line to the next request. When memory runs out, that request fails.
void cdp_curl_add_header(cdp_curl *handle, const char *line);
/// Performs a request over http or https and returns the libcurl code, 0 for success. Does not follow redirects. The headers
/// added before are used for this request only.
int cdp_curl_perform(cdp_curl *handle, const cdp_curl_request *request);

/// Parses a date in a header (RFC 9110, 5.6.7) as seconds since 1970; -1 if it is invalid.
int64_t cdp_curl_date(const char *text);

/// Maps a libcurl code to the kind of result that it means.
cdp_curl_kind cdp_curl_kind_of(int code);
/// The libcurl message for a code. The library must be loaded.
const char *cdp_curl_code_message(int code);
/// The libcurl message for the error of the last request, whose code is `code`; valid until the next request.
const char *cdp_curl_error_message(cdp_curl *handle, int code);
/// Whether the server closed the last TLS connection, which libcurl does not check; true if that is unknown.
_Bool cdp_curl_tls_has_ended(cdp_curl *handle);
/// The errno for which the last request had no socket or could not connect; 0 if it did, or the reason is unknown.
int cdp_curl_os_error(cdp_curl *handle);
/// The status of the response; 0 before there is one. May be called inside `receive`.
long cdp_curl_status(cdp_curl *handle);
/// The length that the response announced; -1 without one. May be called inside `receive`.
int64_t cdp_curl_expected(cdp_curl *handle);
/// The seconds of the Retry-After header, or 0.
int64_t cdp_curl_retry_after(cdp_curl *handle);
/// Whether the last request was sent.
_Bool cdp_curl_was_connected(cdp_curl *handle);
/// The absolute URL that the response redirects to, or NULL; valid until the next request.
const char *cdp_curl_redirect(cdp_curl *handle);

#endif
