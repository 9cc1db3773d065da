#include "benchmark_support.h"

#if defined(__APPLE__)
#include <malloc/malloc.h>
#elif defined(__linux__)
#include <malloc.h>
#include <sys/vfs.h>
#endif

__attribute__((noinline)) void benchmark_barrier(const void *value) {
  __asm__ volatile("" : : "r"(value) : "memory");
}

size_t benchmark_block_size(const void *block) {
#if defined(__APPLE__)
  return malloc_size(block);
#elif defined(__linux__)
  return malloc_usable_size((void *)block);
#else
  return 0;
#endif
}

size_t benchmark_heap_in_use(void) {
#if defined(__APPLE__)
  return mstats().bytes_used;
#elif defined(__GLIBC__) && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 33)
  struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
#else
  return 0;
#endif
}

void benchmark_trim_heap(void) {
#if defined(__GLIBC__)
  malloc_trim(0);
#endif
}

bool benchmark_is_memory_file_system(const char *path) {
#if defined(__linux__)
  const long tmpfs = 0x01021994;
  const long ramfs = 0x858458f6;
  struct statfs info;
  return statfs(path, &info) == 0 && (info.f_type == tmpfs || info.f_type == ramfs);
#else
  return false;
#endif
}
