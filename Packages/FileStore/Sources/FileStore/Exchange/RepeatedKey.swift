@_spi(ModelKitInternals) import FieldKit
@_spi(ModelKitInternals) import StoreProtocol

/// A key that occurs twice in an object. Readers disagree about its value.
struct RepeatedKey {
  let key: String

  /// The offset of the second occurrence.
  let offset: Int

  /// Finds the first repeated key in a JSON value, at any depth; nil if there is none.
  ///
  /// - Complexity: O(*n*) in the number of bytes.
  init?(in json: UnsafeRawBufferPointer) throws(JSONSyntaxError) {
    var scanner = JSONScanner(json)
    // The keys of the containing objects; nil for a list.
    var open: [Set<String>?] = []
    repeat {
      switch try scanner.peek() {
      case .object:
        try scanner.beginObject()
        open.append([])
      case .array:
        try scanner.beginArray()
        open.append(nil)
      default: try scanner.skipValue()
      }
      while let last = open.indices.last {
        if open[last] == nil {
          if try scanner.nextElement() { break }
        } else {
          let start = scanner.offset
          if let key = try scanner.nextKey() {
            if open[last]?.insert(key.string).inserted == true { break }
            self.key = key.string
            offset = json[start...].firstIndex(of: UInt8(ascii: "\"")) ?? start
            return
          }
        }
        open.removeLast()
      }
    } while !open.isEmpty
    return nil
  }

  /// The problem, as a part of a sentence.
  var reason: String { "the key \(key.quotedForMessage) occurs twice in one object" }
}
