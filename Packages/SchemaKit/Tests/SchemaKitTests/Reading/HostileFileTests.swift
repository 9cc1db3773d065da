import Foundation
import SchemaKit
import Testing

@Suite struct `A hostile model file` {
  private func refusal(_ text: String, options: SchemaReadingOptions = .init()) -> SchemaFileError? {
    #expect(throws: SchemaFileError.self) { try CoreDataSchema(contents: Data(text.utf8), options: options) }
  }

  @Test func `is refused with entities that grow`() {
    let error = refusal(
      """
      <?xml version="1.0"?>
      <!DOCTYPE model [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>
      <model><entity name="&b;"/></model>
      """)
    #expect(error?.code == .forbidden)
    #expect(error?.line == 2)
  }

  @Test func `is refused with entities from elsewhere`() {
    let error = refusal("<!DOCTYPE model [<!ENTITY x SYSTEM \"file:///etc/passwd\">]>\n<model>&x;</model>")
    #expect(error?.code == .forbidden)
    #expect(refusal("<model><entity name=\"&undeclared;\"/></model>")?.code == .syntax)
  }

  @Test func `is refused when it is too large or too deep`() {
    let large = "<model>" + String(repeating: "<x/>", count: 5_000) + "</model>"
    #expect(refusal(large, options: SchemaReadingOptions(maximumBytes: 10_000))?.code == .tooLarge)
    let deep = "<model>\n" + String(repeating: "<x>\n", count: 40) + String(repeating: "</x>", count: 40) + "</model>"
    let error = refusal(deep)
    #expect(error?.code == .tooDeep)
    #expect(error?.line == 33)
  }

  @Test func `is refused in another encoding, where a mark would look different`() {
    let text = "<?xml version=\"1.0\" encoding=\"UTF-16\"?><!DOCTYPE model><model/>"
    let error = #expect(throws: SchemaFileError.self) {
      try CoreDataSchema(contents: text.data(using: .utf16) ?? Data())
    }
    #expect(error?.code == .syntax)
    #expect(refusal("<?xml version=\"1.0\" encoding=\"UTF-7\"?><model/>")?.code == .syntax)
  }

  @Test func `is refused when it is no model, with the line`() {
    #expect(refusal("<plist/>")?.code == .noModel)
    #expect(refusal("")?.code == .syntax)
    let broken = refusal("<model>\n<entity name=\"A\">\n</model>")
    #expect(broken?.code == .syntax)
    #expect(broken?.line == 3)
    let nameless = refusal("<model>\n<entity name=\"A\">\n<attribute attributeType=\"String\"/></entity></model>")
    #expect(nameless?.description == "line 3: <attribute> has no name.")
  }
}
