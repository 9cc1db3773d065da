import Foundation
import Testing

@testable @_spi(ModelKitInternals) import FieldKit

/// The result of splitting a document: its elements with their offsets, and the error that ended it.
private struct Outcome: Equatable {
  var elements: [JSONValue] = []
  var offsets: [Int] = []
  var error: JSONSyntaxError?
}

/// Reads a document that is cut at these places.
private func split(
  _ document: [UInt8], at path: String, cuts: [Int], options: JSONReadingOptions = .init()
) -> Outcome {
  let splitter = JSONElementSplitter(at: path, options: options)
  var outcome = Outcome()
  var places = (cuts + [document.count]).sorted()[...]
  var position = 0
  do {
    while true {
      switch try splitter.next() {
      case .ended: return outcome
      case .needsBytes:
        guard let place = places.popFirst() else {
          splitter.complete()
          continue
        }
        document[position..<place].withUnsafeBytes { splitter.append($0) }
        position = place
      case .element:
        outcome.offsets.append(splitter.offset)
        outcome.elements.append(try splitter.withElement { bytes, _ in try JSONValue(json: Data(bytes)) })
      }
    }
  } catch {
    outcome.error = error as? JSONSyntaxError
    return outcome
  }
}

/// Reads a document that is there as a whole.
private func whole(_ document: [UInt8], at path: String) -> Outcome {
  var outcome = Outcome()
  do {
    var reader = try JSONArrayReader(Data(document), at: path)
    while let element = try reader.next() {
      outcome.elements.append(element)
      if let offset = reader.offset { outcome.offsets.append(offset) }
    }
  } catch {
    outcome.error = error
  }
  return outcome
}

@Suite struct `Splitting a document that comes in chunks` {
  private let paths = ["", "a", "a.b", "[1]", "a[0]", "b.a[1].c"]

  private func expectSame(_ document: [UInt8], at path: String, cuts: [Int]) {
    let expected = whole(document, at: path)
    let found = split(document, at: path, cuts: cuts)
    if found.error?.code == .duplicateKey { return }
    let isSame =
      if expected.error == nil { found == expected } else { found.error == expected.error }
    if !isSame {
      Issue.record(
        "\(String(decoding: document, as: UTF8.self)) at \"\(path)\" cut at \(cuts): \(found) instead of \(expected)")
    }
  }

  @Test func `Splitting a document in chunks finds the same elements as reading the whole, wherever it is cut`() {
    for json in validDocuments.map(\.json) + invalidDocuments.map(\.json) {
      for document in [json, "[" + json + "]", "{\"a\":[1," + json + "],\"c\":" + json + "}"] {
        let bytes = Array(document.utf8)
        for path in paths.prefix(2) {
          expectSame(bytes, at: path, cuts: Array(0..<bytes.count))
          for cut in bytes.indices { expectSame(bytes, at: path, cuts: [cut]) }
        }
      }
    }
  }

  @Test func `Splitting a document in chunks finds the same mistake in bytes that are no UTF-8`() {
    for (bytes, _) in invalidUTF8 {
      for (before, after) in [("[\"", "\"]"), ("{\"b\":\"x", "\",\"a\":[]}"), ("{\"a\":[{\"", "\":1}]}")] {
        let document = Array(before.utf8) + bytes + Array(after.utf8)
        for path in ["", "a"] { expectSame(document, at: path, cuts: Array(0..<document.count)) }
      }
    }
  }

  @Test func `Splitting a document in chunks gives the same result for random documents with random errors and cuts`() {
    var generator = JSONGenerator(seed: 41)
    let keys = ["a", "b", "c", "é", "a.b"]
    func nested(_ depth: Int) -> JSONValue {
      switch depth == 0 ? 3 : generator.below(4) {
      case 0, 1:
        .object(
          Dictionary(
            [(keys[generator.below(5)], nested(depth - 1)), (keys[generator.below(3)], nested(depth - 1))],
            uniquingKeysWith: { $1 }))
      case 2: .array((0..<generator.below(4)).map { _ in nested(depth - 1) })
      default: generator.value(depth: 2)
      }
    }
    var matchCount = 0
    for _ in 0..<1_500 {
      let value = nested(4)
      var bytes = Array(generator.below(2) == 0 ? value.description.utf8 : generator.spaced(value).utf8)
      if generator.below(3) == 0, !bytes.isEmpty {
        let index = generator.below(bytes.count)
        switch generator.below(3) {
        case 0: bytes.remove(at: index)
        case 1: bytes[index] = UInt8(truncatingIfNeeded: generator.next())
        default: bytes.insert(Array("\"[]{},:0-.e\\u\n\r x".utf8)[generator.below(17)], at: index)
        }
      }
      for path in paths {
        let cuts = (0..<generator.below(6)).map { _ in generator.below(bytes.count + 1) }
        expectSame(bytes, at: path, cuts: cuts)
        if !whole(bytes, at: path).elements.isEmpty { matchCount += 1 }
      }
      expectSame(bytes, at: "a", cuts: Array(0..<bytes.count))
    }
    #expect(matchCount > 200)
  }

  @Test func `Splitting a document takes the last of two keys until an element was returned, and refuses a later one`()
  {
    func found(_ json: String) -> Outcome { split(Array(json.utf8), at: "a.b", cuts: []) }
    #expect(found(#"{"a":1,"a":{"b":2,"b":[3]}}"#).elements == [3])
    #expect(found(#"{"a":{"c":[]},"a":{"b":[3]}}"#).elements == [3])
    #expect(found(#"{"a":{"b":[],"\u0062":[3]}}"#).error?.code == .duplicateKey)
    #expect(found(#"{"a":{"b":[1]},"c":2,"a":{"b":[3]}}"#).error?.code == .duplicateKey)
    #expect(found(#"{"a":{"b":[1]},"c":{"a":1,"a":1}}"#).elements == [1])
    let late = found(#"{"a":{"b":[1]},"a":2}"#)
    #expect(late.elements == [1])
    #expect(late.error?.offset == 15)
    #expect(
      late.error?.message
        == "expected the key \"a\" once, since its elements were already returned, found it again")
  }

  @Test func `Splitting a document in chunks reports the line and the column in the whole document`() {
    for end in ["\n", "\r\n", "\r"] {
      let document = Array(("{" + end + " \"é\": 1," + end + " \"a\": [" + end + " 1, \"é\", x ] }").utf8)
      for cuts in [[], Array(document.indices)] {
        let error = split(document, at: "a", cuts: cuts).error
        #expect(error?.line == 4)
        #expect(error?.column == 10)
        #expect(error?.code == .unexpectedCharacter)
      }
    }
  }

  @Test func `Splitting a document in chunks holds no more than one element and one chunk`() throws {
    let splitter = JSONElementSplitter(at: "a")
    let piece = Array(repeating: UInt8(ascii: "x"), count: 10_000)
    let number = Array(repeating: UInt8(ascii: "7"), count: 10_000)
    func feed(_ bytes: [UInt8]) throws {
      bytes.withUnsafeBytes { splitter.append($0) }
      while try splitter.next() == .element {}
    }
    try feed(Array("{\"b\":\"".utf8))
    for _ in 0..<500 { try feed(piece) }
    try feed(Array("\", \"".utf8))
    for _ in 0..<500 { try feed(piece) }
    try feed(Array("\": 1".utf8))
    for _ in 0..<500 { try feed(number) }
    try feed(Array(".5, \"a\": [".utf8))
    for _ in 0..<500 { try feed(Array("{\"a\":\"".utf8) + piece + Array("\"},".utf8)) }
    #expect(splitter.count == 500)
    #expect(splitter.buffer.count < 64_000)
  }

  @Test func `Splitting a document takes time in proportion to the length of an element, however small the chunks`()
    throws
  {
    let splitter = JSONElementSplitter(at: "")
    let piece = Array(repeating: UInt8(ascii: "1"), count: 64)
    Array("[".utf8).withUnsafeBytes { splitter.append($0) }
    // Reading every chunk again would take minutes.
    for start in ["\"", ",[[[[\"", ",-0.", ",1e", ","] {
      Array(start.utf8).withUnsafeBytes { splitter.append($0) }
      for _ in 0..<10_000 {
        piece.withUnsafeBytes { splitter.append($0) }
        #expect(try splitter.next() == .needsBytes)
      }
      let end = start == "\"" ? "\"" : start.hasSuffix("\"") ? "\"]]]]" : " "
      Array(end.utf8).withUnsafeBytes { splitter.append($0) }
      #expect(try splitter.next() == .element)
    }
    #expect(splitter.reexaminedBytes < 10_000)
  }

  @Test func `Splitting a document in chunks keeps its limits`() {
    let document = Array(#"{"b":"a string that is too long to be an element","a":[[1],[2,[3]],"abcdefghijkl"]}"#.utf8)
    for cuts in [[], Array(document.indices)] {
      let deep = split(document, at: "a", cuts: cuts, options: JSONReadingOptions(maximumDepth: 3))
      #expect(deep.elements == [[1]])
      #expect(deep.error?.code == .tooDeep && deep.error?.offset == 62)
      let long = split(document, at: "a", cuts: cuts, options: JSONReadingOptions(maximumElementBytes: 10))
      #expect(long.elements == [[1], [2, [3]]])
      #expect(long.error?.code == .tooLarge && long.error?.offset == 67)
      let large = split(document, at: "a", cuts: cuts, options: JSONReadingOptions(maximumBytes: 62))
      #expect(large.elements == [[1]])
      #expect(large.error?.message == "expected at most 62 bytes, found more")
    }
  }

  @Test func `Splitting a document in chunks stops ten million brackets at once`() throws {
    let splitter = JSONElementSplitter(at: "a")
    let error = #expect(throws: JSONSyntaxError.self) {
      Array("{\"b\":".utf8).withUnsafeBytes { splitter.append($0) }
      for _ in 0..<10_000 {
        Array(repeating: UInt8(ascii: "["), count: 1_000).withUnsafeBytes { splitter.append($0) }
        while try splitter.next() == .element {}
      }
    }
    #expect(error?.code == .tooDeep)
    #expect(error?.offset == 516)
  }
}
