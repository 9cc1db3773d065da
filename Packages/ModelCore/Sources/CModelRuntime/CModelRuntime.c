// All there is stands in the header, so that it is inlined; the package manager wants a source file nevertheless.
#include "CModelRuntime.h"
