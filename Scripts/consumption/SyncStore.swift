// Prints: Note 1 is queued

import SyncStore

let entry = OutboxEntry("Note", "1", base: nil, since: 0)
print("\(entry.type) \(entry.identifier) is \(entry.state)")
