/// The part of a document that was received and is still needed.
final class JSONChunkBuffer {
  private var base: UnsafeMutablePointer<UInt8>
  private var capacity: Int
  private(set) var count = 0
  /// The position up to which the bytes were read.
  var position = 0
  /// Whether no more bytes follow.
  private(set) var isComplete = false
  private let limit: Int?
  /// Whether there were more bytes than allowed. The buffer holds the allowed ones.
  private(set) var isTooLarge = false
  /// The position of the first byte of the buffer in the document.
  private var start = JSONPosition()
  private var hasStarted = false

  init(limit: Int?) {
    self.limit = limit
    capacity = 4_096
    base = .allocate(capacity: capacity)
  }

  deinit { base.deallocate() }

  /// The bytes from `position` on.
  var unread: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: base + position, count: count - position) }

  func bytes(_ range: Range<Int>) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: base + range.lowerBound, count: range.count)
  }

  func offset(at index: Int) -> Int { start.offset + index }

  /// - Complexity: O(*n*), where *n* is `index`.
  func place(at index: Int) -> JSONPosition {
    var place = start
    place.advance(over: UnsafeBufferPointer(start: base, count: index))
    return place
  }

  // MARK: Growing

  /// Appends bytes, and discards those before `needed`.
  func append(_ chunk: UnsafeRawBufferPointer, keepingFrom needed: Int) {
    discard(needed)
    guard let source = chunk.baseAddress, !isComplete, !isTooLarge else { return }
    reserve(chunk.count)
    UnsafeMutableRawPointer(base + count).copyMemory(from: source, byteCount: chunk.count)
    count += chunk.count
    if let limit, start.offset + count > limit {
      // The allowed bytes are read first: they may contain an error.
      count = max(limit - start.offset, position)
      isTooLarge = true
    }
  }

  func complete() { isComplete = true }

  private func discard(_ needed: Int) {
    guard needed > 0 else { return }
    start.advance(over: UnsafeBufferPointer(start: base, count: needed))
    base.update(from: base + needed, count: count - needed)
    count -= needed
    position -= needed
  }

  private func reserve(_ more: Int) {
    guard capacity - count < more else { return }
    let larger = max(capacity * 2, count + more)
    let moved = UnsafeMutablePointer<UInt8>.allocate(capacity: larger)
    moved.update(from: base, count: count)
    base.deallocate()
    base = moved
    capacity = larger
  }

  // MARK: The start and the end

  /// Skips a byte order mark. Returns false if more bytes are needed to detect one.
  func passStart() -> Bool {
    if hasStarted { return true }
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    let beginning = unread.prefix(3)
    if beginning.elementsEqual(mark) {
      position = 3
      discard(3)
      start = JSONPosition()
      start.passByteOrderMark()
    } else if beginning.count < 3, mayGrow, mark.starts(with: beginning) {
      return false
    }
    hasStarted = true
    return true
  }

  /// Whether more bytes may follow the last one.
  var mayGrow: Bool { !isComplete || isTooLarge }

  /// Throws if there were more bytes than allowed.
  func checkSize() throws(JSONSyntaxError) {
    if isTooLarge { throw error(.tooLarge, at: count, "expected at most \(limit ?? 0) bytes, found more") }
  }

  // MARK: Errors

  func error(_ code: JSONSyntaxError.Code, at index: Int, _ message: String) -> JSONSyntaxError {
    let place = place(at: index)
    return JSONSyntaxError(
      code: code, message: message, offset: place.offset, line: place.line, column: place.column)
  }

  /// Returns an error of a scanner that began at `index`, with its position in the document.
  func placed(_ error: JSONSyntaxError, from index: Int) -> JSONSyntaxError {
    self.error(error.code, at: index + error.offset, error.message)
  }

  /// Returns whether an error of a scanner may be due only to the end of the received bytes.
  func mayContinue(_ error: JSONSyntaxError, from index: Int) -> Bool {
    guard mayGrow else { return false }
    // An escaped pair of surrogates is the longest unit that is checked at once.
    guard index + error.offset + 12 >= count else { return false }
    switch error.code {
    case .unexpectedEnd, .invalidUTF8, .loneSurrogate: return true
    case .tooLarge, .tooDeep: return false
    // The message names the unexpected character, and so needs all its bytes.
    default: return index + error.offset < count && base[index + error.offset] >= 0x80
    }
  }
}
