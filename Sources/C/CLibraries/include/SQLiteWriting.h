// Creates, fills and queries the databases of cdpipe with prepared statements.
//
// Not for: databases from elsewhere. CLibSQLite.h reads those without trusting them.

#ifndef CDPIPE_SQLITE_WRITING_H
#define CDPIPE_SQLITE_WRITING_H

#include <stddef.h>
#include <stdint.h>

/// An open database.
typedef struct cdp_sqlite_store cdp_sqlite_store;
/// A prepared statement. Finalize it before the database is closed.
typedef struct cdp_sqlite_statement cdp_sqlite_statement;

/// Opens or creates a database for writing; NULL and the SQLite code on error. The library must be loaded. Any thread
/// may use the database, but only one at a time.
cdp_sqlite_store *cdp_sqlite_store_open(const char *path, int *code);
/// Opens an empty file for writing, by its descriptor, which must be open for reading and writing as long as the
/// database. There are no locks, and nothing is synced; set `journal_mode` to OFF, because a journal would need a name.
cdp_sqlite_store *cdp_sqlite_store_open_descriptor(int file, int *code);
/// Returns the errno of this thread's last failure to write a descriptor's file since the last call; 0 for none, such
/// as after a failure to write a temporary file.
int cdp_sqlite_store_take_write_error(void);
void cdp_sqlite_store_close(cdp_sqlite_store *store);

/// Runs statements that return no rows. Returns the SQLite code, 0 for success.
int cdp_sqlite_store_run(cdp_sqlite_store *store, const char *statements);
/// The row ID of the last INSERT, and the number of rows that the last statement changed.
int64_t cdp_sqlite_store_last_row(cdp_sqlite_store *store);
int64_t cdp_sqlite_store_changes(cdp_sqlite_store *store);

/// Prepares a statement; NULL and the SQLite code on error.
cdp_sqlite_statement *cdp_sqlite_statement_make(cdp_sqlite_store *store, const char *text, int *code);
void cdp_sqlite_statement_finalize(cdp_sqlite_statement *statement);

/// Sets a parameter; the first is 1. The bytes of text must not change until the statement has stepped to its end or is
/// reset. Returns the SQLite code.
int cdp_sqlite_statement_bind_integer(cdp_sqlite_statement *statement, int place, int64_t value);
int cdp_sqlite_statement_bind_text(cdp_sqlite_statement *statement, int place, const uint8_t *bytes, size_t count);

/// Goes to the next row: returns -1 if there is one, 0 at the end, the SQLite code on error. At the end and on error
/// the statement is reset, so that it can be bound and stepped again.
int cdp_sqlite_statement_step(cdp_sqlite_statement *statement);
/// Resets a statement before its last row.
void cdp_sqlite_statement_reset(cdp_sqlite_statement *statement);

/// A value in the current row; the first column is 0. Text is valid until the next step, and NULL if there is none.
int64_t cdp_sqlite_statement_integer(cdp_sqlite_statement *statement, int column);
const uint8_t *cdp_sqlite_statement_text(cdp_sqlite_statement *statement, int column, size_t *count);

/// The fields of a record besides its numbers: the bytes of the label, the source and the day, one after another, begin
/// at `start` in the texts. An empty text is NULL.
typedef struct cdp_sqlite_record_fields {
  uint32_t start;
  uint32_t label_bytes;
  uint32_t source_bytes;
  uint32_t day_bytes;
  _Bool has_score;
  int64_t score;
} cdp_sqlite_record_fields;

/// Records in columns. `fields_indices` refers to `fields`.
typedef struct cdp_sqlite_records {
  size_t count;
  const uint64_t *firsts;
  const uint64_t *lasts;
  const uint32_t *fields_indices;
  const cdp_sqlite_record_fields *fields;
  const uint8_t *texts;
  /// Whether the rows have a column for the day.
  _Bool has_days;
} cdp_sqlite_records;

/// The number of rows of a statement that inserts several. 16 make inserting a third faster than one; more make no
/// difference.
#define CDP_SQLITE_BLOCK_ROWS 16

/// Inserts records. `block` is an INSERT of CDP_SQLITE_BLOCK_ROWS rows, and `single` of one. The parameters
/// of a row: the first number, the last number, the label, the source, the score, and the day if there is one. Returns the
/// SQLite code, 0 for success.
int cdp_sqlite_insert_records(cdp_sqlite_statement *block, cdp_sqlite_statement *single,
                              const cdp_sqlite_records *records);

#endif
