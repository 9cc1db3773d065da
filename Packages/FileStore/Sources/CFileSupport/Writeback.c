#if defined(__linux__)
#define _GNU_SOURCE
#include <fcntl.h>
#endif

#include "CFileSupport.h"

void filestore_begin_writeback(int descriptor, int64_t offset, int64_t length) {
#if defined(__linux__)
  // Whatever it says, the sync that follows is what counts.
  (void)sync_file_range(descriptor, offset, length, SYNC_FILE_RANGE_WRITE);
#else
  (void)descriptor, (void)offset, (void)length;
#endif
}
