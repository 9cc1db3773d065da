/// A cache that creates the `String` of each key once per document, not once per object.
///
/// The table has a fixed size: if too many keys collide they replace each other. That costs little more than creating
/// every `String` again, and never affects correctness.
struct JSONKeyCache {
  /// A key, and a number that no other key of the document has; zero if the key was not cached.
  struct Key {
    let string: String
    let identity: UInt32
  }

  private struct Entry {
    var string = ""
    var identity: UInt32 = 0
    var count = 0
    var head: UInt64 = 0
    var tail: UInt64 = 0
  }

  private var entries: [Entry] = []
  private var lastIdentity: UInt32 = 0

  private static let size = 256
  private static let probes = 4
  private static let longestKey = 16

  /// Returns the key as a `String`.
  mutating func key(for raw: JSONRawString) -> Key {
    let count = raw.bytes.count
    guard count <= Self.longestKey, count > 0, !raw.hasEscapes, let start = raw.bytes.baseAddress else {
      return Key(string: raw.string, identity: 0)
    }
    if entries.isEmpty { entries = Array(repeating: Entry(), count: Self.size) }
    // Up to 16 bytes are determined by their number, the first and the last up to eight.
    let head = raw.head
    let tail = count > 8 ? UnsafeRawPointer(start + (count - 8)).loadUnaligned(as: UInt64.self) : 0
    let mixed = (head ^ (tail &<< 31 | tail &>> 33) ^ UInt64(truncatingIfNeeded: count)) &* 0x9E37_79B9_7F4A_7C15
    let home = Int(truncatingIfNeeded: ((mixed ^ mixed &>> 32) &* 0x9E37_79B9_7F4A_7C15) &>> 56)
    var slot = home
    let isKnown = entries.withUnsafeBufferPointer { entries in
      for step in 0..<Self.probes {
        slot = (home &+ step) & (Self.size - 1)
        if entries[slot].head == head, entries[slot].tail == tail, entries[slot].count == count { return true }
        if entries[slot].count == 0 { return false }
      }
      slot = home
      return false
    }
    if isKnown { return Key(string: entries[slot].string, identity: entries[slot].identity) }
    guard lastIdentity < .max else { return Key(string: raw.string, identity: 0) }
    lastIdentity += 1
    let entry = Entry(string: raw.string, identity: lastIdentity, count: count, head: head, tail: tail)
    entries[slot] = entry
    return Key(string: entry.string, identity: entry.identity)
  }
}
