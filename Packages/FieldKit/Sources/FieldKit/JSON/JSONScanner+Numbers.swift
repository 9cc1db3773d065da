extension JSONScanner {
  /// Reads a number as an `Int`, or returns nil if its value has a fraction or doesn't fit. `1e3` is 1000.
  public mutating func readInt() throws(JSONSyntaxError) -> Int? {
    skipWhitespace()
    let number = try scanNumber()
    if let int = number.int { return int }
    return number.isInteger ? nil : value(of: number).intValue
  }

  /// Reads a number as the nearest `Double`, or returns nil if it is beyond the range of `Double`.
  public mutating func readDouble() throws(JSONSyntaxError) -> Double? {
    skipWhitespace()
    let number = try scanNumber()
    if let int = number.int { return number.isNegative && int == 0 ? -0.0 : Double(int) }
    return nearestDouble(of: number)
  }

  /// Reads a number as an ``JSONValue/int(_:)``, ``JSONValue/double(_:)`` or ``JSONValue/number(_:)``.
  public mutating func readNumber() throws(JSONSyntaxError) -> JSONValue {
    skipWhitespace()
    return value(of: try scanNumber())
  }

  private func nearestDouble(of number: ScannedNumber) -> Double? {
    if let double = number.nearestDouble { return double }
    // Short spellings are converted directly; longer ones are shortened first.
    guard number.end - number.start <= 64 else {
      guard let double = exactDecimal(of: number).nearestDouble else { return nil }
      return number.isNegative && double == 0 ? -0.0 : double
    }
    guard let double = Double(text(of: number)), double.isFinite else { return nil }
    return double
  }

  private func bytes(of number: ScannedNumber) -> UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(start: base + number.start, count: number.end - number.start)
  }

  private func text(of number: ScannedNumber) -> String {
    String(decoding: bytes(of: number), as: UTF8.self)
  }

  private func exactDecimal(of number: ScannedNumber) -> ExactDecimal {
    ExactDecimal(validNumber: bytes(of: number))
  }

  func value(of number: ScannedNumber) -> JSONValue {
    if number.isInteger {
      // An `Int` has no negative zero.
      if let int = number.int { return int == 0 && number.isNegative ? .double(-0.0) : .int(int) }
      return .number(JSONNumber(validated: text(of: number)))
    }
    // Every decimal of at most 15 digits in the normal range is the shortest spelling of its double.
    if number.significantDigits <= 15, let double = number.nearestDouble { return .double(double) }
    return unusualValue(of: number)
  }

  @inline(never)
  private func unusualValue(of number: ScannedNumber) -> JSONValue {
    let source = bytes(of: number)
    if let double = nearestDouble(of: number) {
      var shortest = double.description
      let isShortest = shortest.withUTF8 { $0.elementsEqual(source) }
      if isShortest { return .double(double) }
    }
    if let double = exactDecimal(of: number).exactDouble {
      return .double(number.isNegative && double == 0 ? -0.0 : double)
    }
    return .number(JSONNumber(validated: text(of: number)))
  }

  /// Reads a number and checks its grammar.
  mutating func scanNumber() throws(JSONSyntaxError) -> ScannedNumber {
    let start = position
    var index = start
    let isNegative = index < count && base[index] == UInt8(ascii: "-")
    if isNegative { index &+= 1 }
    guard let first = digit(at: index) else {
      throw isNegative ? invalidNumber(at: index, "a digit after the minus sign") : failure(expected: "a number")
    }
    var mantissa = UInt64(first)
    let firstDigit = index
    index &+= 1
    if first == 0 {
      if digit(at: index) != nil {
        throw failure(.invalidNumber, at: index, "expected no digit after a leading zero, found \(found(at: index))")
      }
    } else {
      while let digit = digit(at: index) {
        mantissa = mantissa &* 10 &+ UInt64(digit)
        index &+= 1
      }
    }
    var significantDigits = first == 0 ? 0 : index &- firstDigit
    var isInteger = true
    var exponent: Int64 = 0
    if index < count, base[index] == UInt8(ascii: ".") {
      isInteger = false
      index &+= 1
      let fraction = index
      guard digit(at: index) != nil else { throw invalidNumber(at: index, "a digit after the decimal point") }
      if first == 0 {
        while digit(at: index) == 0 { index &+= 1 }
      }
      let significant = index
      while let digit = digit(at: index) {
        mantissa = mantissa &* 10 &+ UInt64(digit)
        index &+= 1
      }
      significantDigits &+= index &- significant
      exponent = Int64(fraction &- index)
    }
    var isLong = significantDigits > 19
    if index < count, base[index] | 0x20 == UInt8(ascii: "e") {
      isInteger = false
      index &+= 1
      let isNegativeExponent = index < count && base[index] == UInt8(ascii: "-")
      if isNegativeExponent || index < count && base[index] == UInt8(ascii: "+") { index &+= 1 }
      guard digit(at: index) != nil else { throw invalidNumber(at: index, "a digit in the exponent") }
      var power: Int64 = 0
      while let digit = digit(at: index) {
        if power < 100_000_000 { power = power &* 10 &+ Int64(digit) } else { isLong = true }
        index &+= 1
      }
      exponent &+= isNegativeExponent ? 0 &- power : power
    }
    position = index
    return ScannedNumber(
      start: start, end: index, isNegative: isNegative, isInteger: isInteger, mantissa: mantissa,
      significantDigits: significantDigits, exponent: exponent, isLong: isLong)
  }

  @inline(__always)
  func digit(at index: Int) -> UInt8? {
    guard index < count else { return nil }
    let digit = base[index] &- UInt8(ascii: "0")
    return digit < 10 ? digit : nil
  }

  @inline(never)
  func invalidNumber(at index: Int, _ expected: String) -> JSONSyntaxError {
    guard index < count else { return failure(at: index, expected: expected) }
    return failure(.invalidNumber, at: index, "expected \(expected), found \(found(at: index))")
  }
}
