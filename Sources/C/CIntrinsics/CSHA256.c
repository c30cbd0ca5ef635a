// Sources: FIPS 180-4 (the function, its constants and its padding); Intel, "Intel SHA Extensions" (the instructions and
// the order of the state's words that they need); Arm, "Arm C Language Extensions" (the same for its processors).

#include "CSHA256.h"

#include <string.h>

enum { BLOCK_BYTES = 64, LENGTH_BYTES = 8, WORDS = 8 };

static const uint32_t first_state[WORDS] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                            0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

static const uint32_t constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01,
    0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc,
    0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
    0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08,
    0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
    0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t big_endian(const uint8_t *bytes) {
  return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

static void put_big_endian(uint32_t word, uint8_t *bytes) {
  for (int i = 0; i < 4; i++) bytes[i] = (uint8_t)(word >> (24 - 8 * i));
}

// MARK: Blocks, for any processor

static uint32_t rotated(uint32_t word, int bits) { return word >> bits | word << (32 - bits); }

static void add_portable(uint32_t *state, const uint8_t *bytes, size_t blocks) {
  for (; blocks > 0; blocks--, bytes += BLOCK_BYTES) {
    uint32_t words[16];
    for (int i = 0; i < 16; i++) words[i] = big_endian(bytes + 4 * i);
    uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
    uint32_t e = state[4], f = state[5], g = state[6], h = state[7];
    // From the seventeenth round on, the words of the schedule replace the oldest ones. Unrolled, the words have fixed
    // places and a to h are not moved.
#pragma clang loop unroll(full)
    for (int i = 0; i < 64; i++) {
      if (i >= 16) {
        const uint32_t early = words[(i + 1) & 15], late = words[(i + 14) & 15];
        words[i & 15] += (rotated(early, 7) ^ rotated(early, 18) ^ early >> 3) + words[(i + 9) & 15] +
                         (rotated(late, 17) ^ rotated(late, 19) ^ late >> 10);
      }
      const uint32_t one = h + (rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25)) + (g ^ (e & (f ^ g))) + constants[i] +
                           words[i & 15];
      const uint32_t two = (rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)) + ((a & b) ^ (c & (a ^ b)));
      h = g, g = f, f = e, e = d + one, d = c, c = b, b = a, a = one + two;
    }
    state[0] += a, state[1] += b, state[2] += c, state[3] += d;
    state[4] += e, state[5] += f, state[6] += g, state[7] += h;
  }
}

// MARK: Blocks, by the processor's instructions

#if defined(__x86_64__)

#include <immintrin.h>

_Bool cdp_sha256_has_instructions(void) {
  return __builtin_cpu_supports("sha") && __builtin_cpu_supports("sse4.1") && __builtin_cpu_supports("ssse3");
}

#define BY_INSTRUCTIONS __attribute__((target("sha,sse4.1,ssse3")))

// The state as the instructions need it: the words A B E F and C D G H, from the highest to the lowest.
struct state {
  __m128i abef, cdgh;
};

// Adds the block of these words, which are replaced by those of the schedule.
BY_INSTRUCTIONS __attribute__((always_inline)) static inline struct state sum(struct state old, __m128i *words) {
  struct state new = old;
  // Four rounds at a time. From the sixteenth on, the words of the schedule replace the oldest ones.
#pragma clang loop unroll(full)
  for (int i = 0; i < 16; i++) {
    if (i >= 4) {
      const __m128i ahead = _mm_alignr_epi8(words[(i + 3) & 3], words[(i + 2) & 3], 4);
      const __m128i added = _mm_add_epi32(_mm_sha256msg1_epu32(words[i & 3], words[(i + 1) & 3]), ahead);
      words[i & 3] = _mm_sha256msg2_epu32(added, words[(i + 3) & 3]);
    }
    const __m128i round = _mm_add_epi32(words[i & 3], _mm_loadu_si128((const __m128i *)(constants + 4 * i)));
    new.cdgh = _mm_sha256rnds2_epu32(new.cdgh, new.abef, round);
    new.abef = _mm_sha256rnds2_epu32(new.abef, new.cdgh, _mm_shuffle_epi32(round, 0x0E));
  }
  return (struct state){_mm_add_epi32(new.abef, old.abef), _mm_add_epi32(new.cdgh, old.cdgh)};
}

// Words of bytes in memory.
BY_INSTRUCTIONS static inline __m128i swapped(__m128i bytes) {
  return _mm_shuffle_epi8(bytes, _mm_set_epi8(12, 13, 14, 15, 8, 9, 10, 11, 4, 5, 6, 7, 0, 1, 2, 3));
}

BY_INSTRUCTIONS static void add_by_instructions(uint32_t *words, const uint8_t *bytes, size_t blocks) {
  const __m128i badc = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)words), 0xB1);
  const __m128i hgfe = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)(words + 4)), 0x1B);
  struct state state = {_mm_alignr_epi8(badc, hgfe, 8), _mm_blend_epi16(hgfe, badc, 0xF0)};
  for (; blocks > 0; blocks--, bytes += BLOCK_BYTES) {
    __m128i block[4];
    for (int i = 0; i < 4; i++) block[i] = swapped(_mm_loadu_si128((const __m128i *)(bytes + 16 * i)));
    state = sum(state, block);
  }
  const __m128i feba = _mm_shuffle_epi32(state.abef, 0x1B), dchg = _mm_shuffle_epi32(state.cdgh, 0xB1);
  _mm_storeu_si128((__m128i *)words, _mm_blend_epi16(feba, dchg, 0xF0));
  _mm_storeu_si128((__m128i *)(words + 4), _mm_alignr_epi8(dchg, feba, 8));
}

// The first 8 bytes of the hash of a message with its padding: three numbers, zeros, and the length in bits. It stays in
// registers, which saves a third of the time.
#define HAS_PREFIX_BY_INSTRUCTIONS 1
BY_INSTRUCTIONS static uint64_t prefix_by_instructions(uint64_t low, uint64_t high, uint64_t third, unsigned bits) {
  __m128i block[4] = {
      swapped(_mm_set_epi64x((long long)high, (long long)low)), swapped(_mm_set_epi64x(0, (long long)third)),
      _mm_setzero_si128(), _mm_set_epi32((int)bits, 0, 0, 0)};
  const struct state first = {
      _mm_set_epi32(0x6a09e667, (int)0xbb67ae85, 0x510e527f, (int)0x9b05688c),
      _mm_set_epi32(0x3c6ef372, (int)0xa54ff53a, 0x1f83d9ab, 0x5be0cd19)};
  const __m128i abef = sum(first, block).abef;
  return __builtin_bswap32((uint32_t)_mm_extract_epi32(abef, 3)) |
         (uint64_t)__builtin_bswap32((uint32_t)_mm_extract_epi32(abef, 2)) << 32;
}

#elif defined(__aarch64__) && (defined(__linux__) || defined(__APPLE__))

#include <arm_neon.h>

#if defined(__linux__)
#include <sys/auxv.h>

// HWCAP_SHA2 of Linux's asm/hwcap.h.
_Bool cdp_sha256_has_instructions(void) { return (getauxval(AT_HWCAP) & 1UL << 6) != 0; }
#else
// All of Apple's 64-bit processors have them.
_Bool cdp_sha256_has_instructions(void) { return 1; }
#endif

__attribute__((target("sha2"))) static void add_by_instructions(uint32_t *state, const uint8_t *bytes, size_t blocks) {
  uint32x4_t abcd = vld1q_u32(state), efgh = vld1q_u32(state + 4);
  for (; blocks > 0; blocks--, bytes += BLOCK_BYTES) {
    const uint32x4_t old_abcd = abcd, old_efgh = efgh;
    uint32x4_t words[4];
    for (int i = 0; i < 4; i++) words[i] = vreinterpretq_u32_u8(vrev32q_u8(vld1q_u8(bytes + 16 * i)));
    // Four rounds at a time. From the sixteenth on, the words of the schedule replace the oldest ones.
#pragma clang loop unroll(full)
    for (int i = 0; i < 16; i++) {
      if (i >= 4) {
        const uint32x4_t sum = vsha256su0q_u32(words[i & 3], words[(i + 1) & 3]);
        words[i & 3] = vsha256su1q_u32(sum, words[(i + 2) & 3], words[(i + 3) & 3]);
      }
      const uint32x4_t round = vaddq_u32(words[i & 3], vld1q_u32(constants + 4 * i)), earlier = abcd;
      abcd = vsha256hq_u32(abcd, efgh, round);
      efgh = vsha256h2q_u32(efgh, earlier, round);
    }
    abcd = vaddq_u32(abcd, old_abcd);
    efgh = vaddq_u32(efgh, old_efgh);
  }
  vst1q_u32(state, abcd);
  vst1q_u32(state + 4, efgh);
}

#else

_Bool cdp_sha256_has_instructions(void) { return 0; }

static void add_by_instructions(uint32_t *state, const uint8_t *bytes, size_t blocks) {
  add_portable(state, bytes, blocks);
}

#endif

static void add_blocks(uint32_t *state, const uint8_t *bytes, size_t blocks, _Bool is_portable) {
  if (!is_portable && cdp_sha256_has_instructions()) {
    add_by_instructions(state, bytes, blocks);
  } else {
    add_portable(state, bytes, blocks);
  }
}

// MARK: Messages

cdp_sha256 cdp_sha256_start(void) {
  cdp_sha256 hash = {.count = 0};
  memcpy(hash.state, first_state, sizeof first_state);
  return hash;
}

void cdp_sha256_add(cdp_sha256 *hash, const void *bytes, size_t count) {
  // No bytes may come without an address, which memcpy must not see.
  if (count == 0) return;
  const uint8_t *next = bytes;
  const size_t used = hash->count % BLOCK_BYTES, free = BLOCK_BYTES - used;
  hash->count += count;
  if (count < free) {
    memcpy(hash->rest + used, next, count);
    return;
  }
  if (used > 0) {
    memcpy(hash->rest + used, next, free);
    add_blocks(hash->state, hash->rest, 1, hash->is_portable);
    next += free;
    count -= free;
  }
  const size_t rest = count % BLOCK_BYTES;
  add_blocks(hash->state, next, count / BLOCK_BYTES, hash->is_portable);
  memcpy(hash->rest, next + (count - rest), rest);
}

void cdp_sha256_finish(cdp_sha256 hash, uint8_t *digest) {
  // The padding begins with a byte 0x80 and ends with the length in bits. It fills one block, or two.
  uint8_t last[2 * BLOCK_BYTES] = {0};
  const size_t used = hash.count % BLOCK_BYTES;
  const size_t blocks = used < BLOCK_BYTES - LENGTH_BYTES ? 1 : 2;
  memcpy(last, hash.rest, used);
  last[used] = 0x80;
  const uint64_t bits = 8 * hash.count;
  uint8_t *end = last + blocks * BLOCK_BYTES;
  put_big_endian((uint32_t)(bits >> 32), end - 8);
  put_big_endian((uint32_t)bits, end - 4);
  add_blocks(hash.state, last, blocks, hash.is_portable);
  for (int i = 0; i < WORDS; i++) put_big_endian(hash.state[i], digest + 4 * i);
}

uint64_t cdp_sha256_prefix(uint64_t low, uint64_t high, unsigned count, _Bool is_portable) {
  // The padding, as in cdp_sha256_finish. The processors are little-endian ones.
  uint64_t third = 0;
  if (count < 8) {
    low |= (uint64_t)0x80 << 8 * count;
  } else if (count < 16) {
    high |= (uint64_t)0x80 << 8 * (count - 8);
  } else {
    third = 0x80;
  }
#ifdef HAS_PREFIX_BY_INSTRUCTIONS
  if (!is_portable && cdp_sha256_has_instructions()) return prefix_by_instructions(low, high, third, 8 * count);
#endif
  const uint64_t words[BLOCK_BYTES / 8] = {low, high, third, 0, 0, 0, 0, (uint64_t)(8 * count) << 56};
  uint8_t block[BLOCK_BYTES];
  memcpy(block, words, sizeof block);
  uint32_t state[WORDS];
  memcpy(state, first_state, sizeof state);
  add_blocks(state, block, 1, is_portable);
  return __builtin_bswap32(state[0]) | (uint64_t)__builtin_bswap32(state[1]) << 32;
}
