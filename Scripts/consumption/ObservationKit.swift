// Prints: 0 to 1

import ObservationKit

let source = ValueSource(0)
let token = source.addObserver(requiresChange: true, updateImmediately: false) { old, new in
  print("\(old) to \(new)")
}
source.value = 1
token.cancel()
source.value = 2
