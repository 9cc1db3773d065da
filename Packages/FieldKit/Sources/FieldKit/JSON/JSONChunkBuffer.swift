/// The part of a document that was received and is still needed.
final class JSONChunkBuffer {
  private var base: UnsafeMutablePointer<UInt8>
  private var capacity: Int
  private(set) var count = 0
  /// How far the bytes were read.
  var position = 0
  /// Whether no more bytes follow.
  private(set) var isComplete = false
  private let limit: Int?
  /// Whether there were more bytes than allowed. Those that are allowed are here.
  private(set) var isTooLarge = false
  /// Where the first byte of the buffer is in the document.
  private var start = JSONPlace()
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
  func place(at index: Int) -> JSONPlace {
    var place = start
    place.advance(over: UnsafeBufferPointer(start: base, count: index))
    return place
  }

  // MARK: Growing

  /// Adds bytes, and forgets those before `needed`.
  func append(_ chunk: UnsafeRawBufferPointer, keepingFrom needed: Int) {
    discard(needed)
    guard let source = chunk.baseAddress, !isComplete, !isTooLarge else { return }
    reserve(chunk.count)
    UnsafeMutableRawPointer(base + count).copyMemory(from: source, byteCount: chunk.count)
    count += chunk.count
    if let limit, start.offset + count > limit {
      // What is allowed is read first: it may have a mistake of its own.
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

  /// Passes a byte order mark, or returns false if it is too early to tell whether there is one.
  func passStart() -> Bool {
    if hasStarted { return true }
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    let beginning = unread.prefix(3)
    if beginning.elementsEqual(mark) {
      position = 3
      discard(3)
      start = JSONPlace()
      start.passByteOrderMark()
    } else if beginning.count < 3, mayGrow, mark.starts(with: beginning) {
      return false
    }
    hasStarted = true
    return true
  }

  /// Whether what is read may go on behind the last byte.
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

  /// An error of a scanner that began at `index`, with its place in the document.
  func placed(_ error: JSONSyntaxError, from index: Int) -> JSONSyntaxError {
    self.error(error.code, at: index + error.offset, error.message)
  }

  /// Whether a mistake that a scanner found may be no more than the end of what was received.
  func mayContinue(_ error: JSONSyntaxError, from index: Int) -> Bool {
    guard mayGrow else { return false }
    // An escaped pair of surrogates is the longest thing that is judged as one.
    guard index + error.offset + 12 >= count else { return false }
    switch error.code {
    case .unexpectedEnd, .invalidUTF8, .loneSurrogate: return true
    case .tooLarge, .tooDeep: return false
    // What was found is named in the message, which takes the whole of a character.
    default: return index + error.offset < count && base[index + error.offset] >= 0x80
    }
  }
}
