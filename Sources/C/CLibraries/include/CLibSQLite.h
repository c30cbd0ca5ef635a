// SQLite, opened at the first database: linking it would slow down the start of every filter. Reads one database with
// one query that can only read. SQLiteWriting.h writes databases.
//
// Not for: choosing the query, or the meaning of its columns, which are up to the parse stage.

#ifndef CDPIPE_LIBSQLITE_H
#define CDPIPE_LIBSQLITE_H

#include <stddef.h>
#include <stdint.h>

#include "SQLiteWriting.h"

/// Opens the library, once per process. Returns 0, or an error number like cdp_library_load. Any thread may call it.
int cdp_sqlite_load(void);
/// Returns whether a library of another name could be opened, for tests of the error.
_Bool cdp_sqlite_library_is_usable(const char *file_name);
/// The library's file name, for messages.
const char *cdp_sqlite_library_name(void);

/// The kinds of errors that the parse stage distinguishes.
typedef enum cdp_sqlite_error_kind {
  CDP_SQLITE_NONE,
  /// The file is not a database.
  CDP_SQLITE_NOT_A_DATABASE,
  /// The database is damaged.
  CDP_SQLITE_DAMAGED,
  /// Reading it, or writing a temporary file, failed.
  CDP_SQLITE_IO,
  CDP_SQLITE_MEMORY,
  /// A value or a row is longer than the limit.
  CDP_SQLITE_TOO_LONG,
  /// The query took more time than the limit.
  CDP_SQLITE_TOO_SLOW,
  /// The query does something other than reading.
  CDP_SQLITE_FORBIDDEN,
  /// Something other than comments follows the query.
  CDP_SQLITE_SEVERAL_STATEMENTS,
  /// The query returns no columns, or is empty.
  CDP_SQLITE_NO_COLUMNS,
  /// The query's text is not SQL.
  CDP_SQLITE_SYNTAX,
  /// The query can't be run on this database, such as for a missing table.
  CDP_SQLITE_QUERY,
} cdp_sqlite_error_kind;

typedef struct cdp_sqlite_error {
  cdp_sqlite_error_kind kind;
  /// SQLite's extended error code and message.
  int code;
  char text[200];
} cdp_sqlite_error;

/// The limits of reading a database.
typedef struct cdp_sqlite_limits {
  /// The memory of SQLite in bytes, for all databases of the process together.
  int64_t heap_bytes_max;
  /// The size of the page cache in bytes.
  int32_t cache_bytes_max;
  /// The largest size of a value or row in bytes.
  int32_t value_bytes_max;
  /// The largest size of a query in bytes.
  int32_t query_bytes_max;
  /// The processor time of the thread that reads the database, in seconds from its opening on.
  double query_seconds_max;
} cdp_sqlite_limits;

/// An open database and its current query.
typedef struct cdp_sqlite cdp_sqlite;

/// Opens a database through a descriptor, read-only and as a file that does not change; NULL on error. The descriptor
/// must stay open as long as the database. The library must be loaded.
cdp_sqlite *cdp_sqlite_open(int file, cdp_sqlite_limits limits, cdp_sqlite_error *error);
void cdp_sqlite_close(cdp_sqlite *database);

/// Prepares a query, which becomes the current one; returns false on error.
_Bool cdp_sqlite_prepare(cdp_sqlite *database, const char *query, size_t count, cdp_sqlite_error *error);
/// Goes to the next row: returns 1 if there is one, 0 at the end, -1 on error.
int cdp_sqlite_step(cdp_sqlite *database, cdp_sqlite_error *error);

/// The number of columns of the query, and their names. Names are never NULL and valid as long as the query.
int cdp_sqlite_column_count(cdp_sqlite *database);
const char *cdp_sqlite_column_name(cdp_sqlite *database, int column);

typedef enum cdp_sqlite_type {
  CDP_SQLITE_NULL,
  CDP_SQLITE_INTEGER,
  CDP_SQLITE_REAL,
  CDP_SQLITE_TEXT,
  CDP_SQLITE_BLOB,
} cdp_sqlite_type;

/// The type of a value in the current row.
cdp_sqlite_type cdp_sqlite_column_type(cdp_sqlite *database, int column);
int64_t cdp_sqlite_column_integer(cdp_sqlite *database, int column);
double cdp_sqlite_column_real(cdp_sqlite *database, int column);
/// The bytes of a blob, or a value as text; NULL for none. Valid until the next step.
const uint8_t *cdp_sqlite_column_bytes(cdp_sqlite *database, int column, size_t *count);

#endif
