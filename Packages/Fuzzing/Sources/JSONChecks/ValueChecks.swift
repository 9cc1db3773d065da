@_spi(ModelKitInternals) import FieldKit
import Foundation

/// Checks that building a tree and validating a document agree, and that a written value reads back equal.
func checkValues(_ document: Data) throws {
  let built = Result { () throws(JSONSyntaxError) in try JSONValue(json: document) }
  let checked = Result { () throws(JSONSyntaxError) in try JSONValue.validate(json: document) }
  switch (built, checked) {
  case (.failure(let built), .failure(let checked)):
    try expect(built == checked, "Building reports: \(built)\nValidating reports: \(checked)")
    try expect((0...document.count).contains(built.offset), "An error outside the document: \(built)")
  case (.success(let value), .success): try checkWriting(value)
  case (.success, .failure(let error)):
    throw Difference("Building accepts a document that validating rejects: \(error)")
  case (.failure(let error), .success):
    throw Difference("Building rejects a document that validating accepts: \(error)")
  }
}

private func checkWriting(_ value: JSONValue) throws {
  for options in [
    JSONWritingOptions(), JSONWritingOptions(sortedKeys: true),
    JSONWritingOptions(pretty: true, sortedKeys: true, escapesSlashes: true),
  ] {
    let written = try value.jsonData(options)
    try expect(String(validating: written, as: UTF8.self) != nil, "The written document is not UTF-8.")
    let again = try JSONValue(json: written)
    try expect(again == value, "\(value) was written, and read back as \(again)")
    try expect(again.hashValue == value.hashValue, "\(value) is equal to \(again) but has another hash")
    if options.sortedKeys {
      try expect(try again.jsonData(options) == written, "\(value) is not written in the same way twice.")
    }
  }
}

/// Checks that a document in pieces gives the same elements as the whole document.
func checkSplitting(_ document: Data) throws {
  for path in ["", "a", "a.b", "[1].a"] {
    let expected = elements(of: document, at: path)
    // The content of the document determines where it is cut.
    let seed = document.reduce(UInt64(7)) { $0 &* 31 &+ UInt64($1) }
    for length in [1, 2 + Int(seed % 13), 100] {
      let found = elements(of: document, at: path, inPiecesOf: length)
      if found.error?.code == .duplicateKey { continue }
      try expect(
        found.error == expected.error, "At \"\(path)\" the whole document gives \(expected), and pieces give \(found)")
      if expected.error == nil {
        try expect(
          found.values == expected.values,
          "At \"\(path)\" the whole document gives \(expected), and pieces give \(found)")
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
