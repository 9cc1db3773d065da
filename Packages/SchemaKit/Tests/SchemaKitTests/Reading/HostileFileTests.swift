import Foundation
import SchemaKit
import Testing

@Suite struct `A hostile model file` {
  private func refusal(_ text: String, options: SchemaReadingOptions = .init()) -> SchemaFileError? {
    #expect(throws: SchemaFileError.self) { try CoreDataSchema(contents: Data(text.utf8), options: options) }
  }

  @Test func `A model file with expanding entities is rejected`() {
    let error = refusal(
      """
      <?xml version="1.0"?>
      <!DOCTYPE model [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>
      <model><entity name="&b;"/></model>
      """)
    #expect(error?.code == .forbidden)
    #expect(error?.line == 2)
  }

  @Test func `A model file with external entities is rejected`() {
    let error = refusal("<!DOCTYPE model [<!ENTITY x SYSTEM \"file:///etc/passwd\">]>\n<model>&x;</model>")
    #expect(error?.code == .forbidden)
    #expect(refusal("<model><entity name=\"&undeclared;\"/></model>")?.code == .syntax)
  }

  @Test func `A model file that is too large or too deep is rejected`() {
    let large = "<model>" + String(repeating: "<x/>", count: 5_000) + "</model>"
    #expect(refusal(large, options: SchemaReadingOptions(maximumBytes: 10_000))?.code == .tooLarge)
    let deep = "<model>\n" + String(repeating: "<x>\n", count: 40) + String(repeating: "</x>", count: 40) + "</model>"
    let error = refusal(deep)
    #expect(error?.code == .tooDeep)
    #expect(error?.line == 33)
  }

  @Test(arguments: [
    "<!DOCTYPE model SYSTEM \"http://127.0.0.1:9/model.dtd\"><model/>",
    "\u{FEFF}<?xml version=\"1.0\"?><!DOCTYPE model [<!ENTITY % p SYSTEM \"file:///dev/zero\"> %p;]><model/>",
    "<model><!-- a comment --><!DOCTYPE model></model>",
    "<?xml version=\"1.0\"?>\n<!DOCTYPE lolz [<!ENTITY lol \"lol\"><!ENTITY lol1 \"&lol;&lol;&lol;\">]><model>&lol1;</model>",
  ]) func `A model file with a document type is rejected`(text: String) {
    #expect(refusal(text)?.code == .forbidden)
  }

  @Test func `Includes in a model file are not fetched`() throws {
    let text = "<model><include href=\"file:///etc/passwd\"/><x:include xmlns:x=\"a\" href=\"/etc/passwd\"/></model>"
    let schema = try CoreDataSchema(contents: Data(text.utf8))
    #expect(schema.otherElements.map(\.name) == ["include", "x:include"])
    #expect(schema.otherElements.allSatisfy { $0.text.isEmpty && $0.children.isEmpty })
  }

  @Test func `A file of 100 MB is rejected without being read as a whole`() throws {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("contents-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: file) }
    try Data("<model>".utf8).write(to: file)
    let handle = try FileHandle(forWritingTo: file)
    try handle.truncate(atOffset: 100 << 20)
    try handle.close()
    let error = #expect(throws: SchemaFileError.self) { try CoreDataSchema(contentsOf: file) }
    #expect(error?.code == .tooLarge)
    let large = #expect(throws: SchemaFileError.self) { try CoreDataSchema(contents: Data(count: 100 << 20)) }
    #expect(large?.code == .tooLarge)
  }

  @Test func `A model file with a hundred thousand nested elements is rejected`() {
    #expect(refusal("<model>" + String(repeating: "<entity name=\"A\">", count: 100_000))?.code == .tooDeep)
  }

  @Test func `A model file may have many settings and names of any length`() throws {
    let name = String(repeating: "n", count: 1 << 20)
    let settings = (0..<900).map { "s\($0)=\"\"" }.joined(separator: " ")
    let schema = try CoreDataSchema(contents: Data("<model><entity name=\"\(name)\" \(settings)/></model>".utf8))
    #expect(schema.entities.first?.name == name)
    #expect(schema.entities.first?.otherSettings.count == 900)
  }

  @Test(arguments: [" s%=''", " s%=\">\"", "\ns%\n=\n'='", " xmlns:s%='a'"])
  func `An element with too many XML attributes is rejected before it takes quadratic time`(setting: String) {
    let settings = (0..<100_000).map { setting.replacingOccurrences(of: "%", with: "\($0)") }.joined()
    let error = refusal("<model>\n<entity name=\"A\"\(settings)/></model>")
    #expect(error?.code == .tooLarge)
    #expect((error?.line ?? 0) >= 2)
  }

  @Test func `A model file in another encoding, which would hide a document type, is rejected`() {
    let text = "<?xml version=\"1.0\" encoding=\"UTF-16\"?><!DOCTYPE model><model/>"
    let error = #expect(throws: SchemaFileError.self) {
      try CoreDataSchema(contents: text.data(using: .utf16) ?? Data())
    }
    #expect(error?.code == .syntax)
    #expect(refusal("<?xml version=\"1.0\" encoding=\"UTF-7\"?><model/>")?.code == .syntax)
  }

  @Test(arguments: [
    [0xFF], [0xC0, 0xAF], [0xED, 0xA0, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xE2, 0x82], [0x00], [0x1B],
  ])
  func `A model file with invalid bytes at any position is rejected`(bytes: [UInt8]) {
    for (before, after) in [("<entity name=\"A", "\"/>"), ("<entity name=\"A\" ", "=\"1\"/>"), ("", "")] {
      let start = "<model>\n" + String(repeating: "<x/>", count: 100) + "\n" + before
      let data = Data(start.utf8) + Data(bytes) + Data("\(after)\n</model>".utf8)
      let error = #expect(throws: SchemaFileError.self) { try CoreDataSchema(contents: data) }
      #expect(error?.code == .syntax)
      #expect(error?.line == 3)
    }
  }

  @Test func `A file that is not a model file is rejected with the line`() {
    #expect(refusal("<plist/>")?.code == .noModel)
    #expect(refusal("")?.code == .syntax)
    let broken = refusal("<model>\n<entity name=\"A\">\n</model>")
    #expect(broken?.code == .syntax)
    #expect(broken?.line == 3)
    let early = refusal("<model>\n<entity name=\"A\">\n</entyti>\n<entity name=\"B\"/>\n\n</model>")
    #expect(early?.description == "line 3: this is not well-formed XML.")
    let nameless = refusal("<model>\n<entity name=\"A\">\n<attribute attributeType=\"String\"/></entity></model>")
    #expect(nameless?.description == "line 3: <attribute> has no name.")
  }
}
