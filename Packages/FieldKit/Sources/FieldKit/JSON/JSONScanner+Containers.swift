extension JSONScanner {
  /// Reads the brace that starts an object. ``nextKey()`` follows.
  @inlinable
  public mutating func beginObject() throws(JSONSyntaxError) {
    skipWhitespace()
    guard position < count, base[position] == UInt8(ascii: "{") else { throw failure(expected: "an object") }
    try enterContainer()
  }

  /// Reads the bracket that starts an array. ``nextElement()`` follows.
  @inlinable
  public mutating func beginArray() throws(JSONSyntaxError) {
    skipWhitespace()
    guard position < count, base[position] == UInt8(ascii: "[") else { throw failure(expected: "an array") }
    try enterContainer()
  }

  @inlinable
  mutating func enterContainer() throws(JSONSyntaxError) {
    guard depth < maximumDepth else { throw tooDeep(at: position) }
    depth &+= 1
    position &+= 1
    isAtStartOfContainer = true
  }

  @usableFromInline
  @inline(never)
  func tooDeep(at offset: Int) -> JSONSyntaxError {
    let limit = maximumDepth == 1 ? "1 nested array or object" : "\(maximumDepth) nested arrays and objects"
    return failure(.tooDeep, at: offset, "expected at most \(limit), found one more")
  }

  /// Reads the next key of the object and its colon, or reads the brace that ends the object and returns nil.
  ///
  /// An object may have a key more than once; each occurrence is returned. A caller that keeps the members keeps the
  /// last.
  @inlinable
  public mutating func nextKey() throws(JSONSyntaxError) -> JSONRawString? {
    skipWhitespace()
    guard position < count else { throw failureInObject() }
    if base[position] == UInt8(ascii: "}") {
      leaveContainer()
      return nil
    }
    if isAtStartOfContainer {
      isAtStartOfContainer = false
    } else {
      guard base[position] == UInt8(ascii: ",") else { throw failureInObject() }
      position &+= 1
      skipWhitespace()
    }
    guard position < count, base[position] == UInt8(ascii: "\"") else {
      throw failure(expected: "a key in quotation marks")
    }
    let key = try scanString()
    skipWhitespace()
    guard position < count, base[position] == UInt8(ascii: ":") else {
      throw failure(expected: "a colon after the key")
    }
    position &+= 1
    return key
  }

  /// Advances to the next element of the array and returns true, or reads the bracket that ends the array and returns
  /// false.
  @inlinable
  public mutating func nextElement() throws(JSONSyntaxError) -> Bool {
    skipWhitespace()
    guard position < count else { throw failureInArray() }
    if base[position] == UInt8(ascii: "]") {
      leaveContainer()
      return false
    }
    if isAtStartOfContainer {
      isAtStartOfContainer = false
    } else {
      guard base[position] == UInt8(ascii: ",") else { throw failureInArray() }
      position &+= 1
    }
    return true
  }

  @inlinable
  mutating func leaveContainer() {
    position &+= 1
    depth &-= 1
    isAtStartOfContainer = false
  }

  @usableFromInline
  @inline(never)
  func failureInObject() -> JSONSyntaxError {
    failure(expected: isAtStartOfContainer ? "a key or \"}\"" : "\",\" or \"}\"")
  }

  @usableFromInline
  @inline(never)
  func failureInArray() -> JSONSyntaxError {
    failure(expected: isAtStartOfContainer ? "a value or \"]\"" : "\",\" or \"]\"")
  }
}
