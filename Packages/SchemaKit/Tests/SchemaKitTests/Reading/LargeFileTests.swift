import Foundation
import SchemaKit
import Testing

/// Reading, checking and writing take linear time: with quadratic time, a small file could keep a program busy.
@Suite(.serialized) struct `A model file of many parts` {
  private static let kinds: [(name: String, part: @Sendable (Int) -> String)] = [
    ("entities", { "<entity name=\"e\($0)\"/>" }),
    ("generations", { "<entity name=\"e\($0)\" parentEntity=\"e\($0 + 1)\"/>" }),
    (
      "composites",
      {
        "<composite name=\"e\($0)\"><attribute name=\"a\" attributeType=\"Composite\" compositeName=\"e\($0 + 1)\"/></composite>"
      }
    ),
    ("characters", { "&#\(65 + $0 % 20);" }),
    ("sections", { _ in "<![CDATA[a]]>" }),
    ("comments", { _ in "<!-- a -->" }),
    ("mistakes", { _ in "]]>&" }),
    ("lines", { _ in "\n" }),
  ]

  private static let insides: [(name: String, part: @Sendable (Int) -> String)] = [
    ("attributes", { "<attribute name=\"a\($0)\" attributeType=\"String\"/>" }),
    (
      "relationships",
      { "<relationship name=\"r\($0)\" destinationEntity=\"A\" inverseName=\"r\($0)\" inverseEntity=\"A\"/>" }
    ),
    ("notes", { "<userInfo><entry key=\"k\($0)\" value=\"v\"/></userInfo>" }),
    (
      "constraints",
      {
        "<uniquenessConstraints><uniquenessConstraint><constraint value=\"a\($0)\"/></uniquenessConstraint></uniquenessConstraints>"
      }
    ),
  ]

  /// Returns the shortest of three times in milliseconds that this thread takes to read, check and write. The load of
  /// the machine is left out.
  private func time(_ text: String) -> Double {
    let data = Data(text.utf8)
    let times = (0..<3).map { _ in
      let start = Self.threadTime()
      if let schema = try? CoreDataSchema(contents: data) {
        _ = schema.check()
        _ = schema.contents
      }
      return Self.threadTime() - start
    }
    return times.min() ?? 0
  }

  private static func threadTime() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) * 1e3 + Double(time.tv_nsec) / 1e6
  }

  private func text(_ part: (Int) -> String, _ count: Int) -> String { (0..<count).map(part).joined() }

  @Test(arguments: kinds.indices) func `A model file takes time linear in its length`(index: Int) {
    let part = Self.kinds[index].part
    let (short, long) = (time("<model>\(text(part, 100))</model>"), time("<model>\(text(part, 1_600))</model>"))
    // The file is sixteen times as long; quadratic time would be 256 times as long.
    #expect(long < max(short, 1) * 100, "\(Self.kinds[index].name): \(short), \(long)")
  }

  @Test(arguments: insides.indices) func `A model file takes time linear in the length of its entity`(index: Int) {
    let part = Self.insides[index].part
    func entity(_ count: Int) -> String { "<model><entity name=\"A\">\(text(part, count))</entity></model>" }
    let (short, long) = (time(entity(100)), time(entity(1_600)))
    #expect(long < max(short, 1) * 100, "\(Self.insides[index].name): \(short), \(long)")
  }

  @Test func `Nested composites expand to no more attributes than a model can have`() throws {
    // Each level has ten parts: the few lines stand for 10 to the power of 12.
    let composites = (0..<12).map { level in
      let parts = (0..<10).map {
        "<attribute name=\"p\($0)\" optional=\"YES\" attributeType=\"Composite\" compositeName=\"C\(level + 1)\"/>"
      }
      return "<composite name=\"C\(level)\">\n\(parts.joined())</composite>\n"
    }
    let last = "<composite name=\"C12\"><attribute name=\"x\" optional=\"YES\" attributeType=\"String\"/></composite>"
    let entity = "<entity name=\"A\"><attribute name=\"a\" attributeType=\"Composite\" compositeName=\"C0\"/></entity>"
    let schema = try AuthorsModel.schema(AuthorsModel.model(entity + composites.joined() + last))
    let issues = schema.check()
    #expect(
      issues.contains {
        $0.description.hasSuffix("The composite C0 expands to more than 1,000 attributes or is nested too deeply.")
      })
    #expect(!issues.contains { $0.entity == "C11" })
    let attribute = try #require(schema.entity("A")?.attribute("a"))
    #expect(schema.parts(of: attribute) == [])
    let model = try DynamicModel(entity: "A", in: schema, dictionaryValue: ["a": ["p0": 1]])
    #expect(model["a"] as? JSONValue == ["p0": 1])
  }

  @Test func `A model file is read with a limit below or above any size`() throws {
    try AuthorsModel.withFiles { url in
      let options = SchemaReadingOptions(maximumBytes: .max, maximumDepth: .max)
      let schema = try CoreDataSchema(contentsOf: url, options: options)
      #expect(schema.entities.count == 3)
      let error = #expect(throws: SchemaFileError.self) {
        try CoreDataSchema(contentsOf: url, options: SchemaReadingOptions(maximumBytes: -1))
      }
      #expect(error?.code == .tooLarge)
    }
  }
}
