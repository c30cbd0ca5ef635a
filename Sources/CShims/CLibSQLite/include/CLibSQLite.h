// SQLite, opened when the first database comes by: linked, it would be one more library for every filter's start.
// Reads one database with one query, and lets that query do nothing but read. What writes databases of our own is in
// SQLiteWriting.h.
//
// Not for: which query, and what its columns mean. That is the parse stage's.

#ifndef CDPIPE_LIBSQLITE_H
#define CDPIPE_LIBSQLITE_H

#include <stddef.h>
#include <stdint.h>

#include "SQLiteWriting.h"

/// Opens the library, once per process, and returns whether that worked. Any thread may call it.
_Bool cdp_sqlite_load(void);
/// Returns whether a library of another name could be opened, for tests of the error.
_Bool cdp_sqlite_library_is_usable(const char *file_name);
/// The library's file name, for messages.
const char *cdp_sqlite_library_name(void);

/// What went wrong, as far as the parse stage tells one from another.
typedef enum cdp_sqlite_trouble {
  CDP_SQLITE_NONE,
  /// The file is no database.
  CDP_SQLITE_NOT_A_DATABASE,
  /// It is one, and its pages are not what they should be.
  CDP_SQLITE_DAMAGED,
  /// Reading it, or writing a temporary file, failed.
  CDP_SQLITE_IO,
  CDP_SQLITE_MEMORY,
  /// A value or a row is longer than the limit.
  CDP_SQLITE_TOO_LONG,
  /// The query wants something other than to read.
  CDP_SQLITE_FORBIDDEN,
  /// There is something behind the query.
  CDP_SQLITE_SEVERAL,
  /// The query gives no columns, or there is none.
  CDP_SQLITE_NO_COLUMNS,
  /// Anything else that is wrong with the query.
  CDP_SQLITE_QUERY,
} cdp_sqlite_trouble;

typedef struct cdp_sqlite_error {
  cdp_sqlite_trouble trouble;
  /// SQLite's extended code and its own words.
  int code;
  char text[200];
} cdp_sqlite_error;

/// What a database may cost.
typedef struct cdp_sqlite_limits {
  /// The most memory that SQLite takes, for all databases of the process together.
  int64_t heap_bytes_max;
  /// The page cache.
  int32_t cache_bytes_max;
  /// The longest value or row.
  int32_t value_bytes_max;
  /// The longest query.
  int32_t query_bytes_max;
} cdp_sqlite_limits;

/// An open database and its present query.
typedef struct cdp_sqlite cdp_sqlite;

/// Opens the database behind a descriptor, which must stay open as long as the database does, to be read only, as
/// a file that nobody changes. NULL on failure. The library must be loaded.
cdp_sqlite *cdp_sqlite_open(int file, cdp_sqlite_limits limits, cdp_sqlite_error *error);
void cdp_sqlite_close(cdp_sqlite *database);

/// Makes a query the present one; false on failure.
_Bool cdp_sqlite_prepare(cdp_sqlite *database, const char *query, size_t count, cdp_sqlite_error *error);
/// Goes to the next row: 1 when there is one, 0 at the end, -1 on failure.
int cdp_sqlite_step(cdp_sqlite *database, cdp_sqlite_error *error);

/// The number of the query's columns, and their names; a name is never NULL, and lives as long as the query.
int cdp_sqlite_column_count(cdp_sqlite *database);
const char *cdp_sqlite_column_name(cdp_sqlite *database, int column);

typedef enum cdp_sqlite_type {
  CDP_SQLITE_NULL,
  CDP_SQLITE_INTEGER,
  CDP_SQLITE_REAL,
  CDP_SQLITE_TEXT,
  CDP_SQLITE_BLOB,
} cdp_sqlite_type;

/// The type of a value of the present row.
cdp_sqlite_type cdp_sqlite_column_type(cdp_sqlite *database, int column);
int64_t cdp_sqlite_column_integer(cdp_sqlite *database, int column);
double cdp_sqlite_column_real(cdp_sqlite *database, int column);
/// The bytes of a blob, or a value's text; NULL for none. They live until the next step.
const uint8_t *cdp_sqlite_column_bytes(cdp_sqlite *database, int column, size_t *count);

#endif
