// libzip, opened when the first zip member comes by (linked outright it would cost every filter's start), and zlib,
// which is linked. Both as a few typed functions.
//
// Not for: deciding anything, and not for reading an archive's directory. Which bytes are a member, what limits there
// are and what an error means is the unzip stage's.

#ifndef CDPIPE_LIBZIP_H
#define CDPIPE_LIBZIP_H

#include <stddef.h>
#include <stdint.h>

/// Opens the library, once per process, and returns whether that worked. Any thread may call it.
_Bool cdp_zip_load(void);
/// Returns whether a library of another name could be opened, for tests of the error.
_Bool cdp_zip_library_is_usable(const char *file_name);
/// The library's file name, for messages.
const char *cdp_zip_library_name(void);
/// Whether the loaded library can decompress a method (APPNOTE 4.4.5).
_Bool cdp_zip_method_is_supported(uint16_t method);
/// Whether the loaded library can decrypt WinZip's AES of a strength: 1, 2 or 3 for 128, 192 or 256 bits; 0 stands for
/// the traditional encryption of PKWARE.
_Bool cdp_zip_encryption_is_supported(unsigned strength);

/// A member that is being read.
typedef struct cdp_zip_member cdp_zip_member;

/// What went wrong, as far as the unzip stage tells one from another.
typedef enum cdp_zip_trouble {
  CDP_ZIP_NONE,
  /// The bytes are not what the format says.
  CDP_ZIP_DAMAGED,
  CDP_ZIP_CHECKSUM,
  /// The password is not the member's.
  CDP_ZIP_PASSWORD,
  CDP_ZIP_METHOD,
  CDP_ZIP_MEMORY,
  /// Reading the file failed; `system` is the errno.
  CDP_ZIP_READ,
} cdp_zip_trouble;

typedef struct cdp_zip_error {
  cdp_zip_trouble trouble;
  int system;
  /// libzip's code and its own words.
  int code;
  char text[160];
} cdp_zip_error;

/// Opens one member. libzip sees an archive of nothing else: the `length` bytes at `start` of the file, which are the
/// member's header and data; `tail_count` bytes at `tail`, which are its directory; and then CDP_ZIP_COMMENT_BYTES
/// zeros, the archive's comment.
///
/// With `is_raw`, reading gives the member's packed bytes, decrypted; else it gives them unpacked. `password` may be
/// NULL. The descriptor stays the caller's and must outlive the member. NULL on failure.
cdp_zip_member *cdp_zip_member_open(int file, uint64_t start, uint64_t length, const void *tail, size_t tail_count,
                                    const char *password, _Bool is_raw, cdp_zip_error *error);
void cdp_zip_member_close(cdp_zip_member *member);
/// Reads and returns how many bytes: 0 at the end, -1 on failure.
int64_t cdp_zip_member_read(cdp_zip_member *member, void *room, size_t count, cdp_zip_error *error);

/// The longest comment there can be. libzip looks for an archive's end in as many of its last bytes, and must not find
/// one in a member's data.
#define CDP_ZIP_COMMENT_BYTES 65535

/// A decompressor of one stream after another.
typedef struct cdp_inflater cdp_inflater;

/// What stands around the compressed bytes.
typedef enum cdp_inflater_form {
  /// gzip's header and trailer (RFC 1952).
  CDP_INFLATER_GZIP,
  /// zlib's (RFC 1950).
  CDP_INFLATER_ZLIB,
  /// Nothing (RFC 1951), as in a zip.
  CDP_INFLATER_RAW,
} cdp_inflater_form;

typedef enum cdp_inflater_result {
  /// It read or wrote all it could.
  CDP_INFLATER_GOING,
  /// The stream is at its end, and its checksum and length were right, if it has them.
  CDP_INFLATER_END,
  CDP_INFLATER_DAMAGED,
  CDP_INFLATER_MEMORY,
} cdp_inflater_result;

/// A decompressor before its first stream, or NULL when there is no memory.
cdp_inflater *cdp_inflater_new(cdp_inflater_form form);
void cdp_inflater_free(cdp_inflater *inflater);
/// Makes it ready for a further stream.
void cdp_inflater_restart(cdp_inflater *inflater);
/// Decompresses, and says how much it read and wrote.
cdp_inflater_result cdp_inflater_run(cdp_inflater *inflater, const void *input, uint32_t input_count,
                                     uint32_t *consumed, void *output, uint32_t output_count, uint32_t *produced);
/// zlib's own words for the damage; never NULL.
const char *cdp_inflater_text(const cdp_inflater *inflater);

/// The CRC-32 of what had `crc` before and goes on with these bytes; 0 for nothing.
uint32_t cdp_crc32(uint32_t crc, const void *bytes, size_t count);

#endif
