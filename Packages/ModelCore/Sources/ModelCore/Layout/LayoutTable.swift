@_spi(ModelKitInternals) import FieldKit
import Synchronization

/// The layouts of all model classes of the process, found without a lock because every new model needs one.
///
/// Entries are never removed, as classes are never unloaded.
final class LayoutTable: @unchecked Sendable {
  // Sendable by construction: buckets are atomics that point to immutable entries. Entries are inserted under the lock,
  // published with release semantics and never released.
  private typealias Bucket = Atomic<Unmanaged<Entry>?>

  private final class Entry: Sendable {
    let modelClass: ObjectIdentifier
    let layout: ModelLayout
    let next: Entry?

    init(modelClass: ObjectIdentifier, layout: ModelLayout, next: Entry?) {
      self.modelClass = modelClass
      self.layout = layout
      self.next = next
    }
  }

  private static let bucketCount = 1_024
  private let buckets: UnsafeMutablePointer<Bucket>
  private let adding = Lock(())

  init() {
    buckets = .allocate(capacity: Self.bucketCount)
    for index in 0..<Self.bucketCount { (buckets + index).initialize(to: Bucket(nil)) }
  }

  /// Returns the layout of a class, or nil if there is none.
  ///
  /// - Complexity: O(1), without a lock.
  func layout(of modelClass: ModelObject.Type) -> ModelLayout? {
    let identifier = ObjectIdentifier(modelClass)
    var next = bucket(of: identifier).pointee.load(ordering: .acquiring)?.takeUnretainedValue()
    while let entry = next {
      if entry.modelClass == identifier { return entry.layout }
      next = entry.next
    }
    return nil
  }

  /// Adds the layout of a class, unless another thread was faster.
  ///
  /// - Returns: the layout in the table: the given one, or that of the other thread.
  func add(_ layout: ModelLayout, for modelClass: ModelObject.Type) -> ModelLayout {
    let bucket = bucket(of: ObjectIdentifier(modelClass))
    return adding.withLock { _ in
      if let first = self.layout(of: modelClass) { return first }
      let next = bucket.pointee.load(ordering: .acquiring)?.takeUnretainedValue()
      let entry = Entry(modelClass: ObjectIdentifier(modelClass), layout: layout, next: next)
      bucket.pointee.store(Unmanaged.passRetained(entry), ordering: .releasing)
      return layout
    }
  }

  @inline(__always)
  private func bucket(of identifier: ObjectIdentifier) -> UnsafeMutablePointer<Bucket> {
    // Not the standard hash: that resists chosen input, and the addresses of classes are not chosen.
    let hash = (UInt64(UInt(bitPattern: identifier)) &* 0x9E37_79B9_7F4A_7C15) &>> 40
    return buckets + (Int(truncatingIfNeeded: hash) & (Self.bucketCount - 1))
  }
}
