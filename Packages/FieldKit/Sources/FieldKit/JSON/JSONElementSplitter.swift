/// A splitter that finds the elements of one array in a document that arrives in chunks, and checks the whole document.
///
/// ```swift
/// let splitter = JSONElementSplitter(at: "results.people")
/// while true {
///   switch try splitter.next() {
///   case .element: splitter.withElement { bytes in … }
///   case .needsBytes:
///     if let chunk = … { splitter.append(chunk) } else { splitter.complete() }
///   case .ended: return
///   }
/// }
/// ```
///
/// It holds one element and one chunk. Bytes outside of the array are checked and discarded, however many there are.
/// Errors and their positions equal those of a read of the whole document.
@_spi(ModelKitInternals)
public final class JSONElementSplitter {
  /// The result of a step.
  public enum Step: Sendable {
    /// An element: see ``withElement(_:)``.
    case element
    /// More bytes are needed: append bytes, or complete the document.
    case needsBytes
    /// The end of the document.
    case ended
  }

  /// The next piece that the grammar allows.
  enum Due {
    case value
    case firstElement
    case firstKey
    case key
    case restOfKey
    case colon
    case restOfString
    case restOfNumber(JSONNumberPart)
    case separator
    case end
  }

  let buffer: JSONChunkBuffer
  let maximumDepth: Int
  let maximumElementBytes: Int?
  var progress: JSONPathProgress
  var due = Due.value
  /// True for each open container that is an object, from the outside in.
  var isObject: [Bool] = []
  /// The marks at the end of the part of a string that was skipped.
  var marks = JSONCombiningMarks()
  /// The position at which the current element began.
  var elementStart: Int?
  /// Whether the array has begun and not ended.
  public internal(set) var isInsideArray = false
  /// Whether a value may be skipped at once. False until more bytes arrive, if a value did not end.
  var canPassWholeValues = true
  /// The reason why the path last matched no array, and the position in the buffer.
  var miss: (message: String, index: Int)?
  private var placedMiss: JSONSyntaxError?
  private var element: Range<Int>?
  private var failure: JSONSyntaxError?

  /// The number of elements that were found.
  public private(set) var count = 0

  /// Creates a splitter at the start of a document.
  ///
  /// - Parameters:
  ///   - path: The path of the array; empty for a document that is an array.
  ///   - options: The limits.
  public init(at path: String, options: JSONReadingOptions = .init()) {
    buffer = JSONChunkBuffer(limit: options.maximumBytes)
    maximumDepth = min(options.maximumDepth, JSONReadingOptions.maximumTreeDepth)
    maximumElementBytes = options.maximumElementBytes
    progress = JSONPathProgress(path)
  }

  /// Appends bytes of the document. The element that was found last is discarded.
  public func append(_ chunk: UnsafeRawBufferPointer) {
    element = nil
    canPassWholeValues = true
    placeMiss()
    let needed = min(elementStart ?? buffer.position, buffer.position)
    if let start = elementStart { elementStart = start - needed }
    buffer.append(chunk, keepingFrom: needed)
  }

  /// Declares that no more bytes follow.
  public func complete() { buffer.complete() }

  /// Advances to the end of the next element, of the document, or of the bytes.
  ///
  /// - Throws: ``JSONSyntaxError``, the same one from then on.
  /// - Complexity: O(*n*), where *n* is the number of bytes that are read. However a document is cut, each byte is read
  ///   a fixed number of times.
  public func next() throws(JSONSyntaxError) -> Step {
    if let failure { throw failure }
    element = nil
    do {
      guard buffer.passStart() else { return .needsBytes }
      let step = try findStep()
      if step == .element { count += 1 }
      return step
    } catch {
      failure = error
      throw error
    }
  }

  private func findStep() throws(JSONSyntaxError) -> Step {
    let start = buffer.position
    var scanner = JSONScanner(buffer.unread, offset: 0, depth: isObject.count, maximumDepth: maximumDepth)
    var step = Step.needsBytes
    do {
      step = try advance(&scanner, from: start)
    } catch  where !buffer.mayContinue(error, from: start) {
      throw buffer.placed(error, from: start)
    } catch {
      reexaminedBytes += scanner.count - scanner.position
    }
    buffer.position = start + scanner.offset
    try checkElement()
    if step == .needsBytes { try buffer.checkSize() }
    if step == .ended {
      placeMiss()
      if let placedMiss { throw placedMiss }
    }
    return step
  }

  private func placeMiss() {
    guard let miss else { return }
    placedMiss = buffer.error(.missingArray, at: miss.index, miss.message)
    self.miss = nil
  }

  /// Discards the failed match, since the key of the path occurs again.
  func discardMiss() {
    miss = nil
    placedMiss = nil
  }

  private func checkElement() throws(JSONSyntaxError) {
    guard let maximumElementBytes else { return }
    let (start, end) =
      element.map { ($0.lowerBound, $0.upperBound) } ?? (elementStart ?? buffer.position, buffer.position)
    if end - start > maximumElementBytes {
      throw buffer.error(
        .tooLarge, at: start, "expected at most \(maximumElementBytes) bytes in one element, found more")
    }
  }

  func endElement(at end: Int) {
    if let elementStart { element = elementStart..<end }
    elementStart = nil
  }

  // MARK: The element

  /// Calls `body` with the bytes of the element that was found last, and the number of containers open around it.
  public func withElement<Result>(
    _ body: (UnsafeRawBufferPointer, _ depth: Int) throws -> Result
  ) rethrows -> Result {
    try body(buffer.bytes(element ?? 0..<0), progress.depthInArray)
  }

  /// The number of bytes before the element that was found last, or before the next read.
  public var offset: Int { buffer.offset(at: element?.lowerBound ?? elementStart ?? buffer.position) }

  /// The line and the column of ``offset``, both from 1.
  public var lineAndColumn: (line: Int, column: Int) {
    let place = buffer.place(at: element?.lowerBound ?? elementStart ?? buffer.position)
    return (place.line, place.column)
  }

  /// The number of bytes that were read more than once because their token spans several chunks.
  private(set) var reexaminedBytes = 0
}
