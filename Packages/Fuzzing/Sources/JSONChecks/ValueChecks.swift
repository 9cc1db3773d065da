@_spi(ModelKitInternals) import FieldKit
import Foundation

/// Building a tree and only checking agree, and what is written reads back as what it was.
func checkValues(_ document: Data) throws {
  let built = Result { () throws(JSONSyntaxError) in try JSONValue(json: document) }
  let checked = Result { () throws(JSONSyntaxError) in try JSONValue.validate(json: document) }
  switch (built, checked) {
  case (.failure(let built), .failure(let checked)):
    try expect(built == checked, "Building says: \(built)\nChecking says: \(checked)")
    try expect((0...document.count).contains(built.offset), "A mistake outside of the document: \(built)")
  case (.success(let value), .success): try checkWriting(value)
  case (.success, .failure(let error)): throw Difference("A value was built of what is refused: \(error)")
  case (.failure(let error), .success): throw Difference("No value was built of what is valid: \(error)")
  }
}

private func checkWriting(_ value: JSONValue) throws {
  for options in [
    JSONWritingOptions(), JSONWritingOptions(sortedKeys: true),
    JSONWritingOptions(pretty: true, sortedKeys: true, escapesSlashes: true),
  ] {
    let written = try value.jsonData(options)
    try expect(String(validating: written, as: UTF8.self) != nil, "What was written is no UTF-8.")
    let again = try JSONValue(json: written)
    try expect(again == value, "\(value) was written, and read back as \(again)")
    try expect(again.hashValue == value.hashValue, "\(value) is equal to \(again) and has another hash")
    if options.sortedKeys {
      try expect(try again.jsonData(options) == written, "\(value) is written in more ways than one.")
    }
  }
}

/// A document that comes in pieces gives what the whole document gives.
func checkSplitting(_ document: Data) throws {
  for path in ["", "a", "a.b", "[1].a"] {
    let expected = elements(of: document, at: path)
    // The document itself says where it is cut.
    let seed = document.reduce(UInt64(7)) { $0 &* 31 &+ UInt64($1) }
    for length in [1, 2 + Int(seed % 13), 100] {
      let found = elements(of: document, at: path, inPiecesOf: length)
      if found.error?.code == .duplicateKey { continue }
      try expect(found.error == expected.error, "At \"\(path)\" the whole says: \(expected), and pieces: \(found)")
      if expected.error == nil {
        try expect(found.values == expected.values, "At \"\(path)\" the whole has: \(expected), and pieces: \(found)")
      }
    }
  }
}

private typealias Elements = (values: [JSONValue], error: JSONSyntaxError?)

private func elements(of document: Data, at path: String) -> Elements {
  var values: [JSONValue] = []
  do {
    var reader = try JSONArrayReader(document, at: path)
    while let value = try reader.next() { values.append(value) }
    return (values, nil)
  } catch {
    return (values, error)
  }
}

private func elements(of document: Data, at path: String, inPiecesOf length: Int) -> Elements {
  let splitter = JSONElementSplitter(at: path)
  var values: [JSONValue] = []
  var rest = document[...]
  do throws(JSONSyntaxError) {
    while true {
      switch try splitter.next() {
      case .ended: return (values, nil)
      case .needsBytes:
        if rest.isEmpty { splitter.complete() }
        rest.prefix(length).withUnsafeBytes { splitter.append($0) }
        rest = rest.dropFirst(length)
      case .element:
        values.append(try JSONValue(json: splitter.withElement { bytes, _ in Data(bytes) }))
      }
    }
  } catch {
    return (values, error)
  }
}
