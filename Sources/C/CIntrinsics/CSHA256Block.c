// Sources: FIPS 180-4 (the function and its constants); Intel, "Intel SHA Extensions" (the instructions and the order of
// the state's words that they need).

#include "CSHA256Block.h"

#if defined(__x86_64__)

#include <immintrin.h>

int cdp_sha256_block_supported(void) {
  static int known = -1;
  if (known < 0) known = __builtin_cpu_supports("sha") && __builtin_cpu_supports("sse4.1") && __builtin_cpu_supports("ssse3");
  return known;
}

static const uint32_t constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01,
    0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc,
    0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
    0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08,
    0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
    0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

__attribute__((target("sha,sse4.1,ssse3"))) uint64_t cdp_sha256_block_prefix(uint64_t low, uint64_t high, unsigned count) {
  // The padding begins with a byte 0x80 and ends with the length in bits.
  uint64_t third = 0;
  if (count < 8) {
    low |= (uint64_t)0x80 << 8 * count;
  } else if (count < 16) {
    high |= (uint64_t)0x80 << 8 * (count - 8);
  } else {
    third = 0x80000000;
  }
  const __m128i big_endian = _mm_set_epi8(12, 13, 14, 15, 8, 9, 10, 11, 4, 5, 6, 7, 0, 1, 2, 3);
  __m128i words[4] = {
      _mm_shuffle_epi8(_mm_set_epi64x((long long)high, (long long)low), big_endian), _mm_set_epi64x(0, (long long)third),
      _mm_setzero_si128(), _mm_set_epi32((int)(8 * count), 0, 0, 0)};

  // The instructions need the state as the words A B E F and C D G H, from the highest to the lowest.
  const __m128i first_abef = _mm_set_epi32(0x6a09e667, (int)0xbb67ae85, 0x510e527f, (int)0x9b05688c);
  const __m128i first_cdgh = _mm_set_epi32(0x3c6ef372, (int)0xa54ff53a, 0x1f83d9ab, 0x5be0cd19);
  __m128i abef = first_abef, cdgh = first_cdgh;

  // Four rounds at a time. From the sixteenth on, the words of the schedule replace the oldest ones.
#pragma clang loop unroll(full)
  for (int i = 0; i < 16; i++) {
    if (i >= 4) {
      const __m128i ahead = _mm_alignr_epi8(words[(i + 3) & 3], words[(i + 2) & 3], 4);
      const __m128i sum = _mm_add_epi32(_mm_sha256msg1_epu32(words[i & 3], words[(i + 1) & 3]), ahead);
      words[i & 3] = _mm_sha256msg2_epu32(sum, words[(i + 3) & 3]);
    }
    __m128i round = _mm_add_epi32(words[i & 3], _mm_loadu_si128((const __m128i *)(constants + 4 * i)));
    cdgh = _mm_sha256rnds2_epu32(cdgh, abef, round);
    round = _mm_shuffle_epi32(round, 0x0E);
    abef = _mm_sha256rnds2_epu32(abef, cdgh, round);
  }
  abef = _mm_add_epi32(abef, first_abef);
  const uint32_t a = (uint32_t)_mm_extract_epi32(abef, 3);
  const uint32_t b = (uint32_t)_mm_extract_epi32(abef, 2);
  return (uint64_t)__builtin_bswap32(a) | (uint64_t)__builtin_bswap32(b) << 32;
}

#else

int cdp_sha256_block_supported(void) { return 0; }

uint64_t cdp_sha256_block_prefix(uint64_t low, uint64_t high, unsigned count) {
  (void)low;
  (void)high;
  (void)count;
  return 0;
}

#endif
