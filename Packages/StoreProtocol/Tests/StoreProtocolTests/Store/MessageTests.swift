@_spi(ModelKitInternals) import FieldKit
@_spi(ModelKitInternals) import StoreProtocol
import Testing

@Suite struct `An identifier in a message` {
  @Test(arguments: [
    ("7", #""7""#), ("", #""""#), ("é", #""é""#), ("a\"b\\c", #""a\"b\\c""#), ("a\nb\tc", #""a\nb\tc""#),
    ("a\u{2028}b", #""a\u{2028}b""#), ("\u{202E}7", #""\u{202E}7""#), ("a\u{85}", #""a\u{85}""#),
  ])
  func `A message quotes an identifier on one line, with special characters escaped`(identifier: String, text: String) {
    #expect(identifier.quotedForMessage == text)
  }

  @Test func `A very long identifier is truncated in a message`() {
    #expect(String(repeating: "x", count: 80).quotedForMessage == "\"\(String(repeating: "x", count: 80))\"")
    #expect(String(repeating: "x", count: 5_000).quotedForMessage == "\"\(String(repeating: "x", count: 80))\"…")
    #expect(("x" + String(repeating: "\u{301}", count: 5_000)).quotedForMessage.unicodeScalars.count < 100)
  }

  @Test func `An error quotes an identifier in its message, and has the complete one as a property`() {
    let identifier = "a\nb" + String(repeating: "x", count: 5_000)
    let errors: [ModelStoreError] = [
      .notFound("Person\n", identifier: identifier), .conflict("Person\n", identifier: identifier),
    ]
    for error in errors {
      #expect(!error.message.contains("\n"))
      #expect(error.message.count < 250)
      #expect(error.message.contains(#""a\nbxx"#))
      #expect(error.message.contains(#""Person\n""#))
      #expect(error.identifier == identifier)
    }
  }
}

@Suite struct `The name of a type in a message` {
  @Test(arguments: ["Person", "App.Person", "Box<Int>", "Bücher", "order_2"])
  func `The name of a type in a message is not quoted`(name: String) {
    #expect(name.nameForMessage == name)
  }

  @Test(arguments: ["", "a b", "a\nb", "a\"", "a\u{202E}b", String(repeating: "x", count: 81)])
  func `The name of a type in a message is quoted if it is no plain name`(name: String) {
    #expect(name.nameForMessage == name.quotedForMessage)
  }
}
