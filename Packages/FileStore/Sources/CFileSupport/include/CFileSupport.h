#ifndef C_FILE_SUPPORT_H
#define C_FILE_SUPPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Goes on with a CRC-32C (without the inversions at its beginning and end), by the instruction that processors have
/// for it.
///
/// Returns false, and leaves the checksum as it is, where there is no such instruction.
bool filestore_crc32c(const void *_Nullable bytes, size_t count, uint32_t *_Nonnull checksum);

/// Has the system begin to bring bytes of a file to the disk, where it can be told so. Waits for nothing that is not in
/// the way, and promises nothing.
void filestore_begin_writeback(int descriptor, int64_t offset, int64_t length);

/// How many names an open file has.
///
/// Does not ask for the times of the file as `fstat` does: Linux gives a file whose time somebody has seen another one
/// with the next write, however soon that comes, and the sync after it takes half as long again.
///
/// Returns 0, or -1 with the reason in `errno`.
int filestore_link_count(int descriptor, uint64_t *_Nonnull count);

/// Whether a path leads to an open file. Does not ask for the times of the file either.
///
/// Returns 1 or 0, or -1 with the reason in `errno`.
int filestore_is_at(int descriptor, const char *_Nonnull path);

#endif
