@_spi(ModelKitInternals) import FieldKit
import Foundation
import Testing

@Suite struct `The limits of reading JSON` {
  private func nested(_ depth: Int) -> [UInt8] {
    Array(repeating: UInt8(ascii: "["), count: depth) + Array(repeating: UInt8(ascii: "]"), count: depth)
  }

  @Test func `The limits of reading JSON allow 512 levels and refuse one more`() throws {
    _ = try JSONValue(json: nested(512))
    try JSONValue.validate(json: nested(512))
    for bytes in [nested(513), Array(String(repeating: "{\"a\":", count: 513).utf8)] {
      let error = #expect(throws: JSONSyntaxError.self) { _ = try JSONValue(json: bytes) }
      #expect(error?.code == .tooDeep)
      #expect(#expect(throws: JSONSyntaxError.self) { try JSONValue.validate(json: bytes) } == error)
    }
  }

  @Test func `The limits of reading JSON can be narrowed`() throws {
    let options = JSONReadingOptions(maximumDepth: 2, maximumBytes: 8)
    #expect(try JSONValue(json: "[[1],2]", options: options) == [[1], 2])
    let deep = #expect(throws: JSONSyntaxError.self) { _ = try JSONValue(json: "[[[]]]", options: options) }
    #expect(deep?.offset == 2)
    #expect(deep?.message == "expected at most 2 nested arrays and objects, found one more")
    let large = #expect(throws: JSONSyntaxError.self) { _ = try JSONValue(json: "[1,2,3,4]", options: options) }
    #expect(large?.code == .tooLarge)
    #expect(large?.message == "expected at most 8 bytes, found 9")
    #expect(try JSONValue(json: "1", options: JSONReadingOptions(maximumDepth: 0)) == 1)
    #expect(throws: JSONSyntaxError.self) {
      _ = try JSONValue(json: "[]", options: JSONReadingOptions(maximumDepth: 0))
    }
  }

  @Test func `The limits of reading JSON stop ten million brackets without a stack overflow`() {
    let bytes = Data(repeating: UInt8(ascii: "["), count: 10_000_000)
    for options in [JSONReadingOptions(), JSONReadingOptions(maximumDepth: .max)] {
      let error = #expect(throws: JSONSyntaxError.self) { _ = try JSONValue(json: bytes, options: options) }
      #expect(error?.code == .tooDeep)
    }
  }

  @Test func `The limits of reading JSON let any depth be checked without a stack`() throws {
    let options = JSONReadingOptions(maximumDepth: .max)
    let open = Data(repeating: UInt8(ascii: "["), count: 300_000)
    let error = #expect(throws: JSONSyntaxError.self) { try JSONValue.validate(json: open, options: options) }
    #expect(error?.code == .unexpectedEnd)
    try JSONValue.validate(json: nested(100_000), options: options)
    let mixed = String(repeating: "{\"a\":[", count: 1000) + "1" + String(repeating: "]}", count: 1000)
    try JSONValue.validate(json: mixed, options: options)
    let wrong = String(repeating: "{\"a\":[", count: 1000) + "1" + String(repeating: "]}", count: 500) + "}"
    let place = #expect(throws: JSONSyntaxError.self) { try JSONValue.validate(json: wrong, options: options) }
    #expect(place?.offset == 6 * 1000 + 1 + 500 * 2)
  }

  @Test func `The limits of reading JSON leave the deepest tree small enough for a thread's stack`() throws {
    let depth = JSONReadingOptions.maximumTreeDepth
    let bytes = nested(depth)
    let objects = String(repeating: "{\"a\":", count: depth) + "1" + String(repeating: "}", count: depth)
    let failures = FailureLog()
    let thread = Thread {
      do {
        let options = JSONReadingOptions(maximumDepth: .max)
        for value in [try JSONValue(json: bytes, options: options), try JSONValue(json: objects, options: options)] {
          let copy = try JSONValue(json: value.jsonData(), options: options)
          if copy != value || copy.hashValue != value.hashValue { failures.add("the copy differs") }
          _ = try JSONValue.array([value]).jsonData()
          failures.add("a deeper tree was written")
        }
      } catch let error as JSONWritingError {
        if error.code != .tooDeep { failures.add("\(error)") }
      } catch {
        failures.add("\(error)")
      }
      failures.finish()
    }
    // Unoptimised code takes up to 1.4 KB a level, and optimised code a sixth of that. This is less than the 512 KB of
    // secondary threads on Apple platforms.
    thread.stackSize = 2048 * 1024
    thread.start()
    #expect(failures.wait() == [])
  }

  @Test func `The limits of reading JSON make a number of a million digits no problem`() throws {
    let digits = String(repeating: "7", count: 1_000_000)
    let long = try JSONValue(json: digits)
    #expect(long == .number(try #require(JSONNumber(digits))))
    #expect(long.doubleValue == nil)
    #expect(long.intValue == nil)
    let fraction = try JSONValue(json: "0." + digits)
    #expect(fraction.doubleValue == 0.7777777777777778)
    #expect(try JSONValue(json: "1e" + digits).doubleValue == nil)
    #expect(try JSONValue(json: "1e-" + digits).doubleValue == 0)
  }

  @Test func `The limits of reading JSON make a long string of escapes no problem`() throws {
    let count = 50_000
    let value = try JSONValue(json: "\"" + String(repeating: #"\u0041\n"#, count: count) + "\"")
    #expect(value == .string(String(repeating: "A\n", count: count)))
  }
}

/// Carries the results of a thread to the test that waits for it.
private final class FailureLog: Sendable {
  private let lock = NSCondition()
  // Only read and written while `lock` is held.
  nonisolated(unsafe) private var failures: [String] = []
  nonisolated(unsafe) private var isFinished = false

  func add(_ failure: String) {
    lock.withLock { failures.append(failure) }
  }

  func finish() {
    lock.withLock {
      isFinished = true
      lock.signal()
    }
  }

  func wait() -> [String] {
    lock.withLock {
      while !isFinished { lock.wait() }
      return failures
    }
  }
}
