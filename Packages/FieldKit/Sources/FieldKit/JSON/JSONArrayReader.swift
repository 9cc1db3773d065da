#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A reader of the elements of one array inside a document, one by one, without building the rest of the document.
///
/// ```swift
/// var authors = try JSONArrayReader(data, at: "authors")
/// while let author = try authors.next() { … }
/// ```
///
/// With a path, the containers on the path are checked to their ends when the reader is created. If a key occurs more
/// than once, the last value counts, as everywhere. The elements are checked as they are read. Without a path nothing
/// is read before the first element, and the end of the document is checked after the last one.
///
/// The reader retains the document and the caches of its keys. One element at a time is in memory.
public struct JSONArrayReader {
  private let document: Data
  private let builder = Builder()
  private let maximumDepth: Int
  private let depth: Int
  private let isWholeDocument: Bool
  private var state: State
  /// The number of elements that have been read.
  public private(set) var count = 0
  /// The number of bytes before the element that was read last, or nil if none was.
  public private(set) var offset: Int?

  /// The caches, kept between elements. Copies of the reader share them, which affects only speed.
  private final class Builder {
    var tree = JSONTreeBuilder()
  }

  private enum State {
    case beforeFirst(offset: Int)
    case betweenElements(offset: Int)
    case ended
  }

  /// Creates a reader of an array in a document.
  ///
  /// - Parameters:
  ///   - document: The document in UTF-8. It is shared, not copied, if it is `Data`.
  ///   - path: The path of the array, such as `authors` or `result.pages[0].authors`; empty for a document that is an
  ///     array.
  ///   - options: The limits.
  /// - Throws: ``JSONSyntaxError``, with the code ``JSONSyntaxError/Code/missingArray`` if there is no array at the
  ///   path.
  /// - Complexity: O(1) without a path, else O(*n* · *k*), where *n* is the length of the document and *k* that of the
  ///   path.
  public init(
    _ document: Data, at path: String = "", options: JSONReadingOptions = .init()
  ) throws(JSONSyntaxError) {
    try self.init(document, at: path, options: options, rejectsRepeatedKeys: false)
  }

  /// Creates a reader of an array in a document.
  ///
  /// - Parameter rejectsRepeatedKeys: whether a key of the path that occurs twice is an error with the code
  ///   ``JSONSyntaxError/Code/duplicateKey``.
  @_spi(ModelKitInternals)
  public init(
    _ document: Data, at path: String, options: JSONReadingOptions, rejectsRepeatedKeys: Bool
  ) throws(JSONSyntaxError) {
    let components = JSONPath(path).components
    let start = try withDocument(document) { (bytes) throws(JSONSyntaxError) in
      var scanner = try JSONScanner(document: bytes, options: options, buildsTree: true)
      try scanner.go(toArrayAt: components, in: path, rejectsRepeatedKeys: rejectsRepeatedKeys)
      return (offset: scanner.offset, depth: scanner.openContainers, maximumDepth: scanner.maximumDepth)
    }
    self.document = document
    maximumDepth = start.maximumDepth
    depth = start.depth
    isWholeDocument = components.isEmpty
    state = .beforeFirst(offset: start.offset)
  }

  /// The index of the element that was read last, or nil if none was.
  public var index: Int? {
    count == 0 ? nil : count - 1
  }

  /// Reads the next element, or returns nil when the array has ended.
  ///
  /// - Throws: ``JSONSyntaxError``. The reader has ended then.
  /// - Complexity: O(*n*), where *n* is the length of the element.
  public mutating func next() throws(JSONSyntaxError) -> JSONValue? {
    let builder = builder
    return try readNext { (scanner) throws(JSONSyntaxError) in
      switch try scanner.peek() {
      case .array, .object: try builder.tree.read(&scanner)
      default: try scanner.readValue()
      }
    }
  }

  /// Skips the next element and returns the range of its bytes, or nil when the array has ended.
  ///
  /// - Throws: ``JSONSyntaxError``. The reader has ended then.
  /// - Complexity: O(*n*), where *n* is the length of the element.
  public mutating func nextRange() throws(JSONSyntaxError) -> Range<Int>? {
    try readNext { (scanner) throws(JSONSyntaxError) in
      let start = scanner.offset
      try scanner.skipValue()
      return start..<scanner.offset
    }
  }

  /// Calls `read` with a scanner at the next element, which must read exactly that element. Returns nil at the end.
  mutating func readNext<Element>(
    _ read: (inout JSONScanner) throws(JSONSyntaxError) -> Element
  ) throws(JSONSyntaxError) -> Element? {
    let (offset, isFirst): (Int, Bool)
    switch state {
    case .beforeFirst(let start): (offset, isFirst) = (start, true)
    case .betweenElements(let start): (offset, isFirst) = (start, false)
    case .ended: return nil
    }
    state = .ended
    let (depth, maximumDepth, isWholeDocument) = (depth, maximumDepth, isWholeDocument)
    let read = try withDocument(document) { (bytes) throws(JSONSyntaxError) -> (Element, start: Int, end: Int)? in
      var scanner = JSONScanner(
        bytes, offset: offset, depth: isFirst ? depth : depth + 1, maximumDepth: maximumDepth)
      if isFirst { try scanner.beginArray() }
      guard try scanner.nextElement() else {
        if isWholeDocument { try scanner.finish() }
        return nil
      }
      scanner.skipWhitespace()
      let start = scanner.offset
      let element = try read(&scanner)
      return (element, start, scanner.offset)
    }
    guard let read else { return nil }
    self.offset = read.start
    count += 1
    state = .betweenElements(offset: read.end)
    return read.0
  }
}

extension JSONScanner {
  /// Moves to the array at a path, after checking the containers on the path to their ends.
  mutating func go(
    toArrayAt components: [JSONPath.Component], in path: String, rejectsRepeatedKeys: Bool = false
  ) throws(JSONSyntaxError) {
    try go(to: components, in: path, rejectsRepeatedKeys: rejectsRepeatedKeys)
    let kind = try peek()
    guard kind == .array else { throw missingArray(at: path, kind) }
  }

  /// Moves to the value at a path, after checking the containers on the path to their ends.
  mutating func go(
    to components: [JSONPath.Component], in path: String, rejectsRepeatedKeys: Bool = false
  ) throws(JSONSyntaxError) {
    var isOutermost = true
    for component in components {
      let kind = try peek()
      var found: JSONScanner?
      switch (component, kind) {
      case (.key(let key), .object):
        try beginObject()
        while let name = try nextKey() {
          if name.string == key {
            skipWhitespace()
            if rejectsRepeatedKeys, found != nil {
              throw failure(
                .duplicateKey, at: offset, "expected the key \(key.quotedForMessage) once, found it again")
            }
            found = self
          }
          try skipValue()
        }
      case (.index(let wanted), .array):
        try beginArray()
        var index = 0
        while try nextElement() {
          if index == wanted {
            skipWhitespace()
            found = self
          }
          index += 1
          try skipValue()
        }
      default: throw missingArray(at: path, kind)
      }
      let end = offset
      if isOutermost { try finish() }
      isOutermost = false
      guard let found else {
        throw failure(.missingArray, at: end, "expected an array at \(path.quotedForMessage), found nothing there")
      }
      self = found
    }
  }

  private func missingArray(at path: String, _ kind: JSONValue.Kind) -> JSONSyntaxError {
    let place = path.isEmpty ? "" : " at \(path.quotedForMessage)"
    return failure(.missingArray, at: offset, "expected an array\(place), found \(kind)")
  }
}
