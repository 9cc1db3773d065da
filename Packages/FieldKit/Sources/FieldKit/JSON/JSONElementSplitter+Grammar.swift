// The grammar of a document in single pieces, so that parsing can stop at every byte.
extension JSONElementSplitter {
  /// Scans pieces until an element, the end of the document or the end of the bytes is reached.
  ///
  /// - Parameter start: the position in the buffer at which the scanner began.
  func advance(_ scanner: inout JSONScanner, from start: Int) throws(JSONSyntaxError) -> Step {
    while true {
      switch due {
      case .restOfString:
        guard try scanner.passStringPart(&marks) else {
          return try pause(&scanner, "the quotation mark that ends the string")
        }
        if endValue(scanner, from: start) { return .element }
        continue
      case .restOfKey:
        guard try scanner.passStringPart(&marks) else {
          return try pause(&scanner, "the quotation mark that ends the string")
        }
        due = .colon
        continue
      case .restOfNumber(var part):
        try passDigits(&scanner, &part)
        if scanner.position == scanner.count, buffer.mayGrow { return .needsBytes }
        if endValue(scanner, from: start) { return .element }
        continue
      default: break
      }
      scanner.skipWhitespace()
      guard scanner.position < scanner.count else { return try pauseBetween(&scanner) }
      switch due {
      case .value: if try beginValue(&scanner, from: start) { return .element }
      case .firstElement:
        if scanner.base[scanner.position] == UInt8(ascii: "]") {
          if leaveContainer(&scanner, from: start) { return .element }
        } else {
          beginElement()
        }
      case .firstKey:
        if scanner.base[scanner.position] == UInt8(ascii: "}") {
          if leaveContainer(&scanner, from: start) { return .element }
        } else {
          due = .key
        }
      case .key: try readKey(&scanner)
      case .colon:
        guard scanner.base[scanner.position] == UInt8(ascii: ":") else {
          throw scanner.failure(expected: "a colon after the key")
        }
        scanner.position += 1
        due = .value
      case .separator: if try passSeparator(&scanner, from: start) { return .element }
      case .end: try scanner.finish()
      case .restOfKey, .restOfString, .restOfNumber: break
      }
    }
  }

  private func passDigits(_ scanner: inout JSONScanner, _ part: inout JSONNumberPart) throws(JSONSyntaxError) {
    defer { due = .restOfNumber(part) }
    try scanner.passDigits(of: &part)
  }

  // MARK: The end of the bytes

  private func pause(_ scanner: inout JSONScanner, _ expected: String) throws(JSONSyntaxError) -> Step {
    if buffer.mayGrow { return .needsBytes }
    throw scanner.failure(expected: expected)
  }

  private func pauseBetween(_ scanner: inout JSONScanner) throws(JSONSyntaxError) -> Step {
    if buffer.mayGrow { return .needsBytes }
    switch due {
    case .value: throw scanner.failure(expected: "a value")
    case .firstElement:
      scanner.isAtStartOfContainer = true
      throw scanner.failureInArray()
    case .firstKey:
      scanner.isAtStartOfContainer = true
      throw scanner.failureInObject()
    case .key: throw scanner.failure(expected: "a key in quotation marks")
    case .colon: throw scanner.failure(expected: "a colon after the key")
    case .separator: throw isObject.last == true ? scanner.failureInObject() : scanner.failureInArray()
    case .end, .restOfKey, .restOfString, .restOfNumber: return .ended
    }
  }

  // MARK: Values

  /// Begins the next value, and returns whether that ended an element.
  private func beginValue(_ scanner: inout JSONScanner, from start: Int) throws(JSONSyntaxError) -> Bool {
    let depth = isObject.count
    let position = scanner.position
    if isInsideArray, depth == progress.depthInArray { elementStart = start + position }
    let kind = try scanner.peek()
    let meaning = progress.isFound ? .other : progress.begin(kind, depth: depth)
    switch meaning {
    case .array: isInsideArray = true
    case .step: break
    case .miss(let message):
      // The document has no such array. Further inside, the key may occur again.
      if depth == 0 { throw scanner.failure(.missingArray, at: position, message) }
      miss = (message, start + position)
      fallthrough
    case .other: if passWhole(&scanner, kind) { return endValue(scanner, from: start) }
    }
    switch kind {
    case .array:
      try enterContainer(&scanner)
      isObject.append(false)
      due = .firstElement
    case .object:
      try enterContainer(&scanner)
      isObject.append(true)
      due = .firstKey
    case .string:
      scanner.position += 1
      marks.end()
      due = .restOfString
    case .number:
      guard let part = try scanner.passNumber(isLast: !buffer.mayGrow) else { return endValue(scanner, from: start) }
      due = .restOfNumber(part)
    case .bool:
      _ = try scanner.readBool()
      return endValue(scanner, from: start)
    case .null:
      try scanner.readNull()
      return endValue(scanner, from: start)
    }
    return false
  }

  private func enterContainer(_ scanner: inout JSONScanner) throws(JSONSyntaxError) {
    try scanner.enterContainer()
    // The state already implies it.
    scanner.isAtStartOfContainer = false
  }

  /// Skips a value at once if all of it was received.
  private func passWhole(_ scanner: inout JSONScanner, _ kind: JSONValue.Kind) -> Bool {
    guard canPassWholeValues, kind == .array || kind == .object || kind == .string else { return false }
    var whole = scanner
    do {
      try whole.skipValue()
    } catch {
      // An error is found again in single pieces, unless it is due to the end of the chunk.
      canPassWholeValues = false
      return false
    }
    scanner.position = whole.position
    return true
  }

  /// Ends a value, and returns whether it was an element.
  private func endValue(_ scanner: JSONScanner, from start: Int) -> Bool {
    due = isObject.isEmpty ? .end : .separator
    guard elementStart != nil, isObject.count == progress.depthInArray else { return false }
    endElement(at: start + scanner.position)
    return true
  }

  private func leaveContainer(_ scanner: inout JSONScanner, from start: Int) -> Bool {
    scanner.leaveContainer()
    isObject.removeLast()
    if isInsideArray, isObject.count < progress.depthInArray { isInsideArray = false }
    if let message = progress.leave(toDepth: isObject.count) { miss = (message, start + scanner.position) }
    return endValue(scanner, from: start)
  }

  // MARK: Between values

  private func beginElement() {
    if !progress.isFound, progress.enterElement(atDepth: isObject.count) { discardMiss() }
    due = .value
  }

  private func passSeparator(_ scanner: inout JSONScanner, from start: Int) throws(JSONSyntaxError) -> Bool {
    let isInObject = isObject.last == true
    let byte = scanner.base[scanner.position]
    if byte == (isInObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) { return leaveContainer(&scanner, from: start) }
    guard byte == UInt8(ascii: ",") else {
      throw isInObject ? scanner.failureInObject() : scanner.failureInArray()
    }
    scanner.position += 1
    if isInObject { due = .key } else { beginElement() }
    return false
  }

  private func readKey(_ scanner: inout JSONScanner) throws(JSONSyntaxError) {
    guard scanner.base[scanner.position] == UInt8(ascii: "\"") else {
      throw scanner.failure(expected: "a key in quotation marks")
    }
    let depth = isObject.count
    let wanted = progress.key(atDepth: depth)
    guard let wanted else {
      scanner.position += 1
      marks.end()
      due = .restOfKey
      return
    }
    let start = scanner.position
    let key: JSONRawString
    do {
      key = try scanner.scanString()
    } catch  where error.code == .unexpectedEnd && scanner.count - start > 1_024 + 64 * wanted.utf8.count {
      // A key that is longer than any spelling of the wanted one need not be kept.
      scanner.position = start + 1
      marks.end()
      due = .restOfKey
      return
    }
    due = .colon
    guard key.string == wanted else { return }
    if progress.isFound {
      throw scanner.failure(
        .duplicateKey, at: start,
        "expected the key \(wanted.quotedForMessage) once, since its elements were already returned, found it again")
    }
    progress.enterMember(atDepth: depth)
    discardMiss()
  }
}
