@_spi(ModelKitInternals) import StoreEngine

/// Appends journal lines to a buffer.
struct LineEncoder {
  private(set) var bytes: [UInt8] = []

  /// The file of the lines; nil for lines whose checksums don't cover their positions.
  private let segment: SegmentNumber?

  /// The offset in the file of the first byte.
  private(set) var start: UInt64

  private static let digits = Array("0123456789abcdef".utf8)

  /// The prefix of the last line. Neighbouring changes usually have the same kind and type.
  private var head: [UInt8] = []
  private var headOperation: Operation?
  private var headType = ""

  /// - Parameters:
  ///   - segment: The file of the lines; nil for lines whose checksums don't cover their positions.
  ///   - start: The offset in the file of the first byte.
  init(_ segment: SegmentNumber? = nil, from start: UInt64 = 0) {
    self.segment = segment
    self.start = start
  }

  /// The offset in the file after the last line.
  var end: UInt64 { start + UInt64(bytes.count) }

  /// Adds the first line of a segment.
  mutating func segment(number: UInt64, firstBatch: UInt64, group: String, records: UInt64? = nil) {
    line("segment") {
      $0.integer(StoreFormat.version)
      $0.integer(number)
      $0.integer(firstBatch)
      $0.text(group)
      if let records { $0.integer(records) }
    }
  }

  /// Adds the line before the live records of the batches up to `batch`.
  mutating func kept(batch: UInt64, count: Int) {
    line("kept") {
      $0.integer(batch)
      $0.integer(UInt64(count))
    }
  }

  /// Adds the largest integer that was an identifier of a type.
  mutating func largest(type: String, integer: Int) {
    line("largest") {
      $0.text(type)
      $0.integer(UInt64(integer))
    }
  }

  /// Adds the first line of a checkpoint.
  mutating func checkpoint(_ header: CheckpointHeader) {
    line("checkpoint") {
      for number in header.numbers { $0.integer(number) }
    }
  }

  /// Adds a line of another position, given without its line break.
  mutating func copy(_ line: UnsafeRawBufferPointer) {
    let start = bytes.count
    bytes.append(contentsOf: line)
    bytes.append(UInt8(ascii: "\n"))
    writeChecksum(of: start..<bytes.count - 1)
  }

  /// Discards the bytes, which were written, and keeps the memory. The next bytes come after them.
  mutating func removeAll() {
    start = end
    bytes.removeAll(keepingCapacity: true)
  }

  /// Adds zeros, which belong to no line.
  mutating func fill(_ count: Int) { bytes.append(contentsOf: repeatElement(0, count: count)) }

  /// Reserves capacity for more bytes.
  mutating func reserve(_ count: Int) { bytes.reserveCapacity(bytes.count + count) }

  /// Adds the first line of a batch.
  mutating func batch(number: UInt64, count: Int, synced: UInt64) {
    line("batch") {
      $0.integer(number)
      $0.integer(UInt64(count))
      $0.integer(synced)
    }
  }

  /// Adds the line of one change.
  ///
  /// - Returns: The range of the line in ``bytes``, without its line break.
  mutating func record(_ change: Change, revision: UInt64) -> Range<Int> {
    let start = bytes.count
    if headOperation == change.operation, headType.hasSameBytes(as: change.type) {
      bytes.append(contentsOf: head)
    } else {
      begin(change.operation.rawValue)
      text(change.type)
      (head, headOperation, headType) = (Array(bytes[start...]), change.operation, change.type)
    }
    text(change.identifier)
    integer(revision)
    if change.operation != .delete {
      bytes.append(UInt8(ascii: ","))
      bytes.append(contentsOf: change.value)
    }
    return endLine(from: start)
  }

  /// Adds the line of `closed.json`.
  mutating func closed(segment: UInt64, length: UInt64, batch: UInt64) {
    line("closed") {
      $0.integer(segment)
      $0.integer(length)
      $0.integer(batch)
    }
  }

  @discardableResult
  private mutating func line(_ kind: String, _ body: (inout LineEncoder) -> Void) -> Range<Int> {
    let start = bytes.count
    begin(kind)
    body(&self)
    return endLine(from: start)
  }

  private mutating func begin(_ kind: String) {
    bytes.append(contentsOf: "[\"00000000\",\"".utf8)
    bytes.append(contentsOf: kind.utf8)
    bytes.append(UInt8(ascii: "\""))
  }

  private mutating func endLine(from start: Int) -> Range<Int> {
    bytes.append(UInt8(ascii: "]"))
    let end = bytes.count
    bytes.append(UInt8(ascii: "\n"))
    writeChecksum(of: start..<end)
    return start..<end
  }

  private mutating func writeChecksum(of range: Range<Int>) {
    let salt = segment?.salt(at: start + UInt64(range.lowerBound)) ?? 0
    Self.writeChecksum(of: range, in: &bytes, salt: salt)
  }

  /// Writes the checksum of the line at `range`.
  static func writeChecksum(of range: Range<Int>, in bytes: inout [UInt8], salt: UInt32 = 0) {
    bytes.withUnsafeMutableBytes { buffer in
      let covered = buffer[(range.lowerBound + LineLayout.prefixLength)..<range.upperBound]
      var checksum = CRC32C.checksum(UnsafeRawBufferPointer(rebasing: covered), salt: salt)
      for index in LineLayout.checksum.reversed() {
        buffer[range.lowerBound + index] = digits[Int(checksum & 0xf)]
        checksum >>= 4
      }
    }
  }

  private mutating func integer(_ value: UInt64) {
    bytes.append(UInt8(ascii: ","))
    if value < 10 { return bytes.append(UInt8(ascii: "0") + UInt8(value)) }
    var digits: (UInt64, Int) = (value, 1)
    while digits.0 >= 10 { digits = (digits.0 / 10, digits.1 + 1) }
    let end = bytes.count + digits.1
    bytes.append(contentsOf: repeatElement(0, count: digits.1))
    var rest = value
    for index in (end - digits.1..<end).reversed() {
      bytes[index] = UInt8(ascii: "0") + UInt8(rest % 10)
      rest /= 10
    }
  }

  private mutating func text(_ string: String) {
    bytes.append(contentsOf: ",\"".utf8)
    let isPlain = string.withBytes { utf8 in
      let isPlain = utf8.allSatisfy { $0 >= 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }
      if isPlain { bytes.append(contentsOf: utf8) }
      return isPlain
    }
    if !isPlain {
      for byte in string.utf8 {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"):
          bytes.append(UInt8(ascii: "\\"))
          bytes.append(byte)
        case 0..<0x20:
          bytes.append(contentsOf: "\\u00".utf8)
          bytes.append(Self.digits[Int(byte >> 4)])
          bytes.append(Self.digits[Int(byte & 0xf)])
        default: bytes.append(byte)
        }
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }
}
