@_spi(ModelKitInternals)
extension JSONScanner {
  /// Passes the next key and its colon if the key is spelled with exactly these bytes; otherwise stays where it is.
  ///
  /// Documents repeat the keys of one object in the next, so the one that is expected mostly comes.
  ///
  /// - Parameter quoted: the key with its quotation marks. It has no character that JSON escapes.
  public mutating func passKey(_ quoted: UnsafeBufferPointer<UInt8>) -> Bool {
    skipWhitespace()
    var next = self
    if isAtStartOfContainer {
      next.isAtStartOfContainer = false
    } else {
      guard next.position < count, base[next.position] == UInt8(ascii: ",") else { return false }
      next.position &+= 1
      next.skipWhitespace()
    }
    guard count &- next.position > quoted.count, let expected = quoted.baseAddress else { return false }
    let found = base + next.position
    var index = 0
    while index < quoted.count {
      guard found[index] == expected[index] else { return false }
      index &+= 1
    }
    next.position &+= index
    next.skipWhitespace()
    guard next.position < count, base[next.position] == UInt8(ascii: ":") else { return false }
    next.position &+= 1
    self = next
    return true
  }

  /// How many arrays and objects may be inside each other.
  public var depthLimit: Int { maximumDepth }

  /// Moves to the array at a path, as ``JSONArrayReader`` does.
  ///
  /// - Parameter path: where the array is; empty for a document that is an array.
  public mutating func go(toArrayAt path: String) throws(JSONSyntaxError) {
    try go(toArrayAt: JSONPath(path).components, in: path)
  }

  /// Moves to the value at a path, having checked the containers on the way to their ends.
  ///
  /// - Parameter path: where the value is; empty for the document itself.
  /// - Throws: `JSONSyntaxError` if there is none.
  public mutating func go(toValueAt path: String) throws(JSONSyntaxError) {
    try go(to: JSONPath(path).components, in: path)
  }
}
