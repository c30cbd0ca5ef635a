// libzip, opened when the first zip archive comes by (linked outright it would cost every filter's start),
// and zlib's gzip reading, which is linked. Both as a few typed functions.
//
// Not for: deciding anything. Which members, what limits and what an error means is the unzip stage's.

#ifndef CDPIPE_LIBZIP_H
#define CDPIPE_LIBZIP_H

#include <stddef.h>
#include <stdint.h>

/// What came of opening the library.
typedef enum cdp_zip_loading {
  CDP_ZIP_LOADED,
  /// No library of these names.
  CDP_ZIP_MISSING,
  /// A library, but it lacks a function that is needed.
  CDP_ZIP_UNUSABLE,
} cdp_zip_loading;

/// Opens the library under its usual names, once for the process; any thread may call it.
cdp_zip_loading cdp_zip_load(void);
/// Tries to open a library of another name and drops it again; for tests of the failure.
cdp_zip_loading cdp_zip_try_loading(const char *name);
/// The usual name, for messages.
const char *cdp_zip_library_name(void);

/// An open archive.
typedef struct cdp_zip cdp_zip;
/// A member that is being read.
typedef struct cdp_zip_member cdp_zip_member;

/// What went wrong, as far as the unzip stage tells one from another.
typedef enum cdp_zip_trouble {
  CDP_ZIP_NONE,
  /// The bytes are not what the format says.
  CDP_ZIP_DAMAGED,
  CDP_ZIP_CHECKSUM,
  CDP_ZIP_ENCRYPTED,
  CDP_ZIP_METHOD,
  CDP_ZIP_MEMORY,
  /// Reading the file failed; `system` is the errno.
  CDP_ZIP_READ,
  /// Opening it took more bytes than allowed.
  CDP_ZIP_DIRECTORY_SIZE,
} cdp_zip_trouble;

typedef struct cdp_zip_error {
  cdp_zip_trouble trouble;
  int system;
  /// libzip's code and its own words.
  int code;
  char text[160];
} cdp_zip_error;

typedef struct cdp_zip_entry {
  /// UTF-8; lives as long as the archive. Never NULL.
  const char *name;
  uint64_t size;
  uint64_t compressed_size;
  uint16_t method;
  _Bool is_encrypted;
  /// Whether the library can decompress it.
  _Bool is_supported;
} cdp_zip_entry;

/// Opens the archive that a seekable file of `size` bytes holds, and reads its directory, for which it may
/// read `open_bytes_max` bytes. The descriptor stays the caller's and must outlive the archive. NULL on
/// failure.
cdp_zip *cdp_zip_open(int file, uint64_t size, uint64_t open_bytes_max, cdp_zip_error *error);
void cdp_zip_close(cdp_zip *archive);
/// The bytes of the file that were read so far.
uint64_t cdp_zip_bytes_read(const cdp_zip *archive);
/// How many entries it has, directories included.
uint64_t cdp_zip_count(const cdp_zip *archive);
/// Looks at an entry; false on failure.
_Bool cdp_zip_entry_at(cdp_zip *archive, uint64_t index, cdp_zip_entry *entry, cdp_zip_error *error);
/// Opens a member; NULL on failure. Close it before the archive.
cdp_zip_member *cdp_zip_member_open(cdp_zip *archive, uint64_t index, cdp_zip_error *error);
void cdp_zip_member_close(cdp_zip_member *member);
/// Reads and returns how many bytes: 0 at the end, once the checksum was found right, -1 on failure.
int64_t cdp_zip_member_read(cdp_zip *archive, cdp_zip_member *member, void *room, size_t count,
                            cdp_zip_error *error);

/// A decompressor of one gzip member after another.
typedef struct cdp_gunzip cdp_gunzip;

typedef enum cdp_gunzip_result {
  /// It read or wrote all it could.
  CDP_GUNZIP_GOING,
  /// The member is at its end, and its checksum and length were right.
  CDP_GUNZIP_END,
  CDP_GUNZIP_DAMAGED,
  CDP_GUNZIP_MEMORY,
} cdp_gunzip_result;

/// A decompressor before its first member, or NULL when there is no memory.
cdp_gunzip *cdp_gunzip_new(void);
void cdp_gunzip_free(cdp_gunzip *decompressor);
/// Makes it ready for a further member.
void cdp_gunzip_restart(cdp_gunzip *decompressor);
/// Decompresses, and says how much it read and wrote.
cdp_gunzip_result cdp_gunzip_run(cdp_gunzip *decompressor, const void *input, uint32_t input_count,
                                 uint32_t *consumed, void *output, uint32_t output_count, uint32_t *produced);
/// zlib's own words for the damage; never NULL.
const char *cdp_gunzip_text(const cdp_gunzip *decompressor);

#endif
