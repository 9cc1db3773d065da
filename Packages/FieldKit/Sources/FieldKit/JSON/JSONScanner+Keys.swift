extension JSONScanner {
  /// Reads the next key and its colon if the key is spelled with exactly these bytes; otherwise reads nothing.
  ///
  /// Documents repeat the keys of one object in the next, so the expected key mostly follows.
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

  /// The largest depth of nested arrays and objects.
  public var depthLimit: Int { maximumDepth }

  /// Moves to the array at a path, as ``JSONArrayReader`` does.
  ///
  /// - Parameter path: the path of the array; empty for a document that is an array.
  public mutating func go(toArrayAt path: String) throws(JSONSyntaxError) {
    try go(toArrayAt: JSONPath(path).components, in: path)
  }

  /// Moves to the value at a path, after checking the containers on the path to their ends.
  ///
  /// - Parameter path: the path of the value; empty for the document itself.
  /// - Throws: `JSONSyntaxError` if there is none.
  public mutating func go(toValueAt path: String) throws(JSONSyntaxError) {
    try go(to: JSONPath(path).components, in: path)
  }
}
