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

#endif
