/// A splitter of bytes with one document on each line, which arrive in chunks.
///
/// Lines end with LF or CR LF; blank ones are skipped. It holds one line and one chunk.
@_spi(ModelKitInternals)
public final class JSONLineSplitter {
  private let buffer: JSONChunkBuffer
  private let maximumDepth: Int
  private let maximumElementBytes: Int?
  /// The position up to which the current line was searched for its end.
  private var searched = 0
  private var line: Range<Int>?
  /// Whether the rest of the line is skipped, because the line is too long.
  private var isPassingLine = false

  /// Whether no more lines can be found: the bytes have ended, or exceed the limit.
  public private(set) var hasEnded = false
  /// Whether the line that was found last ends only with the bytes, without a line break.
  public private(set) var isCutOff = false

  /// The number of lines that were found, blank ones left out.
  public private(set) var count = 0

  /// Creates a splitter at the start of the bytes.
  public init(options: JSONReadingOptions = .init()) {
    buffer = JSONChunkBuffer(limit: options.maximumBytes)
    maximumDepth = min(options.maximumDepth, JSONReadingOptions.maximumTreeDepth)
    maximumElementBytes = options.maximumElementBytes
  }

  /// Appends bytes. The line that was found last is discarded.
  public func append(_ chunk: UnsafeRawBufferPointer) {
    line = nil
    let needed = isPassingLine ? searched : buffer.position
    searched -= needed
    buffer.position = needed
    buffer.append(chunk, keepingFrom: needed)
  }

  /// Declares that no more bytes follow.
  public func complete() { buffer.complete() }

  /// Advances to the end of the next line that is not blank, or of the bytes.
  ///
  /// - Throws: ``JSONSyntaxError`` for a line that is no JSON document. The next call continues with the next line.
  public func next() throws(JSONSyntaxError) -> JSONElementSplitter.Step {
    line = nil
    guard buffer.passStart() else { return .needsBytes }
    searched = max(searched, buffer.position)
    while true {
      let start = buffer.position
      guard let end = endOfLine() else {
        hasEnded = buffer.isTooLarge || !buffer.mayGrow
        try buffer.checkSize()
        if let maximumElementBytes, !isPassingLine, searched - start > maximumElementBytes {
          isPassingLine = true
          count += 1
          throw tooLong(start, maximumElementBytes)
        }
        return buffer.mayGrow ? .needsBytes : .ended
      }
      let wasPassingLine = isPassingLine
      isPassingLine = false
      isCutOff = end == buffer.count
      buffer.position = min(end + 1, buffer.count)
      searched = buffer.position
      if !wasPassingLine, try check(start..<end) { return .element }
    }
  }

  private func endOfLine() -> Int? {
    let unsearched = buffer.bytes(searched..<buffer.count)
    if let index = unsearched.firstIndex(of: UInt8(ascii: "\n")) { return searched + index }
    searched = buffer.count
    return !buffer.mayGrow && buffer.position < buffer.count ? buffer.count : nil
  }

  private func check(_ range: Range<Int>) throws(JSONSyntaxError) -> Bool {
    var scanner = JSONScanner(buffer.bytes(range), maximumDepth: maximumDepth)
    scanner.skipWhitespace()
    guard scanner.offset < range.count else { return false }
    line = range.lowerBound + scanner.offset..<range.upperBound
    count += 1
    if let maximumElementBytes, range.count > maximumElementBytes {
      throw tooLong(range.lowerBound, maximumElementBytes)
    }
    do {
      try scanner.skipValue()
      try scanner.finish()
      return true
    } catch {
      throw buffer.placed(error, from: range.lowerBound)
    }
  }

  private func tooLong(_ start: Int, _ limit: Int) -> JSONSyntaxError {
    buffer.error(.tooLarge, at: start, "expected at most \(limit) bytes in one line, found more")
  }

  // MARK: The line

  /// Calls `body` with the bytes of the line that was found last.
  public func withElement<Result>(
    _ body: (UnsafeRawBufferPointer, _ depth: Int) throws -> Result
  ) rethrows -> Result {
    try body(buffer.bytes(line ?? 0..<0), 0)
  }

  /// The number of bytes before the line that was found last, or before the next read.
  public var offset: Int { buffer.offset(at: line?.lowerBound ?? buffer.position) }

  /// The line and the column of ``offset``, both from 1.
  public var lineAndColumn: (line: Int, column: Int) {
    let place = buffer.place(at: line?.lowerBound ?? buffer.position)
    return (place.line, place.column)
  }
}
