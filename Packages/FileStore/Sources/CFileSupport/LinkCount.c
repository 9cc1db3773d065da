#if defined(__linux__)
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#endif

#include "CFileSupport.h"

#include <sys/stat.h>

int filestore_link_count(int descriptor, uint64_t *count) {
#if defined(STATX_NLINK)
  struct statx some;
  if (statx(descriptor, "", AT_EMPTY_PATH, STATX_NLINK, &some) == 0) {
    *count = some.stx_nlink;
    return 0;
  }
  // Kernels and sandboxes that don't know the call are asked in the old way.
  if (errno != ENOSYS && errno != EPERM) return -1;
#endif
  struct stat all;
  if (fstat(descriptor, &all) != 0) return -1;
  *count = all.st_nlink;
  return 0;
}
