// Reads one member with libzip, from an archive that contains nothing else: the bytes in the file and a directory in
// memory. A custom source joins the two; it reads the file by position, through a descriptor that may lack a name.

#include "LibZip.h"

#include <string.h>

#ifdef CDPIPE_HAS_LIBZIP

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct cdp_zip_member {
  zip_t *archive;
  zip_file_t *file;
  zip_error_t source_error;
  int descriptor;
  int system;
  uint64_t start;
  uint64_t length;
  size_t tail_count;
  uint64_t position;
  unsigned char tail[];
};

// Fills in the error of libzip, and the details that only the source has.
static void report(const cdp_zip_member *member, zip_error_t *from, cdp_zip_error *error) {
  memset(error, 0, sizeof *error);
  error->code = from->zip_err;
  snprintf(error->text, sizeof error->text, "%s", cdp_libzip.error_strerror(from));
  switch (from->zip_err) {
  case ZIP_ER_CRC: error->kind = CDP_ZIP_CHECKSUM; break;
  case ZIP_ER_NOPASSWD:
  case ZIP_ER_WRONGPASSWD: error->kind = CDP_ZIP_PASSWORD; break;
  case ZIP_ER_ENCRNOTSUPP:
  case ZIP_ER_COMPNOTSUPP: error->kind = CDP_ZIP_METHOD; break;
  case ZIP_ER_MEMORY: error->kind = CDP_ZIP_MEMORY; break;
  default: error->kind = CDP_ZIP_DAMAGED; break;
  }
  if (member->system) {
    error->kind = CDP_ZIP_READ;
    error->system = member->system;
  }
}

static uint64_t size_of(const cdp_zip_member *member) {
  return member->length + member->tail_count + CDP_ZIP_COMMENT_BYTES;
}

static zip_int64_t read_file(cdp_zip_member *member, void *buffer, uint64_t count) {
  for (;;) {
    ssize_t got = pread(member->descriptor, buffer, count, (off_t)(member->start + member->position));
    if (got >= 0) return got;
    if (errno == EINTR) continue;
    member->system = errno;
    cdp_libzip.error_set(&member->source_error, ZIP_ER_READ, errno);
    return -1;
  }
}

static zip_int64_t source_read(cdp_zip_member *member, void *buffer, uint64_t count) {
  uint64_t done = 0;
  while (done < count && member->position < size_of(member)) {
    uint64_t part = count - done;
    char *to = (char *)buffer + done;
    if (member->position < member->length) {
      if (part > member->length - member->position) part = member->length - member->position;
      zip_int64_t got = read_file(member, to, part);
      if (got < 0) return -1;
      // The file has become shorter.
      if (got == 0) break;
      part = (uint64_t)got;
    } else if (member->position < member->length + member->tail_count) {
      uint64_t from = member->position - member->length;
      if (part > member->tail_count - from) part = member->tail_count - from;
      memcpy(to, member->tail + from, part);
    } else {
      uint64_t rest = size_of(member) - member->position;
      if (part > rest) part = rest;
      memset(to, 0, part);
    }
    member->position += part;
    done += part;
  }
  return (zip_int64_t)done;
}

static zip_int64_t source_call(void *context, void *data, zip_uint64_t count, zip_source_cmd_t command) {
  cdp_zip_member *member = context;
  switch (command) {
  case ZIP_SOURCE_OPEN: member->position = 0; return 0;
  case ZIP_SOURCE_READ: return source_read(member, data, count);
  case ZIP_SOURCE_CLOSE: return 0;
  case ZIP_SOURCE_STAT: {
    if (count < sizeof(zip_stat_t)) break;
    zip_stat_t *status = data;
    memset(status, 0, sizeof *status);
    status->size = size_of(member);
    status->valid = ZIP_STAT_SIZE;
    return sizeof *status;
  }
  case ZIP_SOURCE_ERROR: return cdp_libzip.error_to_data(&member->source_error, data, count);
  // The member owns the context and frees it.
  case ZIP_SOURCE_FREE: return 0;
  case ZIP_SOURCE_SEEK: {
    zip_int64_t to = cdp_libzip.source_seek_compute_offset(member->position, size_of(member), data, count,
                                                           &member->source_error);
    if (to < 0) return -1;
    member->position = (uint64_t)to;
    return 0;
  }
  case ZIP_SOURCE_TELL: return (zip_int64_t)member->position;
  case ZIP_SOURCE_SUPPORTS: return ZIP_SOURCE_SUPPORTS_SEEKABLE;
  default: break;
  }
  cdp_libzip.error_set(&member->source_error, ZIP_ER_OPNOTSUPP, 0);
  return -1;
}

cdp_zip_member *cdp_zip_member_open(int file, uint64_t start, uint64_t length, const void *tail, size_t tail_count,
                                    const char *password, _Bool is_raw, cdp_zip_error *error) {
  memset(error, 0, sizeof *error);
  error->kind = CDP_ZIP_MEMORY;
  cdp_zip_member *member = calloc(1, sizeof *member + tail_count);
  if (!member) return NULL;
  member->descriptor = file;
  member->start = start;
  member->length = length;
  member->tail_count = tail_count;
  memcpy(member->tail, tail, tail_count);
  cdp_libzip.error_init(&member->source_error);

  zip_error_t reason;
  cdp_libzip.error_init(&reason);
  zip_source_t *source = cdp_libzip.source_function_create(source_call, member, &reason);
  if (source) member->archive = cdp_libzip.open_from_source(source, ZIP_RDONLY, &reason);
  if (!member->archive) {
    report(member, &reason, error);
    if (source) cdp_libzip.source_free(source);
    cdp_libzip.error_fini(&reason);
    cdp_zip_member_close(member);
    return NULL;
  }
  cdp_libzip.error_fini(&reason);

  member->file =
      cdp_libzip.fopen_index_encrypted(member->archive, 0, is_raw ? ZIP_FL_COMPRESSED : 0, password);
  if (!member->file) {
    report(member, cdp_libzip.get_error(member->archive), error);
    cdp_zip_member_close(member);
    return NULL;
  }
  error->kind = CDP_ZIP_NONE;
  return member;
}

void cdp_zip_member_close(cdp_zip_member *member) {
  if (!member) return;
  if (member->file) cdp_libzip.fclose(member->file);
  if (member->archive) cdp_libzip.discard(member->archive);
  cdp_libzip.error_fini(&member->source_error);
  free(member);
}

int64_t cdp_zip_member_read(cdp_zip_member *member, void *buffer, size_t count, cdp_zip_error *error) {
  zip_int64_t got = cdp_libzip.fread(member->file, buffer, count);
  if (got < 0) report(member, cdp_libzip.file_get_error(member->file), error);
  return got;
}

#else

// None of these is called before the library is loaded.
cdp_zip_member *cdp_zip_member_open(int file, uint64_t start, uint64_t length, const void *tail, size_t tail_count,
                                    const char *password, _Bool is_raw, cdp_zip_error *error) {
  (void)file, (void)start, (void)length, (void)tail, (void)tail_count, (void)password, (void)is_raw;
  memset(error, 0, sizeof *error);
  error->kind = CDP_ZIP_DAMAGED;
  return NULL;
}
void cdp_zip_member_close(cdp_zip_member *member) { (void)member; }
int64_t cdp_zip_member_read(cdp_zip_member *member, void *buffer, size_t count, cdp_zip_error *error) {
  (void)member, (void)buffer, (void)count, (void)error;
  return -1;
}

#endif
