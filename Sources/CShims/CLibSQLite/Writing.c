// See include/SQLiteWriting.h. A thin layer: a database is a `sqlite3`, a statement a `sqlite3_stmt`.

#include "SQLiteWriting.h"

#include "Library.h"

static sqlite3 *database_of(cdp_sqlite_store *store) { return (sqlite3 *)store; }
static sqlite3_stmt *statement_of(cdp_sqlite_statement *statement) { return (sqlite3_stmt *)statement; }

// How long to wait for another process that has locked the file.
enum { busy_wait_milliseconds = 5000 };

cdp_sqlite_store *cdp_sqlite_store_open(const char *path, int *code) {
  sqlite3 *database = NULL;
  *code = cdp_sqlite_functions.open(
      path, &database, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE,
      NULL);
  if (*code == SQLITE_OK) {
    cdp_sqlite_functions.busy_timeout(database, busy_wait_milliseconds);
    return (cdp_sqlite_store *)database;
  }
  cdp_sqlite_functions.close(database);
  return NULL;
}

void cdp_sqlite_store_close(cdp_sqlite_store *store) { cdp_sqlite_functions.close(database_of(store)); }

int cdp_sqlite_store_run(cdp_sqlite_store *store, const char *statements) {
  return cdp_sqlite_functions.exec(database_of(store), statements, NULL, NULL, NULL);
}

int64_t cdp_sqlite_store_last_row(cdp_sqlite_store *store) {
  return cdp_sqlite_functions.last_row(database_of(store));
}

int64_t cdp_sqlite_store_changes(cdp_sqlite_store *store) {
  return cdp_sqlite_functions.changes(database_of(store));
}

cdp_sqlite_statement *cdp_sqlite_statement_make(cdp_sqlite_store *store, const char *text, int *code) {
  sqlite3_stmt *statement = NULL;
  *code = cdp_sqlite_functions.prepare(database_of(store), text, -1, &statement, NULL);
  return (cdp_sqlite_statement *)statement;
}

void cdp_sqlite_statement_finalize(cdp_sqlite_statement *statement) {
  cdp_sqlite_functions.finalize(statement_of(statement));
}

int cdp_sqlite_statement_bind_integer(cdp_sqlite_statement *statement, int place, int64_t value) {
  return cdp_sqlite_functions.bind_integer(statement_of(statement), place, value);
}

int cdp_sqlite_statement_bind_text(cdp_sqlite_statement *statement, int place, const uint8_t *bytes, size_t count) {
  // Longer than any label; SQLite's lengths are of type int.
  if (count > INT32_MAX) return SQLITE_TOOBIG;
  return cdp_sqlite_functions.bind_text(statement_of(statement), place, count ? (const char *)bytes : "", (int)count,
                                        SQLITE_STATIC);
}

int cdp_sqlite_statement_step(cdp_sqlite_statement *statement) {
  int code = cdp_sqlite_functions.step(statement_of(statement));
  if (code == SQLITE_ROW) return -1;
  cdp_sqlite_functions.reset(statement_of(statement));
  return code == SQLITE_DONE ? 0 : code;
}

void cdp_sqlite_statement_reset(cdp_sqlite_statement *statement) {
  cdp_sqlite_functions.reset(statement_of(statement));
}

int64_t cdp_sqlite_statement_integer(cdp_sqlite_statement *statement, int column) {
  return cdp_sqlite_functions.column_integer(statement_of(statement), column);
}

const uint8_t *cdp_sqlite_statement_text(cdp_sqlite_statement *statement, int column, size_t *count) {
  const uint8_t *bytes = cdp_sqlite_functions.column_text(statement_of(statement), column);
  int length = bytes ? cdp_sqlite_functions.column_bytes(statement_of(statement), column) : 0;
  *count = length < 0 ? 0 : (size_t)length;
  return bytes;
}
