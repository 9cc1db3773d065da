#ifndef BENCHMARK_SUPPORT_H
#define BENCHMARK_SUPPORT_H

#include <stdbool.h>
#include <stddef.h>

/// Does nothing, but the compiler of the caller can't know that: what `value` points to must have been computed, and
/// everything in memory may be different afterwards.
void benchmark_barrier(const void *_Nullable value);

/// The bytes of the heap that a block occupies, without what the allocator keeps beside it; 0 where that is unknown.
size_t benchmark_block_size(const void *_Nonnull block);

/// The bytes of the heap that are in use, with what the allocator keeps beside each block; 0 where that is unknown.
size_t benchmark_heap_in_use(void);

/// Gives the system back what the heap no longer needs, where that can be asked for.
void benchmark_trim_heap(void);

/// Whether a path lies on a file system that is kept in memory, where a sync costs nothing.
bool benchmark_is_memory_file_system(const char *_Nonnull path);

#endif
