// See the header. All calls go through a table of functions (Library.h) that is filled when the library is opened.

#include "CLibSQLite.h"

#include "Descriptor.h"
#include "Library.h"

#include <CLibraryLoader.h>
#include <errno.h>
#include <pthread.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

struct cdp_sqlite {
  sqlite3 *database;
  sqlite3_stmt *query;
  _Bool is_forbidden;
  // The processor time of this thread at which the query is interrupted.
  double deadline;
};

static const char *const file_names[] = {
#ifdef __APPLE__
    "libsqlite3.dylib", "/usr/lib/libsqlite3.dylib",
#else
    "libsqlite3.so.0",
#endif
    NULL,
};

struct cdp_sqlite_functions cdp_sqlite_functions;
static int load_error;
static pthread_once_t once = PTHREAD_ONCE_INIT;

#define SYMBOL(name, member) {name, offsetof(struct cdp_sqlite_functions, member), 0}
#define OPTIONAL_SYMBOL(name, member) {name, offsetof(struct cdp_sqlite_functions, member), 1}

static const cdp_library_symbol symbols[] = {
    SYMBOL("sqlite3_open_v2", open),
    SYMBOL("sqlite3_close_v2", close),
    SYMBOL("sqlite3_exec", exec),
    SYMBOL("sqlite3_limit", limit),
    SYMBOL("sqlite3_set_authorizer", set_authorizer),
    SYMBOL("sqlite3_progress_handler", progress_handler),
    SYMBOL("sqlite3_prepare_v2", prepare),
    SYMBOL("sqlite3_finalize", finalize),
    SYMBOL("sqlite3_step", step),
    SYMBOL("sqlite3_stmt_readonly", is_readonly),
    SYMBOL("sqlite3_column_count", column_count),
    SYMBOL("sqlite3_column_name", column_name),
    SYMBOL("sqlite3_column_type", column_type),
    SYMBOL("sqlite3_column_int64", column_integer),
    SYMBOL("sqlite3_column_double", column_real),
    SYMBOL("sqlite3_column_blob", column_blob),
    SYMBOL("sqlite3_column_text", column_text),
    SYMBOL("sqlite3_column_bytes", column_bytes),
    SYMBOL("sqlite3_extended_errcode", extended_code),
    SYMBOL("sqlite3_extended_result_codes", extended_codes),
    SYMBOL("sqlite3_errmsg", message),
    SYMBOL("sqlite3_vfs_find", find_vfs),
    SYMBOL("sqlite3_vfs_register", register_vfs),
    SYMBOL("sqlite3_soft_heap_limit64", soft_heap_limit),
    SYMBOL("sqlite3_busy_timeout", busy_timeout),
    SYMBOL("sqlite3_bind_int64", bind_integer),
    SYMBOL("sqlite3_bind_null", bind_null),
    SYMBOL("sqlite3_bind_text", bind_text),
    SYMBOL("sqlite3_reset", reset),
    SYMBOL("sqlite3_last_insert_rowid", last_row),
    SYMBOL("sqlite3_changes", changes),
    OPTIONAL_SYMBOL("sqlite3_hard_heap_limit64", hard_heap_limit),
    {NULL, 0, 0},
};

static const cdp_library library = {file_names, symbols};

static void load_once(void) {
  load_error = cdp_library_load(&library, &cdp_sqlite_functions);
  if (load_error) return;
  static sqlite3_vfs descriptors;
  sqlite3_vfs *standard = cdp_sqlite_functions.find_vfs(NULL);
  if (!standard) {
    load_error = ENOENT;
    return;
  }
  cdp_descriptor_vfs(&descriptors, standard);
  int code = cdp_sqlite_functions.register_vfs(&descriptors, 0);
  if (code != SQLITE_OK) load_error = code == SQLITE_NOMEM ? ENOMEM : ENOENT;
}

int cdp_sqlite_load(void) {
  pthread_once(&once, load_once);
  return load_error;
}

_Bool cdp_sqlite_library_is_usable(const char *file_name) { return cdp_library_is_usable(&library, file_name); }

const char *cdp_sqlite_library_name(void) { return file_names[0]; }

// SQLite has one code for errors in the query's text and in what it refers to.
static _Bool is_syntax_error(const char *message) {
  static const char *const texts[] = {"syntax error", "incomplete input", "unrecognized token"};
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
    if (strstr(message, texts[i])) return 1;
  return 0;
}

static cdp_sqlite_error_kind kind_of(const cdp_sqlite *database, int code) {
  switch (code & 0xFF) {
  case SQLITE_NOTADB: return CDP_SQLITE_NOT_A_DATABASE;
  case SQLITE_CORRUPT: return CDP_SQLITE_DAMAGED;
  case SQLITE_IOERR:
    // The file is shorter than its header states.
    return code == SQLITE_IOERR_SHORT_READ ? CDP_SQLITE_DAMAGED : CDP_SQLITE_IO;
  case SQLITE_FULL:
  case SQLITE_CANTOPEN: return CDP_SQLITE_IO;
  case SQLITE_NOMEM: return CDP_SQLITE_MEMORY;
  case SQLITE_TOOBIG: return CDP_SQLITE_TOO_LONG;
  case SQLITE_INTERRUPT: return CDP_SQLITE_TOO_SLOW;
  case SQLITE_AUTH: return database->is_forbidden ? CDP_SQLITE_FORBIDDEN : CDP_SQLITE_QUERY;
  case SQLITE_READONLY:
  case SQLITE_PERM: return CDP_SQLITE_FORBIDDEN;
  default:
    if (database->is_forbidden) return CDP_SQLITE_FORBIDDEN;
    return is_syntax_error(cdp_sqlite_functions.message(database->database)) ? CDP_SQLITE_SYNTAX : CDP_SQLITE_QUERY;
  }
}

static void set_error(cdp_sqlite_error *error, cdp_sqlite_error_kind kind, int code, const char *text) {
  error->kind = kind;
  error->code = code;
  snprintf(error->text, sizeof error->text, "%s", text);
}

static void set_last_error(cdp_sqlite_error *error, const cdp_sqlite *database) {
  int code = cdp_sqlite_functions.extended_code(database->database);
  set_error(error, kind_of(database, code), code, cdp_sqlite_functions.message(database->database));
}

// SQL functions that access something outside the database, if the library has them.
static _Bool is_outside(const char *function) {
  static const char *const names[] = {"load_extension", "fts3_tokenizer", "readfile", "writefile", "edit",
                                      "fileio_read",    "fsdir",          "lsdir",    "zipfile"};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
    if (strcasecmp(function, names[i]) == 0) return 1;
  return 0;
}

// Called for every action of a query before it runs: only reading is allowed.
static int authorize(void *context, int action, const char *first, const char *second, const char *third,
                     const char *fourth) {
  (void)first, (void)third;
  cdp_sqlite *database = context;
  switch (action) {
  case SQLITE_SELECT:
  case SQLITE_READ:
  case SQLITE_RECURSIVE: return SQLITE_OK;
  case SQLITE_FUNCTION:
    if (second && !is_outside(second)) return SQLITE_OK;
    break;
  default: break;
  }
  // The last argument names the view that contains the action, if it is not the query itself.
  if (!fourth) database->is_forbidden = 1;
  return SQLITE_DENY;
}

static double thread_seconds(void) {
  struct timespec now;
  return clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now) == 0 ? (double)now.tv_sec + (double)now.tv_nsec * 1e-9 : 0;
}

// Called after this many instructions of SQLite's virtual machine: a millisecond's, so that asking for the time costs
// nothing.
enum { progress_interval = 100000 };

// Whether to interrupt the query.
static int check_time(void *context) {
  const cdp_sqlite *database = context;
  return thread_seconds() > database->deadline;
}

static _Bool configure(cdp_sqlite *database, cdp_sqlite_limits limits) {
  char text[256];
  // Sorting uses files, which SQLite unlinks when it creates them, so that memory stays within the cache size. The
  // schema is not trusted: views can't call harmful functions.
  snprintf(text, sizeof text,
           "PRAGMA cache_size=-%d; PRAGMA mmap_size=0; PRAGMA temp_store=FILE; PRAGMA query_only=ON; "
           "PRAGMA trusted_schema=OFF; PRAGMA cell_size_check=ON;",
           (int)(limits.cache_bytes_max / 1024));
  if (cdp_sqlite_functions.exec(database->database, text, NULL, NULL, NULL) != SQLITE_OK) return 0;
  database->deadline = thread_seconds() + limits.query_seconds_max;
  cdp_sqlite_functions.progress_handler(database->database, progress_interval, check_time, database);
  cdp_sqlite_functions.limit(database->database, SQLITE_LIMIT_ATTACHED, 0);
  cdp_sqlite_functions.limit(database->database, SQLITE_LIMIT_LENGTH, limits.value_bytes_max);
  cdp_sqlite_functions.limit(database->database, SQLITE_LIMIT_SQL_LENGTH, limits.query_bytes_max);
  cdp_sqlite_functions.limit(database->database, SQLITE_LIMIT_WORKER_THREADS, 0);
  return cdp_sqlite_functions.set_authorizer(database->database, authorize, database) == SQLITE_OK;
}

cdp_sqlite *cdp_sqlite_open(int file, cdp_sqlite_limits limits, cdp_sqlite_error *error) {
  memset(error, 0, sizeof *error);
  cdp_sqlite *database = calloc(1, sizeof *database);
  if (!database) {
    set_error(error, CDP_SQLITE_MEMORY, SQLITE_NOMEM, "out of memory");
    return NULL;
  }
  cdp_sqlite_functions.soft_heap_limit(limits.heap_bytes_max / 2);
  if (cdp_sqlite_functions.hard_heap_limit) cdp_sqlite_functions.hard_heap_limit(limits.heap_bytes_max);
  char name[16];
  snprintf(name, sizeof name, "%d", file);
  int code = cdp_sqlite_functions.open(name, &database->database,
                         SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE, CDP_DESCRIPTOR_VFS);
  if (code == SQLITE_OK) {
    cdp_sqlite_functions.extended_codes(database->database, 1);
    if (configure(database, limits)) return database;
    code = cdp_sqlite_functions.extended_code(database->database);
  }
  if (database->database) {
    set_last_error(error, database);
  } else {
    set_error(error, CDP_SQLITE_MEMORY, code, "out of memory");
  }
  cdp_sqlite_close(database);
  return NULL;
}

void cdp_sqlite_close(cdp_sqlite *database) {
  if (!database) return;
  cdp_sqlite_functions.finalize(database->query);
  cdp_sqlite_functions.close(database->database);
  free(database);
}

_Bool cdp_sqlite_prepare(cdp_sqlite *database, const char *query, size_t count, cdp_sqlite_error *error) {
  memset(error, 0, sizeof *error);
  cdp_sqlite_functions.finalize(database->query);
  database->query = NULL;
  database->is_forbidden = 0;
  const char *rest = NULL;
  if (cdp_sqlite_functions.prepare(database->database, query, (int)count, &database->query, &rest) != SQLITE_OK) {
    set_last_error(error, database);
    return 0;
  }
  if (!database->query) {
    set_error(error, CDP_SQLITE_NO_COLUMNS, 0, "no query");
    return 0;
  }
  if (!cdp_sqlite_functions.is_readonly(database->query)) {
    set_error(error, CDP_SQLITE_FORBIDDEN, 0, "not a query");
    return 0;
  }
  if (cdp_sqlite_functions.column_count(database->query) == 0) {
    set_error(error, CDP_SQLITE_NO_COLUMNS, 0, "no columns");
    return 0;
  }
  // After the query there may be a semicolon and comments. Anything else is a statement or an error.
  while (rest && rest < query + count) {
    sqlite3_stmt *second = NULL;
    const char *start = rest;
    int code = cdp_sqlite_functions.prepare(database->database, start, (int)(query + count - start), &second, &rest);
    _Bool is_statement = code != SQLITE_OK || second != NULL;
    cdp_sqlite_functions.finalize(second);
    if (is_statement) {
      set_error(error, CDP_SQLITE_SEVERAL_STATEMENTS, 0, "more than one statement");
      return 0;
    }
    if (rest == start) break;
  }
  return 1;
}

int cdp_sqlite_step(cdp_sqlite *database, cdp_sqlite_error *error) {
  int code = cdp_sqlite_functions.step(database->query);
  if (code == SQLITE_ROW) return 1;
  if (code == SQLITE_DONE) return 0;
  memset(error, 0, sizeof *error);
  set_last_error(error, database);
  return -1;
}

int cdp_sqlite_column_count(cdp_sqlite *database) { return cdp_sqlite_functions.column_count(database->query); }

const char *cdp_sqlite_column_name(cdp_sqlite *database, int column) {
  const char *name = cdp_sqlite_functions.column_name(database->query, column);
  return name ? name : "";
}

cdp_sqlite_type cdp_sqlite_column_type(cdp_sqlite *database, int column) {
  switch (cdp_sqlite_functions.column_type(database->query, column)) {
  case SQLITE_INTEGER: return CDP_SQLITE_INTEGER;
  case SQLITE_FLOAT: return CDP_SQLITE_REAL;
  case SQLITE_TEXT: return CDP_SQLITE_TEXT;
  case SQLITE_BLOB: return CDP_SQLITE_BLOB;
  default: return CDP_SQLITE_NULL;
  }
}

int64_t cdp_sqlite_column_integer(cdp_sqlite *database, int column) {
  return cdp_sqlite_functions.column_integer(database->query, column);
}

double cdp_sqlite_column_real(cdp_sqlite *database, int column) {
  return cdp_sqlite_functions.column_real(database->query, column);
}

const uint8_t *cdp_sqlite_column_bytes(cdp_sqlite *database, int column, size_t *count) {
  // SQLite converts UTF-16 text, and numbers, to UTF-8 text.
  const uint8_t *bytes = cdp_sqlite_functions.column_type(database->query, column) == SQLITE_BLOB
                             ? cdp_sqlite_functions.column_blob(database->query, column)
                             : cdp_sqlite_functions.column_text(database->query, column);
  int length = bytes ? cdp_sqlite_functions.column_bytes(database->query, column) : 0;
  *count = length < 0 ? 0 : (size_t)length;
  return bytes;
}
