@_spi(ModelKitInternals) import StoreEngine

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// The revisions after batches that are not written yet, by type and by the bytes of the identifier.
///
/// All of it is in three arrays, for any number of models.
struct StagedRevisions {
  /// The state of a model after the staged batches.
  enum State {
    case unchanged, deleted
    /// The revision, and whether a staged batch creates the model: then no reader can know the revision.
    case live(revision: UInt64, isCreated: Bool)
  }

  private struct Entry {
    let type: Int
    let start: Int
    let length: Int
    let hash: Int
    var state = State.unchanged
  }

  /// Up to this number, entries are compared one by one.
  private static let fewest = 8

  private var entries: [Entry] = []
  private var identifiers: [UInt8] = []

  /// Open addressing with linear probing: the entry's index plus one, or 0. Empty as long as there are few entries.
  private var slots: [UInt32] = []

  init(capacity: Int) {
    entries.reserveCapacity(capacity)
    if capacity > Self.fewest {
      identifiers.reserveCapacity(capacity * 8)
      makeSlots(for: capacity)
    }
  }

  /// The state of the model at a position.
  subscript(place: Int) -> State {
    get { entries[place].state }
    set { entries[place].state = newValue }
  }

  /// Returns the position of a model, which is added if it has none.
  ///
  /// - Parameter hash: that of the identifier, by one ``IdentifierHash`` for all.
  mutating func place(type: Int, _ identifier: UnsafeRawBufferPointer, hash: Int) -> Int {
    if slots.isEmpty {
      for index in entries.indices where isEntry(index, type, identifier, hash) { return index }
      if entries.count < Self.fewest { return add(type, identifier, hash) }
      makeSlots(for: entries.count * 2)
    } else if (entries.count + 1) * 4 > slots.count * 3 {
      makeSlots(for: entries.count * 2)
    }
    var slot = self.slot(type, hash)
    while slots[slot] != 0 {
      let index = Int(slots[slot]) - 1
      if isEntry(index, type, identifier, hash) { return index }
      slot = (slot + 1) & (slots.count - 1)
    }
    slots[slot] = UInt32(entries.count + 1)
    return add(type, identifier, hash)
  }

  private mutating func add(_ type: Int, _ identifier: UnsafeRawBufferPointer, _ hash: Int) -> Int {
    entries.append(Entry(type: type, start: identifiers.count, length: identifier.count, hash: hash))
    identifiers.append(contentsOf: identifier)
    return entries.count - 1
  }

  private func slot(_ type: Int, _ hash: Int) -> Int { (hash &+ type) & (slots.count - 1) }

  private func isEntry(_ index: Int, _ type: Int, _ identifier: UnsafeRawBufferPointer, _ hash: Int) -> Bool {
    let entry = entries[index]
    guard entry.hash == hash, entry.type == type, entry.length == identifier.count else { return false }
    guard let other = identifier.baseAddress else { return true }
    return identifiers.withUnsafeBytes { bytes in
      guard let own = bytes.baseAddress else { return entry.length == 0 }
      return memcmp(own + entry.start, other, entry.length) == 0
    }
  }

  private mutating func makeSlots(for count: Int) {
    var size = 16
    while size < count * 2 { size *= 2 }
    slots = [UInt32](repeating: 0, count: size)
    for index in entries.indices {
      var slot = self.slot(entries[index].type, entries[index].hash)
      while slots[slot] != 0 { slot = (slot + 1) & (slots.count - 1) }
      slots[slot] = UInt32(index + 1)
    }
  }
}
