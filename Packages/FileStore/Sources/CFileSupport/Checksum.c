#include "CFileSupport.h"

#include <string.h>

#if defined(__x86_64__)

#include <cpuid.h>
#include <nmmintrin.h>
#include <stdatomic.h>

// Asked once: in a virtual machine the answer takes longer than many checksums.
static bool has_instruction(void) {
  static atomic_int known = 0;
  int answer = atomic_load_explicit(&known, memory_order_relaxed);
  if (answer == 0) {
    unsigned int a, b, c = 0, d;
    answer = __get_cpuid(1, &a, &b, &c, &d) && (c & bit_SSE4_2) ? 1 : 2;
    atomic_store_explicit(&known, answer, memory_order_relaxed);
  }
  return answer == 1;
}

__attribute__((target("sse4.2"))) static uint32_t go_on(uint32_t checksum, const uint8_t *bytes, size_t count) {
  uint64_t state = checksum;
  for (; count >= 8; bytes += 8, count -= 8) {
    uint64_t word;
    memcpy(&word, bytes, 8);
    state = _mm_crc32_u64(state, word);
  }
  checksum = (uint32_t)state;
  for (; count > 0; bytes++, count--) checksum = _mm_crc32_u8(checksum, *bytes);
  return checksum;
}

#elif defined(__aarch64__) && defined(__ARM_FEATURE_CRC32) && !defined(__AARCH64EB__)

#include <arm_acle.h>

static bool has_instruction(void) { return true; }

static uint32_t go_on(uint32_t checksum, const uint8_t *bytes, size_t count) {
  for (; count >= 8; bytes += 8, count -= 8) {
    uint64_t word;
    memcpy(&word, bytes, 8);
    checksum = __crc32cd(checksum, word);
  }
  for (; count > 0; bytes++, count--) checksum = __crc32cb(checksum, *bytes);
  return checksum;
}

#else

static bool has_instruction(void) { return false; }

static uint32_t go_on(uint32_t checksum, const uint8_t *bytes, size_t count) { return checksum; }

#endif

bool filestore_crc32c(const void *bytes, size_t count, uint32_t *checksum) {
  if (!has_instruction()) return false;
  if (count > 0) *checksum = go_on(*checksum, bytes, count);
  return true;
}
