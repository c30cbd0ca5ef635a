// A database of our own that is written: made, filled with prepared statements, asked, and dropped.
//
// Not for: files that came from elsewhere. Those are opened with CLibSQLite.h, which trusts nothing.

#ifndef CDPIPE_SQLITE_WRITING_H
#define CDPIPE_SQLITE_WRITING_H

#include <stddef.h>
#include <stdint.h>

/// An open database.
typedef struct cdp_sqlite_store cdp_sqlite_store;
/// A prepared statement of it. It must be finalized before its database is closed.
typedef struct cdp_sqlite_statement cdp_sqlite_statement;

/// Opens a database for writing, or makes it; NULL, and SQLite's code, on failure. The library must be loaded. One
/// thread at a time may use the database; which one does not matter.
cdp_sqlite_store *cdp_sqlite_store_open(const char *path, int *code);
void cdp_sqlite_store_close(cdp_sqlite_store *store);

/// Runs statements that give no rows. Returns SQLite's code, 0 when all went well.
int cdp_sqlite_store_run(cdp_sqlite_store *store, const char *statements);
/// The row id of the last INSERT, and how many rows the last change changed.
int64_t cdp_sqlite_store_last_row(cdp_sqlite_store *store);
int64_t cdp_sqlite_store_changes(cdp_sqlite_store *store);

/// Prepares a statement; NULL, and SQLite's code, on failure.
cdp_sqlite_statement *cdp_sqlite_statement_make(cdp_sqlite_store *store, const char *text, int *code);
void cdp_sqlite_statement_finalize(cdp_sqlite_statement *statement);

/// Sets a parameter, counted from 1. A text's bytes must stay as they are until the statement has stepped to its end
/// or is reset. They return SQLite's code.
int cdp_sqlite_statement_bind_integer(cdp_sqlite_statement *statement, int place, int64_t value);
int cdp_sqlite_statement_bind_text(cdp_sqlite_statement *statement, int place, const uint8_t *bytes, size_t count);

/// Goes to the next row: -1 when there is one, SQLite's code otherwise, 0 at the end. At the end and on failure the
/// statement is reset, ready to be bound and stepped again.
int cdp_sqlite_statement_step(cdp_sqlite_statement *statement);
/// Ends a statement of which not all rows were wanted.
void cdp_sqlite_statement_reset(cdp_sqlite_statement *statement);

/// A value of the present row, the columns counted from 0; a text lives until the next step, and is NULL for none.
int64_t cdp_sqlite_statement_integer(cdp_sqlite_statement *statement, int column);
const uint8_t *cdp_sqlite_statement_text(cdp_sqlite_statement *statement, int column, size_t *count);

#endif
