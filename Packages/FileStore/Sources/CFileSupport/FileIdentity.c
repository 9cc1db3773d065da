#if defined(__linux__)
#define _GNU_SOURCE
#include <fcntl.h>
#endif

#include "CFileSupport.h"

#include <errno.h>
#include <sys/stat.h>

int filestore_is_at(int descriptor, const char *path) {
#if defined(STATX_INO)
  struct statx file, found;
  if (statx(descriptor, "", AT_EMPTY_PATH, STATX_INO, &file) == 0) {
    if (statx(AT_FDCWD, path, 0, STATX_INO, &found) != 0) return errno == ENOENT || errno == ENOTDIR ? 0 : -1;
    return file.stx_ino == found.stx_ino && file.stx_dev_major == found.stx_dev_major
           && file.stx_dev_minor == found.stx_dev_minor;
  }
  // Kernels and sandboxes that don't know the call are asked in the old way.
  if (errno != ENOSYS && errno != EPERM) return -1;
#endif
  struct stat all, other;
  if (fstat(descriptor, &all) != 0) return -1;
  if (stat(path, &other) != 0) return errno == ENOENT || errno == ENOTDIR ? 0 : -1;
  return all.st_ino == other.st_ino && all.st_dev == other.st_dev;
}
