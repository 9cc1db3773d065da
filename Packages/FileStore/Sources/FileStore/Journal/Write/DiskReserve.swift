/// Preallocated space in the directory of a store. Deletions and compactions use it when the disk is full. Otherwise
/// the store could not free space.
struct DiskReserve {
  /// Its smallest useful size, and the steps in which it is released.
  private static let step: UInt64 = 16 << 10

  /// The maximum size for a large store.
  private static let largestShare: UInt64 = 64 << 20

  /// The ratio of the size of the largest journal to that of the reserve.
  private static let share: UInt64 = 8

  private let path: String

  /// Its size for a small store; 0 for none.
  private let smallestSize: UInt64
  private let fileSystem: any FileSystem

  /// The intended size in bytes.
  private var size: UInt64

  /// The current size in bytes.
  private(set) var held: UInt64 = 0

  /// Whether the disk lacked space for the intended size.
  var isShort: Bool { held < size }

  /// Whether released space was not yet restored, because the disk is full. Nothing else may use it then.
  private(set) var isLent = false

  /// - Parameters:
  ///   - directory: The directory of the store.
  ///   - size: The minimum size in bytes; 0 for none.
  init(in directory: String, size: UInt64, _ fileSystem: any FileSystem) {
    path = "\(directory)/\(StoreFormat.reserve)"
    smallestSize = size
    self.size = size
    self.fileSystem = fileSystem
  }

  /// Grows after a journal has grown enough.
  ///
  /// - Parameter journal: The size of the journal in bytes.
  mutating func grow(for journal: UInt64) {
    let wanted = wantedSize(for: journal)
    guard wanted >= size + (1 << 20) else { return }
    size = wanted
    fill()
  }

  /// Grows to the size for the largest journal, if the disk has space, or shrinks to it.
  mutating func fit(_ journal: UInt64) {
    size = wantedSize(for: journal)
    if held > size { _ = release(held - size, keeping: size) }
    fill()
  }

  private func wantedSize(for journal: UInt64) -> UInt64 {
    smallestSize == 0 ? 0 : max(smallestSize, min(Self.largestShare, journal / Self.share))
  }

  /// Grows to the intended size, as far as the disk has space. Without it only deletions on a full disk fail.
  mutating func fill() {
    defer { if !isShort { isLent = false } }
    guard isShort, let file = try? fileSystem.open(path, .create), let found = try? file.size() else { return }
    held = min(found, size)
    var part = size - held
    while held < size, part >= Self.step {
      part = min(part, size - held)
      do {
        try file.preallocate(from: held, length: part)
        held += part
      } catch {
        // A part may have been allocated.
        try? file.truncate(to: held)
        part /= 2
      }
    }
  }

  /// Releases space for deletions. Half of the reserve is for compaction, which may free more. If compaction freed
  /// nothing, most of that half is released too.
  ///
  /// - Returns: Whether there was any.
  mutating func release(forDeletionOf count: UInt64, isLastResort: Bool) -> Bool {
    release((count / Self.step + 1) * Self.step, keeping: isLastResort ? size / 16 : size / 2)
  }

  /// Releases all but the space for a few deletions.
  mutating func releaseForCompaction() { _ = release(held, keeping: 4_096) }

  /// Releases the space for the marks of closed journals.
  ///
  /// - Returns: Whether there was any.
  mutating func releaseForClosing() -> Bool { release(Self.step, keeping: 0) }

  /// Releases a number of bytes, but keeps a limit.
  private mutating func release(_ count: UInt64, keeping limit: UInt64) -> Bool {
    guard held > limit else { return false }
    let rest = max(limit, held - min(held, count))
    isLent = true
    do {
      try fileSystem.open(path, .readWrite).truncate(to: rest)
      held = rest
      return true
    } catch {
      held = 0
      return false
    }
  }
}
