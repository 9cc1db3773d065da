@_spi(ModelKitInternals) import ModelCore

/// The values of one field in all records of a type, by the numbers of the records in the order of creation.
///
/// A scan reads a few bytes for a record there, instead of the record.
package final class ValueColumn {
  enum Values {
    /// Integers; 0 for nil.
    case integers([Int])
    /// Doubles; 0 for nil.
    case doubles([Double])
    /// The numbers of values among the distinct ones; 0 for nil.
    case codes([UInt16], distinct: [JSONValue])
    /// The UTF-8 of all texts in one buffer, and the place of each. Places may have gaps.
    case texts([UInt8], places: [TextPlace])
  }

  /// The place of a text in a buffer.
  struct TextPlace {
    let start: UInt32
    let count: UInt32

    var range: Range<Int> { Int(start)..<Int(start) + Int(count) }
  }

  /// The field of the values.
  let slot: QuerySlot
  let values: Values
  /// 1 for each record whose value is nil; empty if none is.
  let nils: [UInt8]
  package let count: Int

  init(_ slot: QuerySlot, _ values: Values, nils: [UInt8], count: Int) {
    self.slot = slot
    self.values = values
    self.nils = nils
    self.count = count
  }

  /// The approximate size in memory.
  var byteCount: Int {
    switch values {
    case .integers, .doubles: count * 8 + nils.count
    case .codes(_, let distinct): count * 2 + nils.count + distinct.count * 64
    case .texts(let bytes, _): count * 8 + nils.count + bytes.count
    }
  }

  @inline(__always)
  func isNil(_ row: Int) -> Bool { !nils.isEmpty && nils[row] != 0 }

  /// Returns the value of a record.
  func json(_ row: Int) -> JSONValue {
    if isNil(row) { return .null }
    switch values {
    case .integers(let values): return .int(values[row])
    case .doubles(let values): return .double(values[row])
    case .codes(let codes, let distinct): return distinct[Int(codes[row])]
    case .texts(let bytes, let places): return .string(String(decoding: bytes[places[row].range], as: UTF8.self))
    }
  }

  /// Returns 1 for each record whose value passes a test.
  func mask(of test: QueryTest) throws -> [UInt8] {
    var mask: [UInt8]
    switch values {
    case .integers(let values):
      if let test = test as? IntegerTest {
        mask = test.mask(of: values)
      } else {
        mask = try values.map { try test.matches(.int($0)) ? 1 : 0 }
      }
    case .doubles(let values):
      if let test = test as? DoubleTest {
        mask = test.mask(of: values)
      } else {
        mask = try values.map { try test.matches(.double($0)) ? 1 : 0 }
      }
    case .codes(let codes, let distinct):
      let passing: [UInt8] = try distinct.map { try test.matches($0) ? 1 : 0 }
      mask = passing.isEmpty ? Array(repeating: 0, count: count) : codes.map { passing[Int($0)] }
    case .texts(let bytes, let places): mask = try Self.mask(of: test, bytes, places)
    }
    if !nils.isEmpty {
      let isNilPassing: UInt8 = try test.matches(.null) ? 1 : 0
      for row in nils.indices where nils[row] != 0 { mask[row] = isNilPassing }
    }
    return mask
  }

  /// Returns the column after some records were changed or added; nil if a value can't be stored in a column.
  ///
  /// - Parameter records: the records in the order of their numbers.
  /// - Throws: an error if a record is not a JSON object.
  func following(_ records: [NumberedRecord]) throws -> ValueColumn? {
    let builder = ColumnBuilder(self)
    for record in records {
      try record.bytes.withUnsafeBytes { bytes in
        let offset = try BytesRow.offset(of: slot.spelledKey, slot.parts, in: bytes)
        try builder.add(offset.map { JSONScanner(bytes, offset: $0, depth: 1, maximumDepth: 512) }, at: record.number)
      }
    }
    return builder.finish()
  }

  private static func mask(of test: QueryTest, _ bytes: [UInt8], _ places: [TextPlace]) throws -> [UInt8] {
    try bytes.withUnsafeBufferPointer { bytes in
      try places.map { place in
        let text = UnsafeBufferPointer(rebasing: bytes[place.range])
        if let test = test as? TextTest { return test.matches(utf8: text) ? 1 : 0 }
        return try test.matches(.string(String(decoding: text, as: UTF8.self))) ? 1 : 0
      }
    }
  }
}
