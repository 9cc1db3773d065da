// Prints: true false

import SyncStore

let options = SyncOptions()
print(options.isTemporary("Note", "-1"), options.isTemporary("Note", "1"))
