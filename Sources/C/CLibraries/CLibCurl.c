// See the header. All calls go through a table of functions that is filled when the library is opened.

// The older form of the protocol options is used on purpose: older libraries lack the newer one.
#define CURL_DISABLE_DEPRECATION 1
// The type checks wrap the setters in macros that require linking with libcurl.
#define CURL_DISABLE_TYPECHECK 1

#include "CLibCurl.h"

#include <CLibraryLoader.h>
#include <curl/curl.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#undef curl_easy_setopt
#undef curl_easy_getinfo

#if LIBCURL_VERSION_NUM < 0x075500
// Since 7.85.0; the numbers are part of libcurl's ABI.
#define CURLOPT_PROTOCOLS_STR ((CURLoption)(CURLOPTTYPE_OBJECTPOINT + 318))
#endif

// The response body arrives in blocks of at most this many bytes.
#define RECEIVE_BYTES_MAX (128L * 1024L)

struct api {
  CURLcode (*global_init)(long);
  CURL *(*easy_init)(void);
  void (*easy_cleanup)(CURL *);
  void (*easy_reset)(CURL *);
  CURLcode (*easy_setopt)(CURL *, CURLoption, ...);
  CURLcode (*easy_getinfo)(CURL *, CURLINFO, ...);
  CURLcode (*easy_perform)(CURL *);
  const char *(*easy_strerror)(CURLcode);
  char *(*version)(void);
  void (*ssl_set_info_callback)(void *, void (*)(const void *, int, int));
  time_t (*getdate)(const char *, const time_t *);
  struct curl_slist *(*slist_append)(struct curl_slist *, const char *);
  void (*slist_free_all)(struct curl_slist *);
};

struct cdp_curl {
  CURL *easy;
  struct curl_slist *headers;
  /// Whether the last TLS connection was closed by its server, or that is unknown.
  _Bool tls_has_ended;
  /// The errno for which the last request had no socket; libcurl does not record it.
  int socket_error;
  /// Memory ran out while the headers were added.
  _Bool lacks_header;
  const cdp_curl_request *request;
  /// When the last byte was transferred, in milliseconds of a monotonic clock.
  int64_t last_transfer_ms;
  char text[CURL_ERROR_SIZE];
};

static const char *const file_names[] = {
#ifdef __APPLE__
    "libcurl.4.dylib", "/usr/lib/libcurl.4.dylib",
#else
    "libcurl.so.4", "libcurl-gnutls.so.4",
#endif
    NULL,
};

static struct api curl;
static int load_error;
static pthread_once_t once = PTHREAD_ONCE_INIT;

#define SYMBOL(name, member) {name, offsetof(struct api, member), 0}
#define OPTIONAL_SYMBOL(name, member) {name, offsetof(struct api, member), 1}

static const cdp_library_symbol symbols[] = {
    SYMBOL("curl_global_init", global_init),
    SYMBOL("curl_easy_init", easy_init),
    SYMBOL("curl_easy_cleanup", easy_cleanup),
    SYMBOL("curl_easy_reset", easy_reset),
    SYMBOL("curl_easy_setopt", easy_setopt),
    SYMBOL("curl_easy_getinfo", easy_getinfo),
    SYMBOL("curl_easy_perform", easy_perform),
    SYMBOL("curl_easy_strerror", easy_strerror),
    SYMBOL("curl_version", version),
    // Of OpenSSL, if libcurl is linked to it.
    OPTIONAL_SYMBOL("SSL_CTX_set_info_callback", ssl_set_info_callback),
    SYMBOL("curl_getdate", getdate),
    SYMBOL("curl_slist_append", slist_append),
    SYMBOL("curl_slist_free_all", slist_free_all),
    {NULL, 0, 0},
};

static const cdp_library library = {file_names, symbols};

static void load_once(void) {
  load_error = cdp_library_load(&library, &curl);
  if (load_error) return;
  CURLcode code = curl.global_init(CURL_GLOBAL_DEFAULT);
  if (code != CURLE_OK) load_error = code == CURLE_OUT_OF_MEMORY ? ENOMEM : ENOENT;
}

int cdp_curl_load(void) {
  pthread_once(&once, load_once);
  return load_error;
}

_Bool cdp_curl_library_is_usable(const char *file_name) { return cdp_library_is_usable(&library, file_name); }

const char *cdp_curl_library_name(void) { return file_names[0]; }

cdp_curl *cdp_curl_new(void) {
  cdp_curl *handle = calloc(1, sizeof *handle);
  if (!handle) return NULL;
  handle->easy = curl.easy_init();
  if (handle->easy) return handle;
  free(handle);
  return NULL;
}

void cdp_curl_free(cdp_curl *handle) {
  if (!handle) return;
  curl.slist_free_all(handle->headers);
  curl.easy_cleanup(handle->easy);
  free(handle);
}

void cdp_curl_add_header(cdp_curl *handle, const char *line) {
  struct curl_slist *longer = curl.slist_append(handle->headers, line);
  if (longer) {
    handle->headers = longer;
  } else {
    handle->lacks_header = 1;
  }
}

static int64_t now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static size_t write_body(char *bytes, size_t size, size_t count, void *context) {
  cdp_curl *handle = context;
  size_t total = size * count;
  const cdp_curl_request *request = handle->request;
  // Any other result than the full count stops the transfer. For an empty block, 0 is the full count.
  _Bool continues = total == 0 || request->receive((const uint8_t *)bytes, total, request->context);
  handle->last_transfer_ms = now_ms();
  return continues ? total : 0;
}

static size_t receive_head(char *bytes, size_t size, size_t count, void *context) {
  cdp_curl *handle = context;
  handle->last_transfer_ms = now_ms();
  handle->request->head((const uint8_t *)bytes, size * count, handle->request->context);
  return size * count;
}

// libcurl's own limit on slow transfers uses averages over seconds and includes the time of the receiver. This function
// is called about once a second even when no data arrives.
static int check_idle(void *context, curl_off_t down_all, curl_off_t down, curl_off_t up_all, curl_off_t up) {
  (void)down_all, (void)down, (void)up_all, (void)up;
  cdp_curl *handle = context;
  // Until the request is sent, only the connection timeout applies.
  if (!cdp_curl_was_connected(handle)) handle->last_transfer_ms = now_ms();
  return now_ms() - handle->last_transfer_ms >= handle->request->idle_timeout_ms;
}

// With OpenSSL, libcurl treats a TLS connection that was cut like one that has ended. An ended one was closed by an alert.
// OpenSSL passes no context to the callback, but calls it in the thread of the transfer.
static _Thread_local cdp_curl *transfer;

static void note_alert(const void *connection, int where, int alert) {
  (void)connection;
  const int read_alert = 0x4004, close_notify = 0x100;
  if (transfer && where == read_alert && alert == close_notify) transfer->tls_has_ended = 1;
}

static CURLcode watch_alerts(CURL *easy, void *context, void *unused) {
  (void)easy, (void)unused;
  curl.ssl_set_info_callback(context, note_alert);
  return CURLE_OK;
}

static curl_socket_t open_socket(void *context, curlsocktype purpose, struct curl_sockaddr *address) {
  (void)purpose;
  int opened = socket(address->family, address->socktype, address->protocol);
  if (opened < 0) ((cdp_curl *)context)->socket_error = errno;
  return opened;
}

// Other TLS libraries report a cut; a context of another library must not be passed to OpenSSL.
static _Bool is_openssl(void) { return curl.ssl_set_info_callback && strstr(curl.version(), " OpenSSL/") != NULL; }

static CURLcode configure(cdp_curl *handle, const cdp_curl_request *request) {
  CURL *easy = handle->easy;
  CURLcode code;
#define SET(option, value)                                                 \
  do {                                                                     \
    if ((code = curl.easy_setopt(easy, option, value)) != CURLE_OK) return code; \
  } while (0)
  SET(CURLOPT_ERRORBUFFER, handle->text);
  SET(CURLOPT_URL, request->url);
  SET(CURLOPT_USERAGENT, request->user_agent);
  SET(CURLOPT_HTTPHEADER, handle->headers);
  // The process has several threads, so SIGALRM must not be used.
  SET(CURLOPT_NOSIGNAL, 1L);
  SET(CURLOPT_NOPROGRESS, 0L);
  SET(CURLOPT_XFERINFOFUNCTION, check_idle);
  SET(CURLOPT_XFERINFODATA, (void *)handle);
  SET(CURLOPT_FOLLOWLOCATION, 0L);
  SET(CURLOPT_SSL_VERIFYPEER, 1L);
  SET(CURLOPT_SSL_VERIFYHOST, 2L);
  SET(CURLOPT_TCP_KEEPALIVE, 1L);
  // Fails if libcurl still has the buffer of a request that got no connection, which then stays in use.
  (void)curl.easy_setopt(easy, CURLOPT_BUFFERSIZE, RECEIVE_BYTES_MAX);
  SET(CURLOPT_CONNECTTIMEOUT_MS, request->connect_timeout_ms);
  SET(CURLOPT_TIMEOUT_MS, request->timeout_ms);
  SET(CURLOPT_WRITEFUNCTION, write_body);
  SET(CURLOPT_WRITEDATA, (void *)handle);
  SET(CURLOPT_OPENSOCKETFUNCTION, open_socket);
  SET(CURLOPT_OPENSOCKETDATA, (void *)handle);
  SET(CURLOPT_HEADERFUNCTION, receive_head);
  SET(CURLOPT_HEADERDATA, (void *)handle);
  if (is_openssl()) SET(CURLOPT_SSL_CTX_FUNCTION, watch_alerts);
  if (request->ca_file) SET(CURLOPT_CAINFO, request->ca_file);
  if (request->netrc_file) {
    SET(CURLOPT_NETRC, (long)CURL_NETRC_OPTIONAL);
    SET(CURLOPT_NETRC_FILE, request->netrc_file);
  }
  code = curl.easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
  if (code == CURLE_UNKNOWN_OPTION) {
    SET(CURLOPT_PROTOCOLS, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
  } else if (code != CURLE_OK) {
    return code;
  }
#undef SET
  return CURLE_OK;
}

int cdp_curl_perform(cdp_curl *handle, const cdp_curl_request *request) {
  handle->text[0] = 0;
  handle->request = request;
  handle->last_transfer_ms = now_ms();
  // A reset keeps the connections open, so that a redirect to the same host reuses them.
  curl.easy_reset(handle->easy);
  CURLcode code = handle->lacks_header ? CURLE_OUT_OF_MEMORY : configure(handle, request);
  handle->tls_has_ended = !is_openssl();
  handle->socket_error = 0;
  transfer = handle;
  if (code == CURLE_OK) code = curl.easy_perform(handle->easy);
  transfer = NULL;
  curl.easy_setopt(handle->easy, CURLOPT_HTTPHEADER, (struct curl_slist *)NULL);
  curl.slist_free_all(handle->headers);
  handle->headers = NULL;
  handle->lacks_header = 0;
  handle->request = NULL;
  return (int)code;
}

cdp_curl_kind cdp_curl_kind_of(int code) {
  switch (code) {
  case CURLE_OK: return CDP_CURL_DONE;
  case CURLE_COULDNT_RESOLVE_PROXY:
  case CURLE_COULDNT_RESOLVE_HOST:
  case CURLE_COULDNT_CONNECT:
  case CURLE_SSL_CONNECT_ERROR:
  case CURLE_SEND_ERROR: return CDP_CURL_TEMPORARY;
  case CURLE_PARTIAL_FILE:
  case CURLE_GOT_NOTHING:
  case CURLE_RECV_ERROR:
  case CURLE_HTTP2:
  case CURLE_HTTP2_STREAM: return CDP_CURL_PARTIAL;
  case CURLE_OPERATION_TIMEDOUT: return CDP_CURL_TIMEOUT;
  case CURLE_URL_MALFORMAT: return CDP_CURL_MALFORMED;
  case CURLE_OUT_OF_MEMORY:
  case CURLE_FAILED_INIT:
  case CURLE_SSL_ENGINE_INITFAILED:
  case CURLE_SSL_CACERT_BADFILE: return CDP_CURL_LOCAL;
  // No other callback aborts a transfer.
  case CURLE_ABORTED_BY_CALLBACK: return CDP_CURL_IDLE;
  case CURLE_WRITE_ERROR: return CDP_CURL_STOPPED;
  default: return CDP_CURL_PERMANENT;
  }
}

int64_t cdp_curl_date(const char *text) {
  return cdp_curl_load() == 0 ? (int64_t)curl.getdate(text, NULL) : -1;
}

const char *cdp_curl_code_message(int code) { return curl.easy_strerror((CURLcode)code); }

const char *cdp_curl_error_message(cdp_curl *handle, int code) {
  return handle->text[0] ? handle->text : curl.easy_strerror((CURLcode)code);
}

_Bool cdp_curl_tls_has_ended(cdp_curl *handle) { return handle->tls_has_ended; }

int cdp_curl_os_error(cdp_curl *handle) {
  long code = 0;
  if (handle->socket_error) return handle->socket_error;
  return curl.easy_getinfo(handle->easy, CURLINFO_OS_ERRNO, &code) == CURLE_OK ? (int)code : 0;
}

long cdp_curl_status(cdp_curl *handle) {
  long status = 0;
  return curl.easy_getinfo(handle->easy, CURLINFO_RESPONSE_CODE, &status) == CURLE_OK ? status : 0;
}

int64_t cdp_curl_expected(cdp_curl *handle) {
  curl_off_t length = -1;
  CURLcode code = curl.easy_getinfo(handle->easy, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &length);
  return code == CURLE_OK ? (int64_t)length : -1;
}

int64_t cdp_curl_retry_after(cdp_curl *handle) {
  curl_off_t seconds = 0;
  return curl.easy_getinfo(handle->easy, CURLINFO_RETRY_AFTER, &seconds) == CURLE_OK ? (int64_t)seconds : 0;
}

_Bool cdp_curl_was_connected(cdp_curl *handle) {
  curl_off_t microseconds = 0;
  return curl.easy_getinfo(handle->easy, CURLINFO_PRETRANSFER_TIME_T, &microseconds) == CURLE_OK &&
         microseconds > 0;
}

const char *cdp_curl_redirect(cdp_curl *handle) {
  char *url = NULL;
  return curl.easy_getinfo(handle->easy, CURLINFO_REDIRECT_URL, &url) == CURLE_OK ? url : NULL;
}
