extension JSONScanner {
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
