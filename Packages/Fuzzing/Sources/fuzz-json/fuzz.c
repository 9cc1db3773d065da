#include <stddef.h>
#include <stdint.h>

/// Checks one input, and ends the process with a message if something is wrong. See JSONChecks.
void modelkit_check_json(const uint8_t *bytes, size_t count);

/// What libFuzzer calls with each input.
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
  modelkit_check_json(bytes, count);
  return 0;
}

#ifndef WITH_LIBFUZZER
#include <stdio.h>

/// libFuzzer brings a main function. Without it, the program says how to build it.
int main(void) {
  puts("This program was built without libFuzzer. Run Scripts/fuzz.");
  return 0;
}
#endif
