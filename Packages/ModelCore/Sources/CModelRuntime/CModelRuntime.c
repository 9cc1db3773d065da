// The functions are in the header, so that they are inlined. The package manager requires a source file.
#include "CModelRuntime.h"
