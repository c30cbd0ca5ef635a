// The table of the SQLite functions that this target calls.
//
// Not for: Swift, which sees only the headers in include/.

#ifndef CDPIPE_SQLITE_LIBRARY_H
#define CDPIPE_SQLITE_LIBRARY_H

#include <sqlite3.h>

struct cdp_sqlite_functions {
  int (*open)(const char *, sqlite3 **, int, const char *);
  int (*close)(sqlite3 *);
  int (*exec)(sqlite3 *, const char *, int (*)(void *, int, char **, char **), void *, char **);
  int (*limit)(sqlite3 *, int, int);
  int (*set_authorizer)(sqlite3 *, int (*)(void *, int, const char *, const char *, const char *, const char *),
                        void *);
  void (*progress_handler)(sqlite3 *, int, int (*)(void *), void *);
  int (*prepare)(sqlite3 *, const char *, int, sqlite3_stmt **, const char **);
  int (*finalize)(sqlite3_stmt *);
  int (*step)(sqlite3_stmt *);
  int (*is_readonly)(sqlite3_stmt *);
  int (*column_count)(sqlite3_stmt *);
  const char *(*column_name)(sqlite3_stmt *, int);
  int (*column_type)(sqlite3_stmt *, int);
  sqlite3_int64 (*column_integer)(sqlite3_stmt *, int);
  double (*column_real)(sqlite3_stmt *, int);
  const void *(*column_blob)(sqlite3_stmt *, int);
  const unsigned char *(*column_text)(sqlite3_stmt *, int);
  int (*column_bytes)(sqlite3_stmt *, int);
  int (*extended_code)(sqlite3 *);
  int (*extended_codes)(sqlite3 *, int);
  const char *(*message)(sqlite3 *);
  sqlite3_vfs *(*find_vfs)(const char *);
  int (*register_vfs)(sqlite3_vfs *, int);
  sqlite3_int64 (*soft_heap_limit)(sqlite3_int64);
  int (*busy_timeout)(sqlite3 *, int);
  int (*bind_integer)(sqlite3_stmt *, int, sqlite3_int64);
  int (*bind_null)(sqlite3_stmt *, int);
  int (*bind_text)(sqlite3_stmt *, int, const char *, int, void (*)(void *));
  int (*reset)(sqlite3_stmt *);
  sqlite3_int64 (*last_row)(sqlite3 *);
  int (*changes)(sqlite3 *);
  // Since 3.31.0. Without it there is only the soft limit.
  sqlite3_int64 (*hard_heap_limit)(sqlite3_int64);
};

/// Filled by `cdp_sqlite_load`.
extern struct cdp_sqlite_functions cdp_sqlite_functions;

#endif
