@_spi(ModelKitInternals) import ModelCore

/// A builder of a column from records, added one by one.
final class ColumnBuilder {
  private enum Kind { case integers, doubles, codes, texts }

  private let slot: QuerySlot
  // Unchecked, because a value is added for every record, and no other code runs meanwhile.
  @exclusivity(unchecked) private var kind: Kind
  @exclusivity(unchecked) private var count = 0
  /// 1 for each record whose value is nil; empty as long as none is.
  @exclusivity(unchecked) private var nils: [UInt8] = []
  @exclusivity(unchecked) private var integers: [Int] = []
  private var doubles: [Double] = []
  @exclusivity(unchecked) private var codes: [UInt16] = []
  private var distinct: [JSONValue] = []
  private var numbers: [JSONValue: UInt16] = [:]
  // By bytes, because Swift treats some texts with different bytes as equal.
  private var numbersOfTexts: [ExactText: UInt16] = [:]
  @exclusivity(unchecked) private var recentTexts = RecentTexts()
  private var bytes: [UInt8] = []
  private var places: [ValueColumn.TextPlace] = []
  /// Whether a value can't be stored in a column.
  @exclusivity(unchecked) private(set) var isImpossible = false

  /// The number of distinct texts above which their bytes are kept.
  private static let maximumDistinct = 4_096

  init(_ slot: QuerySlot, _ context: ValueTransformerContext) {
    self.slot = slot
    kind =
      if let field = slot.field as? Field<Int>, field.isPlain(in: context) {
        .integers
      } else if let field = slot.field as? Field<Double>, field.isPlain(in: context) {
        .doubles
      } else {
        .codes
      }
  }

  /// Creates a builder that continues a column.
  init(_ column: ValueColumn) {
    slot = column.slot
    (nils, count) = (column.nils, column.count)
    switch column.values {
    case .integers(let values): (kind, integers) = (.integers, values)
    case .doubles(let values): (kind, doubles) = (.doubles, values)
    case .texts(let bytes, let places): (kind, self.bytes, self.places) = (.texts, bytes, places)
    case .codes(let codes, let distinct):
      (kind, self.codes, self.distinct) = (.codes, codes, distinct)
      for (number, value) in distinct.enumerated() {
        if let text = value.stringValue {
          numbersOfTexts[ExactText(text)] = UInt16(number)
        } else {
          numbers[value] = UInt16(number)
        }
      }
    }
  }

  /// Reserves memory for a number of records.
  func reserve(_ count: Int) {
    switch kind {
    case .integers: integers.reserveCapacity(count)
    case .doubles: doubles.reserveCapacity(count)
    case .codes: codes.reserveCapacity(count)
    case .texts: places.reserveCapacity(count)
    }
  }

  /// Replaces the value of a record, or adds that of the next one.
  func add(_ scanner: JSONScanner?, at number: Int) throws {
    try add(scanner)
    guard number <= count - 1, !isImpossible else { return isImpossible = true }
    if number == count - 1 { return }
    count -= 1
    if !nils.isEmpty { nils[number] = nils.removeLast() }
    switch kind {
    case .integers: integers[number] = integers.removeLast()
    case .doubles: doubles[number] = doubles.removeLast()
    case .codes: codes[number] = codes.removeLast()
    case .texts: places[number] = places.removeLast()
    }
  }

  /// Adds the value of the next record.
  ///
  /// - Parameters:
  ///   - record: the bytes of the record.
  ///   - offset: the position of the value; negative if the record lacks the key.
  @inline(__always)
  func add(_ record: UnsafeRawBufferPointer, at offset: Int) throws {
    if kind == .integers, !isImpossible, offset >= 0, let value = PlainInteger.value(at: offset, in: record) {
      integers.append(value)
      noteValue()
    } else {
      try add(offset < 0 ? nil : JSONScanner(record, offset: offset, depth: 1, maximumDepth: 512))
    }
  }

  /// Adds the value of the next record.
  ///
  /// - Parameter scanner: where the value is; nil if the record lacks the key.
  func add(_ scanner: JSONScanner?) throws {
    if isImpossible { return }
    guard var scanner else { return addGeneral(slot.missing) }
    let found = try scanner.peek()
    switch kind {
    case .integers where found == .number:
      guard let value = try scanner.readInt() else { return isImpossible = true }
      integers.append(value)
      noteValue()
    case .doubles where found == .number:
      guard let value = try scanner.readDouble() else { return isImpossible = true }
      doubles.append(value)
      noteValue()
    case .codes where found == .string:
      let raw = try scanner.readRawString()
      if !raw.hasEscapes, let number = recentTexts.number(of: raw.bytes) {
        codes.append(number)
        noteValue()
      } else {
        addCode(.string(raw.string))
        if !raw.hasEscapes, kind == .codes, !isImpossible, let number = codes.last {
          recentTexts.keep(number, of: raw.bytes)
        }
      }
    case .texts where found == .string:
      let raw = try scanner.readRawString()
      if raw.hasEscapes { addText(raw.string) } else { addText(raw.bytes) }
    default: addGeneral(try scanner.readValue())
    }
  }

  @inline(__always)
  private func noteValue() {
    count &+= 1
    if !nils.isEmpty { nils.append(0) }
  }

  private func noteNil() {
    if nils.isEmpty { nils = Array(repeating: 0, count: count) }
    nils.append(1)
    count += 1
  }

  private func addGeneral(_ json: JSONValue) {
    if json.isNull {
      noteNil()
      switch kind {
      case .integers: integers.append(0)
      case .doubles: doubles.append(0)
      case .codes: codes.append(0)
      case .texts: places.append(.init(start: 0, count: 0))
      }
      return
    }
    switch (kind, json) {
    case (.integers, .int(let value)):
      integers.append(value)
      noteValue()
    case (.doubles, .double(let value)):
      doubles.append(value)
      noteValue()
    case (.codes, .array), (.codes, .object): isImpossible = true
    case (.codes, _): addCode(json)
    case (.texts, .string(let text)): addText(text)
    default: isImpossible = true
    }
  }

  private func addCode(_ json: JSONValue) {
    if let number = code(of: json) {
      codes.append(number)
      noteValue()
    } else if case .string(let text) = json, keepTexts() {
      addText(text)
    } else {
      isImpossible = true
    }
  }

  /// Returns the number of a value among the distinct ones, to which it is added; nil if there are too many.
  private func code(of json: JSONValue) -> UInt16? {
    let text = json.stringValue.map { ExactText($0) }
    if let number = text.map({ numbersOfTexts[$0] }) ?? numbers[json] { return number }
    guard distinct.count < Self.maximumDistinct else { return nil }
    let number = UInt16(distinct.count)
    if let text {
      numbersOfTexts[text] = number
    } else {
      numbers[json] = number
    }
    distinct.append(json)
    return number
  }

  /// Replaces the numbers of distinct texts by the bytes of all texts.
  ///
  /// - Returns: `false` if a value is no text.
  private func keepTexts() -> Bool {
    guard distinct.allSatisfy({ $0.stringValue != nil }) else { return false }
    let texts = distinct.map { Array(($0.stringValue ?? "").utf8) }
    for (row, code) in codes.enumerated() {
      append(nils.isEmpty || nils[row] == 0 ? texts[Int(code)] : [])
    }
    (codes, distinct, numbersOfTexts, kind) = ([], [], [:], .texts)
    return true
  }

  /// Adds the values of another builder, whose records follow.
  func append(_ next: ColumnBuilder) {
    guard !isImpossible, let column = next.finish() else { return isImpossible = true }
    append(column)
  }

  private func append(_ column: ValueColumn) {
    switch (kind, column.values) {
    case (.integers, .integers(let values)): integers += values
    case (.doubles, .doubles(let values)): doubles += values
    case (.codes, .codes(let codes, let distinct)):
      let numbers = distinct.map { code(of: $0) }
      if numbers.allSatisfy({ $0 != nil }) {
        // Values that are nil have the number 0, even if there is no other value.
        let known = numbers.isEmpty ? [0] : numbers.map { $0 ?? 0 }
        self.codes += codes.map { known[Int($0)] }
      } else if keepTexts() {
        return append(column)
      } else {
        return isImpossible = true
      }
    case (.codes, .texts):
      if keepTexts() { return append(column) }
      return isImpossible = true
    case (.texts, .codes(let codes, let distinct)):
      guard distinct.allSatisfy({ $0.stringValue != nil }) else { return isImpossible = true }
      let texts = distinct.map { Array(($0.stringValue ?? "").utf8) }
      for (row, code) in codes.enumerated() { append(column.isNil(row) ? [] : texts[Int(code)]) }
    case (.texts, .texts(let bytes, let places)):
      guard UInt32(exactly: self.bytes.count + bytes.count) != nil else { return isImpossible = true }
      let start = UInt32(self.bytes.count)
      self.bytes += bytes
      self.places += places.map { .init(start: $0.start + start, count: $0.count) }
    default: return isImpossible = true
    }
    if !nils.isEmpty || !column.nils.isEmpty {
      if nils.isEmpty { nils = Array(repeating: 0, count: count) }
      nils += column.nils.isEmpty ? Array(repeating: 0, count: column.count) : column.nils
    }
    count += column.count
  }

  private func addText(_ utf8: some Sequence<UInt8>) {
    append(utf8)
    noteValue()
  }

  private func append(_ utf8: some Sequence<UInt8>) {
    let start = bytes.count
    bytes.append(contentsOf: utf8)
    guard let end = UInt32(exactly: bytes.count) else { return isImpossible = true }
    places.append(.init(start: UInt32(start), count: end - UInt32(start)))
  }

  /// Removes the texts that were replaced.
  private func removeGaps() {
    let used = places.reduce(0) { $0 + Int($1.count) }
    guard bytes.count > 2 * used + 4_096 else { return }
    let (oldBytes, oldPlaces) = (bytes, places)
    (bytes, places) = ([], [])
    for place in oldPlaces { append(oldBytes[place.range]) }
  }

  private func addText(_ text: String) { addText(text.utf8) }

  /// Returns the column; nil if a value can't be stored in it.
  func finish() -> ValueColumn? {
    if isImpossible { return nil }
    if kind == .texts { removeGaps() }
    let values: ValueColumn.Values =
      switch kind {
      case .integers: .integers(integers)
      case .doubles: .doubles(doubles)
      case .codes: .codes(codes, distinct: distinct)
      case .texts: .texts(bytes, places: places)
      }
    return ValueColumn(slot, values, nils: nils, count: count)
  }
}
