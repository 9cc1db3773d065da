@_spi(ModelKitInternals) import ModelCore

/// A condition about one field, which is tested as soon as the field is found. Most conditions are of this kind.
final class SingleTest {
  private let test: QueryTest
  private let slot: QuerySlot
  private let key: UnsafeBufferPointer<UInt8>

  init(_ slot: QuerySlot, _ test: QueryTest) {
    self.test = test
    self.slot = slot
    key = slot.quoted
  }

  /// Returns whether the condition holds for the bytes of a record.
  @inline(__always)
  func matches(_ bytes: UnsafeRawBufferPointer) throws -> Bool {
    var scanner = JSONScanner(bytes)
    try scanner.beginObject()
    while let found = try scanner.nextKey() {
      if found.decodedCount == key.count, found.equals(key) { return try test.matches(&scanner) }
      try scanner.skipValue()
    }
    return try test.matches(slot.missing)
  }
}
