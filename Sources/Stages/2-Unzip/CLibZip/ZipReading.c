// See the header. The library's functions are resolved by name into one table, and called through it; the
// archive is read through a source of our own, by position, from a descriptor that may have no name.

#include "CLibZip.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Apple's SDK has no libzip. Built without its header, the library counts as missing.
#if __has_include(<zip.h>)
#include <zip.h>

struct api {
  zip_source_t *(*source_function_create)(zip_source_callback, void *, zip_error_t *);
  void (*source_free)(zip_source_t *);
  zip_int64_t (*source_seek_compute_offset)(zip_uint64_t, zip_uint64_t, void *, zip_uint64_t, zip_error_t *);
  zip_t *(*open_from_source)(zip_source_t *, int, zip_error_t *);
  void (*discard)(zip_t *);
  zip_error_t *(*get_error)(zip_t *);
  zip_int64_t (*get_num_entries)(zip_t *, zip_flags_t);
  int (*stat_index)(zip_t *, zip_uint64_t, zip_flags_t, zip_stat_t *);
  zip_file_t *(*fopen_index)(zip_t *, zip_uint64_t, zip_flags_t);
  zip_int64_t (*fread)(zip_file_t *, void *, zip_uint64_t);
  zip_error_t *(*file_get_error)(zip_file_t *);
  int (*fclose)(zip_file_t *);
  void (*error_init)(zip_error_t *);
  void (*error_fini)(zip_error_t *);
  void (*error_set)(zip_error_t *, int, int);
  zip_int64_t (*error_to_data)(const zip_error_t *, void *, zip_uint64_t);
  const char *(*error_strerror)(zip_error_t *);
  // Since 1.7.0; without it, what can't be decompressed shows when it is opened.
  int (*compression_method_supported)(zip_int32_t, int);
};

struct cdp_zip {
  zip_t *archive;
  zip_error_t source_error;
  int file;
  int system;
  _Bool is_over_budget;
  uint64_t size;
  uint64_t position;
  uint64_t bytes_read;
  uint64_t bytes_max;
};

struct cdp_zip_member {
  zip_file_t *file;
};

static const char *const usual_names[] = {
#ifdef __APPLE__
    "libzip.5.dylib", "/opt/homebrew/lib/libzip.5.dylib", "/usr/local/lib/libzip.5.dylib",
    "/opt/local/lib/libzip.5.dylib",
#else
    "libzip.so.5", "libzip.so.4",
#endif
};

static struct api zip;
static cdp_zip_loading loading = CDP_ZIP_MISSING;
static pthread_once_t once = PTHREAD_ONCE_INIT;

// POSIX says that a data pointer from dlsym may be a function; ISO C wants the detour through memory.
static _Bool resolve(void *library, const char *name, void *slot) {
  void *function = dlsym(library, name);
  memcpy(slot, &function, sizeof function);
  return function != NULL;
}

static cdp_zip_loading open_library(const char *name, struct api *api, void **library) {
  *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (!*library) return CDP_ZIP_MISSING;
  _Bool whole = resolve(*library, "zip_source_function_create", &api->source_function_create) &&
                resolve(*library, "zip_source_free", &api->source_free) &&
                resolve(*library, "zip_source_seek_compute_offset", &api->source_seek_compute_offset) &&
                resolve(*library, "zip_open_from_source", &api->open_from_source) &&
                resolve(*library, "zip_discard", &api->discard) &&
                resolve(*library, "zip_get_error", &api->get_error) &&
                resolve(*library, "zip_get_num_entries", &api->get_num_entries) &&
                resolve(*library, "zip_stat_index", &api->stat_index) &&
                resolve(*library, "zip_fopen_index", &api->fopen_index) &&
                resolve(*library, "zip_fread", &api->fread) &&
                resolve(*library, "zip_file_get_error", &api->file_get_error) &&
                resolve(*library, "zip_fclose", &api->fclose) &&
                resolve(*library, "zip_error_init", &api->error_init) &&
                resolve(*library, "zip_error_fini", &api->error_fini) &&
                resolve(*library, "zip_error_set", &api->error_set) &&
                resolve(*library, "zip_error_to_data", &api->error_to_data) &&
                resolve(*library, "zip_error_strerror", &api->error_strerror);
  resolve(*library, "zip_compression_method_supported", &api->compression_method_supported);
  if (whole) return CDP_ZIP_LOADED;
  dlclose(*library);
  *library = NULL;
  return CDP_ZIP_UNUSABLE;
}

static void load_once(void) {
  void *library = NULL;
  for (size_t i = 0; i < sizeof usual_names / sizeof usual_names[0] && !library; i++) {
    cdp_zip_loading result = open_library(usual_names[i], &zip, &library);
    if (result != CDP_ZIP_MISSING) loading = result;
  }
}

cdp_zip_loading cdp_zip_load(void) {
  pthread_once(&once, load_once);
  return loading;
}

cdp_zip_loading cdp_zip_try_loading(const char *name) {
  struct api api;
  void *library = NULL;
  cdp_zip_loading result = open_library(name, &api, &library);
  if (library) dlclose(library);
  return result;
}

const char *cdp_zip_library_name(void) { return usual_names[0]; }

// Fills in what libzip says, and what only the source knows.
static void report(const cdp_zip *archive, zip_error_t *from, cdp_zip_error *error) {
  memset(error, 0, sizeof *error);
  error->code = from->zip_err;
  snprintf(error->text, sizeof error->text, "%s", zip.error_strerror(from));
  switch (from->zip_err) {
  case ZIP_ER_CRC: error->trouble = CDP_ZIP_CHECKSUM; break;
  case ZIP_ER_NOPASSWD:
  case ZIP_ER_WRONGPASSWD:
  case ZIP_ER_ENCRNOTSUPP: error->trouble = CDP_ZIP_ENCRYPTED; break;
  case ZIP_ER_COMPNOTSUPP: error->trouble = CDP_ZIP_METHOD; break;
  case ZIP_ER_MEMORY: error->trouble = CDP_ZIP_MEMORY; break;
  default: error->trouble = CDP_ZIP_DAMAGED; break;
  }
  if (archive->system) {
    error->trouble = CDP_ZIP_READ;
    error->system = archive->system;
  } else if (archive->is_over_budget) {
    error->trouble = CDP_ZIP_DIRECTORY_SIZE;
  }
}

static zip_int64_t source_read(cdp_zip *source, void *data, zip_uint64_t count) {
  uint64_t rest = source->position < source->size ? source->size - source->position : 0;
  if (count > rest) count = rest;
  if (count > source->bytes_max - source->bytes_read) {
    source->is_over_budget = 1;
    zip.error_set(&source->source_error, ZIP_ER_READ, EFBIG);
    return -1;
  }
  size_t done = 0;
  while (done < count) {
    ssize_t got = pread(source->file, (char *)data + done, count - done, (off_t)(source->position + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) {
      source->system = errno;
      zip.error_set(&source->source_error, ZIP_ER_READ, errno);
      return -1;
    }
    if (got == 0) break;
    done += (size_t)got;
  }
  source->position += done;
  source->bytes_read += done;
  return (zip_int64_t)done;
}

static zip_int64_t source_call(void *context, void *data, zip_uint64_t count, zip_source_cmd_t command) {
  cdp_zip *source = context;
  switch (command) {
  case ZIP_SOURCE_OPEN: source->position = 0; return 0;
  case ZIP_SOURCE_READ: return source_read(source, data, count);
  case ZIP_SOURCE_CLOSE: return 0;
  case ZIP_SOURCE_STAT: {
    if (count < sizeof(zip_stat_t)) break;
    zip_stat_t *status = data;
    memset(status, 0, sizeof *status);
    status->size = source->size;
    status->valid = ZIP_STAT_SIZE;
    return sizeof *status;
  }
  case ZIP_SOURCE_ERROR: return zip.error_to_data(&source->source_error, data, count);
  // The context is the archive's own, and freed with it.
  case ZIP_SOURCE_FREE: return 0;
  case ZIP_SOURCE_SEEK: {
    zip_int64_t to =
        zip.source_seek_compute_offset(source->position, source->size, data, count, &source->source_error);
    if (to < 0) return -1;
    source->position = (uint64_t)to;
    return 0;
  }
  case ZIP_SOURCE_TELL: return (zip_int64_t)source->position;
  case ZIP_SOURCE_SUPPORTS: return ZIP_SOURCE_SUPPORTS_SEEKABLE;
  default: break;
  }
  zip.error_set(&source->source_error, ZIP_ER_OPNOTSUPP, 0);
  return -1;
}

cdp_zip *cdp_zip_open(int file, uint64_t size, uint64_t open_bytes_max, cdp_zip_error *error) {
  memset(error, 0, sizeof *error);
  error->trouble = CDP_ZIP_MEMORY;
  cdp_zip *archive = calloc(1, sizeof *archive);
  if (!archive) return NULL;
  archive->file = file;
  archive->size = size;
  archive->bytes_max = open_bytes_max;
  zip.error_init(&archive->source_error);

  zip_error_t reason;
  zip.error_init(&reason);
  zip_source_t *source = zip.source_function_create(source_call, archive, &reason);
  if (source) archive->archive = zip.open_from_source(source, ZIP_RDONLY, &reason);
  if (!archive->archive) {
    report(archive, &reason, error);
    if (source) zip.source_free(source);
    zip.error_fini(&reason);
    cdp_zip_close(archive);
    return NULL;
  }
  zip.error_fini(&reason);
  archive->bytes_max = UINT64_MAX;
  error->trouble = CDP_ZIP_NONE;
  return archive;
}

void cdp_zip_close(cdp_zip *archive) {
  if (!archive) return;
  if (archive->archive) zip.discard(archive->archive);
  zip.error_fini(&archive->source_error);
  free(archive);
}

uint64_t cdp_zip_bytes_read(const cdp_zip *archive) { return archive->bytes_read; }

uint64_t cdp_zip_count(const cdp_zip *archive) {
  zip_int64_t count = zip.get_num_entries(archive->archive, 0);
  return count < 0 ? 0 : (uint64_t)count;
}

_Bool cdp_zip_entry_at(cdp_zip *archive, uint64_t index, cdp_zip_entry *entry, cdp_zip_error *error) {
  zip_stat_t status;
  memset(&status, 0, sizeof status);
  if (zip.stat_index(archive->archive, index, 0, &status) != 0) {
    report(archive, zip.get_error(archive->archive), error);
    return 0;
  }
  entry->name = status.valid & ZIP_STAT_NAME && status.name ? status.name : "";
  entry->size = status.size;
  entry->compressed_size = status.comp_size;
  entry->method = status.comp_method;
  entry->is_encrypted =
      status.valid & ZIP_STAT_ENCRYPTION_METHOD && status.encryption_method != ZIP_EM_NONE;
  entry->is_supported =
      !zip.compression_method_supported || zip.compression_method_supported(status.comp_method, 0);
  return 1;
}

cdp_zip_member *cdp_zip_member_open(cdp_zip *archive, uint64_t index, cdp_zip_error *error) {
  memset(error, 0, sizeof *error);
  cdp_zip_member *member = calloc(1, sizeof *member);
  if (!member) {
    error->trouble = CDP_ZIP_MEMORY;
    return NULL;
  }
  member->file = zip.fopen_index(archive->archive, index, 0);
  if (member->file) return member;
  report(archive, zip.get_error(archive->archive), error);
  free(member);
  return NULL;
}

void cdp_zip_member_close(cdp_zip_member *member) {
  if (!member) return;
  zip.fclose(member->file);
  free(member);
}

int64_t cdp_zip_member_read(cdp_zip *archive, cdp_zip_member *member, void *room, size_t count,
                            cdp_zip_error *error) {
  zip_int64_t got = zip.fread(member->file, room, count);
  if (got < 0) report(archive, zip.file_get_error(member->file), error);
  return got;
}

#else

cdp_zip_loading cdp_zip_load(void) { return CDP_ZIP_MISSING; }
cdp_zip_loading cdp_zip_try_loading(const char *name) { return (void)name, CDP_ZIP_MISSING; }
const char *cdp_zip_library_name(void) { return "libzip"; }

// None of these is called unless the library is loaded.
cdp_zip *cdp_zip_open(int file, uint64_t size, uint64_t open_bytes_max, cdp_zip_error *error) {
  (void)file, (void)size, (void)open_bytes_max;
  memset(error, 0, sizeof *error);
  error->trouble = CDP_ZIP_DAMAGED;
  return NULL;
}
void cdp_zip_close(cdp_zip *archive) { (void)archive; }
uint64_t cdp_zip_bytes_read(const cdp_zip *archive) { return (void)archive, 0; }
uint64_t cdp_zip_count(const cdp_zip *archive) { return (void)archive, 0; }
_Bool cdp_zip_entry_at(cdp_zip *archive, uint64_t index, cdp_zip_entry *entry, cdp_zip_error *error) {
  (void)archive, (void)index, (void)entry, (void)error;
  return 0;
}
cdp_zip_member *cdp_zip_member_open(cdp_zip *archive, uint64_t index, cdp_zip_error *error) {
  (void)archive, (void)index, (void)error;
  return NULL;
}
void cdp_zip_member_close(cdp_zip_member *member) { (void)member; }
int64_t cdp_zip_member_read(cdp_zip *archive, cdp_zip_member *member, void *room, size_t count,
                            cdp_zip_error *error) {
  (void)archive, (void)member, (void)room, (void)count, (void)error;
  return -1;
}

#endif
