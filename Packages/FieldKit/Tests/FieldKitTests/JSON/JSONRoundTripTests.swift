@_spi(ModelKitInternals) import FieldKit
import Foundation
import Testing

@Suite struct `Random JSON values` {
  @Test func `Random JSON values read back as they were written, in every style`() throws {
    var generator = JSONGenerator(seed: 1)
    let styles = [
      JSONWritingOptions(), JSONWritingOptions(pretty: true),
      JSONWritingOptions(sortedKeys: true, escapesSlashes: true),
    ]
    for _ in 0..<600 {
      let value = generator.value()
      for style in styles {
        let data = try value.jsonData(style)
        let copy = try JSONValue(json: data)
        #expect(copy == value)
        #expect(copy.hashValue == value.hashValue)
        try JSONValue.validate(json: data)
      }
    }
  }

  @Test func `Random JSON values read the same from text full of blanks and escapes`() throws {
    var generator = JSONGenerator(seed: 2)
    for _ in 0..<300 {
      let value = generator.value()
      let text = generator.spaced(value)
      #expect(try JSONValue(json: text) == value)
      try JSONValue.validate(json: text)
    }
  }

  @Test func `Random JSON values are read by Foundation as we wrote them`() throws {
    var generator = JSONGenerator(seed: 3)
    for _ in 0..<80 {
      let value = JSONValue.array([generator.value(depth: 3)])
      let data = try value.jsonData()
      #expect(try JSONDecoder().decode(JSONValue.self, from: data) == value)
      #expect(matches(try JSONSerialization.jsonObject(with: data), value), "\(value)")
    }
  }

  @Test func `Random JSON values are read by us as Foundation wrote them`() throws {
    var generator = JSONGenerator(seed: 4)
    for _ in 0..<80 {
      let value = JSONValue.array([generator.value(depth: 3)])
      #expect(try JSONValue(json: JSONEncoder().encode(value)) == value)
    }
  }

  @Test func `Random JSON values give the same array in one piece and one by one`() throws {
    var generator = JSONGenerator(seed: 5)
    for _ in 0..<100 {
      let elements = (0..<generator.below(8)).map { _ in generator.value(depth: 2) }
      let document = try JSONValue.object(["x": generator.value(depth: 2), "list": .array(elements)]).jsonData(
        .init(pretty: true))
      var reader = try JSONArrayReader(document, at: "list")
      var read: [JSONValue] = []
      while let element = try reader.next() { read.append(element) }
      #expect(read == elements)
    }
  }

  private func matches(_ object: Any, _ value: JSONValue) -> Bool {
    switch value {
    case .null: object is NSNull
    case .bool(let bool): object as? Bool == bool
    case .int(let int): object as? Int == int
    // On Linux, JSONSerialization misses some doubles by their last bit.
    case .double(let double): (object as? Double).map { abs($0 - double) <= abs(double) * 1e-15 } ?? false
    case .number: false
    case .string(let string): object as? String == string
    case .array(let elements):
      (object as? [Any]).map { $0.count == elements.count && zip($0, elements).allSatisfy(matches) } ?? false
    case .object(let members):
      (object as? [String: Any]).map { object in
        object.count == members.count
          && members.allSatisfy { key, value in object[key].map { matches($0, value) } ?? false }
      } ?? false
    }
  }
}
