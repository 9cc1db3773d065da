@_spi(ModelKitInternals) import StoreEngine

/// A fast checksum of many bytes, for the tables in a checkpoint. A million models have about sixty megabytes of
/// tables.
///
/// The bytes are taken as numbers of 64 bits, lowest byte first, and added to four sums in turn. A sum takes a number
/// by `sum = (sum ^ number) * 0x9e3779b97f4a7c15`, then `sum ^= sum >> 32`. Each step can be undone, so a number that
/// changed always changes the sum that it belongs to.
struct Fingerprint {
  private static let factor: UInt64 = 0x9e37_79b9_7f4a_7c15
  private var sums: (UInt64, UInt64, UInt64, UInt64) = (1, 2, 3, 4)
  private var count: UInt64 = 0

  /// Adds bytes. A rest of fewer than 32 bytes is padded with zeros, so the value depends on how the bytes are split
  /// into calls. It also depends on their number.
  mutating func add(_ bytes: UnsafeRawBufferPointer) {
    count += UInt64(bytes.count)
    var offset = 0
    while offset + 32 <= bytes.count {
      Self.take(bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self), &sums.0)
      Self.take(bytes.loadUnaligned(fromByteOffset: offset + 8, as: UInt64.self), &sums.1)
      Self.take(bytes.loadUnaligned(fromByteOffset: offset + 16, as: UInt64.self), &sums.2)
      Self.take(bytes.loadUnaligned(fromByteOffset: offset + 24, as: UInt64.self), &sums.3)
      offset += 32
    }
    guard offset < bytes.count else { return }
    var rest: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
    withUnsafeMutableBytes(of: &rest) { $0.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[offset...])) }
    Self.take(rest.0, &sums.0)
    Self.take(rest.1, &sums.1)
    Self.take(rest.2, &sums.2)
    Self.take(rest.3, &sums.3)
  }

  @inline(__always)
  private static func take(_ number: UInt64, _ sum: inout UInt64) {
    sum = (sum ^ UInt64(littleEndian: number)) &* factor
    sum ^= sum >> 32
  }

  /// The sums, taken as numbers by a fifth one that begins with the count of the bytes.
  var value: UInt64 {
    var value = count
    for sum in [sums.0, sums.1, sums.2, sums.3] { Self.take(sum, &value) }
    return value
  }
}
