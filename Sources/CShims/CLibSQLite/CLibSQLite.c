// See the header. The library's functions are resolved by name into one table (Library.h), and called through it.

#include "CLibSQLite.h"

#include "Descriptor.h"
#include "Library.h"

#include <dlfcn.h>
#include <pthread.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct cdp_sqlite {
  sqlite3 *database;
  sqlite3_stmt *query;
  _Bool is_forbidden;
};

static const char *const usual_names[] = {
#ifdef __APPLE__
    "libsqlite3.dylib", "/usr/lib/libsqlite3.dylib",
#else
    "libsqlite3.so.0",
#endif
};

struct cdp_sqlite_functions cdp_sqlite_functions;
static cdp_sqlite_loading loading = CDP_SQLITE_MISSING;
static pthread_once_t once = PTHREAD_ONCE_INIT;

// POSIX says that a data pointer from dlsym may be a function; ISO C wants the detour through memory.
static _Bool resolve(void *library, const char *name, void *slot) {
  void *function = dlsym(library, name);
  memcpy(slot, &function, sizeof function);
  return function != NULL;
}

static cdp_sqlite_loading open_library(const char *name, struct cdp_sqlite_functions *api, void **library) {
  *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (!*library) return CDP_SQLITE_MISSING;
  _Bool whole = resolve(*library, "sqlite3_open_v2", &api->open) &&
                resolve(*library, "sqlite3_close_v2", &api->close) &&
                resolve(*library, "sqlite3_exec", &api->exec) &&
                resolve(*library, "sqlite3_limit", &api->limit) &&
                resolve(*library, "sqlite3_set_authorizer", &api->set_authorizer) &&
                resolve(*library, "sqlite3_prepare_v2", &api->prepare) &&
                resolve(*library, "sqlite3_finalize", &api->finalize) &&
                resolve(*library, "sqlite3_step", &api->step) &&
                resolve(*library, "sqlite3_stmt_readonly", &api->is_readonly) &&
                resolve(*library, "sqlite3_column_count", &api->column_count) &&
                resolve(*library, "sqlite3_column_name", &api->column_name) &&
                resolve(*library, "sqlite3_column_type", &api->column_type) &&
                resolve(*library, "sqlite3_column_int64", &api->column_integer) &&
                resolve(*library, "sqlite3_column_double", &api->column_real) &&
                resolve(*library, "sqlite3_column_blob", &api->column_blob) &&
                resolve(*library, "sqlite3_column_text", &api->column_text) &&
                resolve(*library, "sqlite3_column_bytes", &api->column_bytes) &&
                resolve(*library, "sqlite3_extended_errcode", &api->extended_code) &&
                resolve(*library, "sqlite3_extended_result_codes", &api->extended_codes) &&
                resolve(*library, "sqlite3_errmsg", &api->message) &&
                resolve(*library, "sqlite3_vfs_find", &api->find_vfs) &&
                resolve(*library, "sqlite3_vfs_register", &api->register_vfs) &&
                resolve(*library, "sqlite3_soft_heap_limit64", &api->soft_heap_limit) &&
                resolve(*library, "sqlite3_busy_timeout", &api->busy_timeout) &&
                resolve(*library, "sqlite3_bind_int64", &api->bind_integer) &&
                resolve(*library, "sqlite3_bind_text", &api->bind_text) &&
                resolve(*library, "sqlite3_reset", &api->reset) &&
                resolve(*library, "sqlite3_last_insert_rowid", &api->last_row) &&
                resolve(*library, "sqlite3_changes", &api->changes);
  if (whole) {
    resolve(*library, "sqlite3_hard_heap_limit64", &api->hard_heap_limit);
    return CDP_SQLITE_LOADED;
  }
  dlclose(*library);
  *library = NULL;
  return CDP_SQLITE_UNUSABLE;
}

static void load_once(void) {
  void *library = NULL;
  for (size_t i = 0; i < sizeof usual_names / sizeof usual_names[0] && !library; i++) {
    cdp_sqlite_loading result = open_library(usual_names[i], &cdp_sqlite_functions, &library);
    if (result != CDP_SQLITE_MISSING) loading = result;
  }
  if (!library) return;
  static sqlite3_vfs descriptors;
  sqlite3_vfs *usual = cdp_sqlite_functions.find_vfs(NULL);
  if (usual) cdp_descriptor_vfs(&descriptors, usual);
  if (!usual || cdp_sqlite_functions.register_vfs(&descriptors, 0) != SQLITE_OK) loading = CDP_SQLITE_UNUSABLE;
}

cdp_sqlite_loading cdp_sqlite_load(void) {
  pthread_once(&once, load_once);
  return loading;
}

cdp_sqlite_loading cdp_sqlite_try_loading(const char *name) {
  struct cdp_sqlite_functions api;
  void *library = NULL;
  cdp_sqlite_loading result = open_library(name, &api, &library);
  if (library) dlclose(library);
  return result;
}

const char *cdp_sqlite_library_name(void) { return usual_names[0]; }

static cdp_sqlite_trouble trouble_of(const cdp_sqlite *database, int code) {
  switch (code & 0xFF) {
  case SQLITE_NOTADB: return CDP_SQLITE_NOT_A_DATABASE;
  case SQLITE_CORRUPT: return CDP_SQLITE_DAMAGED;
  case SQLITE_IOERR:
    // A file that is shorter than its header says.
    return code == SQLITE_IOERR_SHORT_READ ? CDP_SQLITE_DAMAGED : CDP_SQLITE_IO;
  case SQLITE_FULL:
  case SQLITE_CANTOPEN: return CDP_SQLITE_IO;
  case SQLITE_NOMEM: return CDP_SQLITE_MEMORY;
  case SQLITE_TOOBIG: return CDP_SQLITE_TOO_LONG;
  case SQLITE_AUTH:
  case SQLITE_READONLY:
  case SQLITE_PERM: return CDP_SQLITE_FORBIDDEN;
  default: return database->is_forbidden ? CDP_SQLITE_FORBIDDEN : CDP_SQLITE_QUERY;
  }
}

static void set_error(cdp_sqlite_error *error, cdp_sqlite_trouble trouble, int code, const char *text) {
  error->trouble = trouble;
  error->code = code;
  snprintf(error->text, sizeof error->text, "%s", text);
}

static void set_last_error(cdp_sqlite_error *error, const cdp_sqlite *database) {
  int code = cdp_sqlite_functions.extended_code(database->database);
  set_error(error, trouble_of(database, code), code, cdp_sqlite_functions.message(database->database));
}

// Functions that reach outside the database, should the library have them.
static _Bool is_outside(const char *function) {
  static const char *const names[] = {"load_extension", "fts3_tokenizer", "readfile", "writefile", "edit",
                                      "fileio_read",    "fsdir",          "lsdir",    "zipfile"};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
    if (strcasecmp(function, names[i]) == 0) return 1;
  return 0;
}

// Asked of every action of a query before it runs: reading is allowed and nothing else.
static int authorize(void *context, int action, const char *first, const char *second, const char *third,
                     const char *fourth) {
  (void)first, (void)third, (void)fourth;
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
  database->is_forbidden = 1;
  return SQLITE_DENY;
}

static _Bool configure(cdp_sqlite *database, cdp_sqlite_limits limits) {
  char text[256];
  // Sorting goes to files, which SQLite unlinks as it makes them, so that memory stays within the cache. Names in
  // the schema are not trusted: a view can't call what could do harm.
  snprintf(text, sizeof text,
           "PRAGMA cache_size=-%d; PRAGMA mmap_size=0; PRAGMA temp_store=FILE; PRAGMA query_only=ON; "
           "PRAGMA trusted_schema=OFF; PRAGMA cell_size_check=ON;",
           (int)(limits.cache_bytes_max / 1024));
  if (cdp_sqlite_functions.exec(database->database, text, NULL, NULL, NULL) != SQLITE_OK) return 0;
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
  // Behind the query may stand a semicolon and comments, which are no statement. Anything else is one, or an error.
  while (rest && rest < query + count) {
    sqlite3_stmt *second = NULL;
    const char *start = rest;
    int code = cdp_sqlite_functions.prepare(database->database, start, (int)(query + count - start), &second, &rest);
    _Bool is_statement = code != SQLITE_OK || second != NULL;
    cdp_sqlite_functions.finalize(second);
    if (is_statement) {
      set_error(error, CDP_SQLITE_SEVERAL, 0, "more than one statement");
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
  // A database may hold its text as UTF-16; as text it comes as UTF-8, and so does what a number looks like.
  const uint8_t *bytes = cdp_sqlite_functions.column_type(database->query, column) == SQLITE_BLOB
                             ? cdp_sqlite_functions.column_blob(database->query, column)
                             : cdp_sqlite_functions.column_text(database->query, column);
  int length = bytes ? cdp_sqlite_functions.column_bytes(database->query, column) : 0;
  *count = length < 0 ? 0 : (size_t)length;
  return bytes;
}
