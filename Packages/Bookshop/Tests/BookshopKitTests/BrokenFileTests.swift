import BookshopKit
import Foundation
import Testing

@Suite struct `A file that is no catalogue` {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test(arguments: [
    ("", "Invalid JSON at line 1, column 1 (byte 0): expected a value, found the end of the document."),
    (
      "{\"authors\": [\n{\"author_id\": 1, \"name\": {\"full\": \"A\"}",
      #"Invalid JSON at line 2, column 39 (byte 52): expected "," or "}", found the end of the document."#
    ),
    ("[{\"author_id\": 1]", #"Invalid JSON at line 1, column 17 (byte 16): expected "," or "}", found "]"."#),
    ("{}", #"expected an array at "authors", found nothing there"#),
    (#"{"authors": 7}"#, #"expected an array at "authors", found a number"#),
    ("42", "expected an array, found a number"),
  ])
  func `is refused with its mistake and its place`(text: String, message: String) throws {
    let file = try folder.file(text)
    let error = try #require(throws: ShopError.self) { try CatalogueFile(contentsOf: file) }
    #expect(error.description.contains(message))
    #expect(error.description.contains("Nothing was imported"))
    #expect(error.description.contains("catalogue.json"))
  }

  @Test func `is refused if its text is no UTF-8`() throws {
    let file = try folder.file(Data("[\"".utf8) + [0xC3, 0x28] + Data("\"]".utf8))
    let error = try #require(throws: ShopError.self) { try CatalogueFile(contentsOf: file) }
    #expect(error.description.contains("line 1, column 3 (byte 2): expected UTF-8"))
  }

  @Test func `is refused if it is a directory`() throws {
    let error = try #require(throws: ShopError.self) { try CatalogueFile(contentsOf: folder.url) }
    #expect(error.description.contains("is a directory. Nothing was imported"))
  }

  @Test func `is refused if it is not there`() throws {
    let error = try #require(throws: ShopError.self) {
      try CatalogueFile(contentsOf: folder.url.appending(path: "missing.json"))
    }
    #expect(error.description.hasPrefix("There is no file '"))
  }

  @Test func `with a byte order mark and white space in front is one all the same`() async throws {
    let file = try folder.file("\u{FEFF} \n {\"authors\": [{\"author_id\": 1, \"name\": {\"full\": \"A\"}}]}")
    try await folder.withShop { shop in
      let report = try await shop.importCatalogue(CatalogueFile(contentsOf: file))
      #expect(report.authors.added == 1)
    }
  }
}
