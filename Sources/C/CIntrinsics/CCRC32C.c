// A loop over the instruction. Only the functions that use it are compiled for processors that have it.

#include "CCRC32C.h"

#include <string.h>

#if defined(__x86_64__)
#define CDP_TARGET __attribute__((target("sse4.2")))
#define CDP_WORD(crc, word) ((uint32_t)__builtin_ia32_crc32di((crc), (word)))
#define CDP_BYTE(crc, byte) __builtin_ia32_crc32qi((crc), (byte))
#elif defined(__aarch64__) && !defined(__AARCH64EB__)
#define CDP_TARGET __attribute__((target("crc")))
#define CDP_WORD(crc, word) __builtin_arm_crc32cd((crc), (word))
#define CDP_BYTE(crc, byte) __builtin_arm_crc32cb((crc), (byte))
#if defined(__linux__)
#include <sys/auxv.h>
// The bit of Linux's AT_HWCAP, from <asm/hwcap.h>, which not every libc has.
#define CDP_HWCAP_CRC32 (1UL << 7)
#elif defined(__APPLE__)
#include <sys/sysctl.h>
#endif
#endif

bool cdp_has_crc32c(void) {
#if defined(__x86_64__)
  return __builtin_cpu_supports("sse4.2");
#elif defined(CDP_WORD) && defined(__ARM_FEATURE_CRC32)
  return true;
#elif defined(CDP_WORD) && defined(__linux__)
  return (getauxval(AT_HWCAP) & CDP_HWCAP_CRC32) != 0;
#elif defined(CDP_WORD) && defined(__APPLE__)
  // Apple's first 64-bit processors, which iOS 13 supports, don't have the instruction.
  int has = 0;
  size_t size = sizeof(has);
  return sysctlbyname("hw.optional.armv8_crc32", &has, &size, NULL, 0) == 0 && has != 0;
#else
  return false;
#endif
}

#if defined(CDP_WORD)
CDP_TARGET uint32_t cdp_crc32c(uint32_t register_, const void *bytes, size_t count) {
  const unsigned char *at = bytes;
  while (count >= 8) {
    uint64_t word;
    memcpy(&word, at, 8);
    register_ = CDP_WORD(register_, word);
    at += 8;
    count -= 8;
  }
  while (count > 0) {
    register_ = CDP_BYTE(register_, *at);
    at += 1;
    count -= 1;
  }
  return register_;
}
#else
uint32_t cdp_crc32c(uint32_t register_, const void *bytes, size_t count) {
  // Never called: cdp_has_crc32c returns false.
  (void)bytes;
  (void)count;
  return register_;
}
#endif
