@_spi(ModelKitInternals) import StoreEngine

/// Reads the parts of a journal line in their fixed order, byte by byte. The JSON of the model is not parsed.
struct LineParser {
  private let line: UnsafeRawBufferPointer
  private var position = LineLayout.prefixLength

  private init(_ line: UnsafeRawBufferPointer) { self.line = line }

  /// Returns whether the bytes (without the line break) are a line with a correct checksum.
  ///
  /// - Parameter salt: That of the position of the line; 0 for a line that is checked without its position.
  static func isSound(_ line: UnsafeRawBufferPointer, salt: UInt32 = 0) -> Bool {
    guard line.last == UInt8(ascii: "]"), hasPrefix(line) else { return false }
    let stated = line.loadUnaligned(fromByteOffset: LineLayout.checksum.lowerBound, as: UInt64.self)
    return UInt64(littleEndian: stated) == hexadecimal(CRC32C.checksum(covered(line), salt: salt))
  }

  /// Returns the eight lowercase digits of a checksum, the first one in the lowest byte.
  private static func hexadecimal(_ checksum: UInt32) -> UInt64 {
    // The bytes are separated, then their halves.
    var digits = UInt64(checksum.byteSwapped)
    digits = (digits | digits << 16) & 0x0000_FFFF_0000_FFFF
    digits = (digits | digits << 8) & 0x00FF_00FF_00FF_00FF
    digits = (digits >> 4 | digits << 8) & 0x0F0F_0F0F_0F0F_0F0F
    let letters = (digits &+ 0x0606_0606_0606_0606) >> 4 & 0x0101_0101_0101_0101
    return digits &+ 0x3030_3030_3030_3030 &+ letters &* UInt64(UInt8(ascii: "a") - UInt8(ascii: "0") - 10)
  }

  /// Returns the salt with which a line is intact: that of the position at which it was written, if it was moved
  /// unchanged. Nil for bytes that are not a line.
  static func salt(of line: UnsafeRawBufferPointer) -> UInt32? {
    guard line.last == UInt8(ascii: "]"), let stated = statedChecksum(line) else { return nil }
    return CRC32C.salt(of: covered(line), with: stated)
  }

  /// Returns the content that a damaged line is proven to have had: a single flipped bit has one possible position.
  static func lostContent(of line: UnsafeRawBufferPointer, salt: UInt32) -> JournalLoss.Content {
    guard line.count > LineLayout.prefixLength else { return .unknown }
    var bytes = Array(line)
    let checksum = bytes.withUnsafeBytes { CRC32C.checksum(covered($0), salt: salt) }
    var restored = bytes
    for (index, character) in zip([0, 1, 10, 11], #"["",""#.utf8) { restored[index] = character }
    LineEncoder.writeChecksum(of: 0..<bytes.count, in: &restored, salt: salt)
    // The checksum itself, or one of the characters around it.
    let differences = zip(bytes, restored).count { $0 != $1 }
    if differences != 1 || !restored.withUnsafeBytes({ isSound($0, salt: salt) }) {
      guard let stated = bytes.withUnsafeBytes(statedChecksum),
        let bit = CRC32C.flippedBit(in: bytes.count - LineLayout.prefixLength, difference: stated ^ checksum)
      else { return .unknown }
      bytes[LineLayout.prefixLength + bit / 8] ^= 1 << UInt8(bit % 8)
    }
    return bytes.withUnsafeBytes { bytes in
      switch parse(bytes) {
      case .record(let record):
        .record(type: record.type.string(in: bytes), identifier: record.identifier.string(in: bytes))
      case .batch: .nothing
      default: .unknown
      }
    }
  }

  /// Returns the length of an intact line at the start of the bytes, if the line break after it was damaged.
  static func soundPrefix(_ bytes: UnsafeRawBufferPointer, salt: UInt32) -> Int? {
    guard let stated = statedChecksum(bytes) else { return nil }
    let rest = covered(bytes)
    let length = CRC32C.lengthOfPrefix(of: rest, with: stated, salt: salt) { end in
      rest[end - 1] == UInt8(ascii: "]") && end + 1 < rest.count && rest[end + 1] == UInt8(ascii: "[")
    }
    return length.map { $0 + LineLayout.prefixLength }
  }

  /// Returns whether the bytes at an index begin as a line does.
  static func mayStart(at index: Int, in bytes: UnsafeRawBufferPointer) -> Bool {
    bytes[index] == UInt8(ascii: "[") && statedChecksum(UnsafeRawBufferPointer(rebasing: bytes[index...])) != nil
  }

  /// Returns the content of an intact line; nil if the parts do not match its kind.
  static func parse(_ line: UnsafeRawBufferPointer) -> JournalLine? {
    var parser = LineParser(line)
    guard let kind = parser.text() else { return nil }
    let name = kind.string(in: line)
    if let operation = Operation(rawValue: name) { return parser.record(operation) }
    switch name {
    case "batch":
      guard let number = parser.nextInteger(), let count = parser.nextInteger(), let synced = parser.nextInteger(),
        parser.ends()
      else { return nil }
      return .batch(number: number, count: count, synced: synced)
    case "segment":
      guard let version = parser.nextInteger(), let number = parser.nextInteger(), let first = parser.nextInteger(),
        let group = parser.nextText()
      else { return nil }
      let records = parser.nextInteger()
      guard parser.ends() || version > StoreFormat.version else { return nil }
      return .segment(
        version: version, number: number, firstBatch: first, group: group.string(in: line), records: records)
    case "kept":
      guard let batch = parser.nextInteger(), let count = parser.nextInteger(), parser.ends() else { return nil }
      return .kept(batch: batch, count: count)
    case "largest":
      guard let type = parser.nextText(), let integer = parser.nextInteger(), parser.ends() else { return nil }
      return .largest(type: type, integer: integer)
    case "checkpoint":
      var numbers: [UInt64] = []
      while let number = parser.nextInteger() { numbers.append(number) }
      guard parser.ends(), let header = CheckpointHeader(numbers: numbers) else { return nil }
      return .checkpoint(header)
    case "closed":
      guard let segment = parser.nextInteger(), let length = parser.nextInteger(), let batch = parser.nextInteger(),
        parser.ends()
      else { return nil }
      return .closed(segment: segment, length: length, batch: batch)
    default: return .unknown(kind: name)
    }
  }

  private mutating func record(_ operation: Operation) -> JournalLine? {
    guard let type = nextText(), let identifier = nextText(), let revision = nextInteger() else { return nil }
    var value = position..<position
    if operation != .delete {
      guard skip(UInt8(ascii: ",")), position < line.count - 1 else { return nil }
      value = position..<line.count - 1
      position = line.count - 1
    }
    guard ends() else { return nil }
    return .record(
      RecordLine(operation: operation, type: type, identifier: identifier, revision: revision, value: value))
  }

  private static func covered(_ line: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: line[LineLayout.prefixLength...])
  }

  private static func statedChecksum(_ line: UnsafeRawBufferPointer) -> UInt32? {
    hasPrefix(line) ? hexadecimal(line, LineLayout.checksum) : nil
  }

  /// Whether the bytes have the characters around a checksum.
  private static func hasPrefix(_ line: UnsafeRawBufferPointer) -> Bool {
    line.count > LineLayout.prefixLength && line[0] == UInt8(ascii: "[") && line[1] == UInt8(ascii: "\"")
      && line[10] == UInt8(ascii: "\"") && line[11] == UInt8(ascii: ",")
  }

  private static func hexadecimal(_ line: UnsafeRawBufferPointer, _ range: Range<Int>) -> UInt32? {
    var value: UInt32 = 0
    for index in range {
      let byte = line[index]
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): value = value << 4 | UInt32(byte - UInt8(ascii: "0"))
      case UInt8(ascii: "a")...UInt8(ascii: "f"): value = value << 4 | UInt32(byte - UInt8(ascii: "a") + 10)
      default: return nil
      }
    }
    return value
  }

  private mutating func skip(_ byte: UInt8) -> Bool {
    guard position < line.count, line[position] == byte else { return false }
    position += 1
    return true
  }

  private func ends() -> Bool { position == line.count - 1 && line[position] == UInt8(ascii: "]") }

  private mutating func nextInteger() -> UInt64? {
    guard skip(UInt8(ascii: ",")) else { return nil }
    var value: UInt64 = 0
    let start = position
    while position < line.count, line[position] >= UInt8(ascii: "0"), line[position] <= UInt8(ascii: "9") {
      let (product, overflow) = value.multipliedReportingOverflow(by: 10)
      let (sum, carry) = product.addingReportingOverflow(UInt64(line[position] - UInt8(ascii: "0")))
      if overflow || carry { return nil }
      value = sum
      position += 1
    }
    return position > start ? value : nil
  }

  private mutating func nextText() -> JournalText? { skip(UInt8(ascii: ",")) ? text() : nil }

  private mutating func text() -> JournalText? {
    guard skip(UInt8(ascii: "\"")) else { return nil }
    let start = position
    while position < line.count {
      switch line[position] {
      case UInt8(ascii: "\""):
        position += 1
        return .verbatim(start..<position - 1)
      case UInt8(ascii: "\\"): return unescape(from: start)
      default: position += 1
      }
    }
    return nil
  }

  /// Resolves the escapes that the encoder writes: `\"`, `\\` and `\u00XX`.
  private mutating func unescape(from start: Int) -> JournalText? {
    var bytes = [UInt8](line[start..<position])
    while position < line.count {
      let byte = line[position]
      position += 1
      if byte == UInt8(ascii: "\"") { return .unescaped(bytes) }
      guard byte == UInt8(ascii: "\\") else {
        bytes.append(byte)
        continue
      }
      guard position < line.count else { return nil }
      let escaped = line[position]
      position += 1
      if escaped == UInt8(ascii: "u") {
        guard position + 4 <= line.count, let value = Self.hexadecimal(line, position..<position + 4), value < 0x80
        else { return nil }
        bytes.append(UInt8(value))
        position += 4
      } else if escaped == UInt8(ascii: "\"") || escaped == UInt8(ascii: "\\") {
        bytes.append(escaped)
      } else {
        return nil
      }
    }
    return nil
  }
}
