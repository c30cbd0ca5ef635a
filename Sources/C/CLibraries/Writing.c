// See include/SQLiteWriting.h. A thin layer: a database is a `sqlite3`, a statement a `sqlite3_stmt`.

#include "SQLiteWriting.h"

#include "Descriptor.h"
#include "Library.h"

#include <stdio.h>

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

cdp_sqlite_store *cdp_sqlite_store_open_descriptor(int file, int *code) {
  char name[16];
  snprintf(name, sizeof name, "%d", file);
  sqlite3 *database = NULL;
  *code = cdp_sqlite_functions.open(
      name, &database, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE, CDP_DESCRIPTOR_VFS);
  if (*code == SQLITE_OK) return (cdp_sqlite_store *)database;
  cdp_sqlite_functions.close(database);
  return NULL;
}

int cdp_sqlite_store_take_write_error(void) { return cdp_descriptor_take_error(); }

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

static int bind_text_or_null(sqlite3_stmt *statement, int place, const uint8_t *bytes, uint32_t count) {
  if (count == 0) return cdp_sqlite_functions.bind_null(statement, place);
  return cdp_sqlite_functions.bind_text(statement, place, (const char *)bytes, (int)count, SQLITE_STATIC);
}

static int bind_fields(sqlite3_stmt *statement, int place, const cdp_sqlite_record_fields *fields,
                       const uint8_t *texts, _Bool has_day) {
  const uint8_t *label = texts + fields->start;
  int code = bind_text_or_null(statement, place, label, fields->label_bytes);
  if (code == SQLITE_OK)
    code = bind_text_or_null(statement, place + 1, label + fields->label_bytes, fields->source_bytes);
  if (code == SQLITE_OK && has_day)
    code = bind_text_or_null(statement, place + 3, label + fields->label_bytes + fields->source_bytes,
                             fields->day_bytes);
  if (code != SQLITE_OK) return code;
  return fields->has_score ? cdp_sqlite_functions.bind_integer(statement, place + 2, fields->score)
                           : cdp_sqlite_functions.bind_null(statement, place + 2);
}

// Inserts as many records as the statement has parameters for. `bound` has the fields that are bound already: equal
// fields need not be bound again.
static int insert(sqlite3_stmt *statement, const cdp_sqlite_records *records, size_t start, size_t count,
                  uint32_t *bound) {
  int parameters_per_record = records->has_days ? 6 : 5;
  for (size_t index = 0; index < count; index++) {
    size_t row = start + index;
    int place = (int)index * parameters_per_record + 1;
    int code = cdp_sqlite_functions.bind_integer(statement, place, (int64_t)records->firsts[row]);
    if (code == SQLITE_OK)
      code = cdp_sqlite_functions.bind_integer(statement, place + 1, (int64_t)records->lasts[row]);
    uint32_t fields = records->fields_indices[row];
    if (code == SQLITE_OK && fields != bound[index])
      code = bind_fields(statement, place + 2, &records->fields[fields], records->texts, records->has_days);
    if (code != SQLITE_OK) return code;
    bound[index] = fields;
  }
  int code = cdp_sqlite_functions.step(statement);
  cdp_sqlite_functions.reset(statement);
  return code == SQLITE_DONE ? SQLITE_OK : code;
}

int cdp_sqlite_insert_records(cdp_sqlite_statement *block, cdp_sqlite_statement *single,
                              const cdp_sqlite_records *records) {
  uint32_t bound[CDP_SQLITE_BLOCK_ROWS];
  for (size_t index = 0; index < CDP_SQLITE_BLOCK_ROWS; index++) bound[index] = UINT32_MAX;
  size_t row = 0;
  for (; records->count - row >= CDP_SQLITE_BLOCK_ROWS; row += CDP_SQLITE_BLOCK_ROWS) {
    int code = insert(statement_of(block), records, row, CDP_SQLITE_BLOCK_ROWS, bound);
    if (code != SQLITE_OK) return code;
  }
  bound[0] = UINT32_MAX;
  for (; row < records->count; row++) {
    int code = insert(statement_of(single), records, row, 1, bound);
    if (code != SQLITE_OK) return code;
  }
  return SQLITE_OK;
}
