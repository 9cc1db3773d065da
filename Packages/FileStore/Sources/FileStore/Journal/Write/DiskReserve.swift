/// Preallocated space in the directory of a store. Deletions and compactions get it when the disk is full: otherwise nothing
/// could be freed from inside.
struct DiskReserve {
  /// The smallest part of it that is worth its name, and the steps in which it is given back.
  private static let step: UInt64 = 16 << 10

  /// The largest size that it gets because a store is large.
  private static let largestShare: UInt64 = 64 << 20

  /// The divisor that gives its part of the size of a store.
  private static let share: UInt64 = 8

  private let path: String

  /// Its size for a small store; 0 for none.
  private let smallestSize: UInt64
  private let fileSystem: any FileSystem

  /// How many bytes it should have.
  private var size: UInt64

  /// How many bytes it has.
  private(set) var held: UInt64 = 0

  /// Whether the disk had no room for all of it.
  var isShort: Bool { held < size }

  /// Whether some was given back that the disk had no room for since: nothing else may use it then.
  private(set) var isLent = false

  /// - Parameters:
  ///   - directory: The directory of the store.
  ///   - size: How many bytes it should have at least; 0 for none.
  init(in directory: String, size: UInt64, _ fileSystem: any FileSystem) {
    path = "\(directory)/\(StoreFormat.reserve)"
    smallestSize = size
    self.size = size
    self.fileSystem = fileSystem
  }

  /// Takes more, once a journal has grown so far that it is worth it.
  ///
  /// - Parameter journal: How many bytes the journal has.
  mutating func grow(for journal: UInt64) {
    let wanted = wantedSize(for: journal)
    guard wanted >= size + (1 << 20) else { return }
    size = wanted
    fill()
  }

  /// Takes as much as the largest journal is due, as far as the disk has room, or gives back what is too much.
  mutating func fit(_ journal: UInt64) {
    size = wantedSize(for: journal)
    if held > size { _ = release(held - size, keeping: size) }
    fill()
  }

  private func wantedSize(for journal: UInt64) -> UInt64 {
    smallestSize == 0 ? 0 : max(smallestSize, min(Self.largestShare, journal / Self.share))
  }

  /// Takes what is missing, as far as the disk has room. Without it everything works but deletions on a full disk.
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
        // Some of it may have been taken.
        try? file.truncate(to: held)
        part /= 2
      }
    }
  }

  /// Gives space back to the disk for deletions. Half of it is for compaction, which may make more: most of that is given too
  /// if it could not.
  ///
  /// - Returns: Whether there was any.
  mutating func release(forDeletionOf count: UInt64, isLastResort: Bool) -> Bool {
    release((count / Self.step + 1) * Self.step, keeping: isLastResort ? size / 16 : size / 2)
  }

  /// Gives all but the space for a few deletions back.
  mutating func releaseForCompaction() { _ = release(held, keeping: 4_096) }

  /// Gives back what the marks of closed journals need.
  ///
  /// - Returns: Whether there was any.
  mutating func releaseForClosing() -> Bool { release(Self.step, keeping: 0) }

  /// Gives space back to the disk: so many bytes, or what is left above a limit.
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
