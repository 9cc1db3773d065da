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
  func `A file that is not a catalogue is rejected with the mistake and its location`(text: String, message: String)
    throws
  {
    let file = try folder.file(text)
    let error = try #require(throws: ShopError.self) { try CatalogueFile(contentsOf: file) }
    #expect(error.description.contains(message))
    #expect(error.description.contains("Nothing was imported"))
    #expect(error.description.contains("catalogue.json"))
  }

  @Test func `A file that is not UTF-8 is rejected`() throws {
    let file = try folder.file(Data("[\"".utf8) + [0xC3, 0x28] + Data("\"]".utf8))
    let error = try #require(throws: ShopError.self) { try CatalogueFile(contentsOf: file) }
    #expect(error.description.contains("line 1, column 3 (byte 2): expected UTF-8"))
  }

  @Test func `A directory is rejected as a catalogue`() throws {
    let error = try #require(throws: ShopError.self) { try CatalogueFile(contentsOf: folder.url) }
    #expect(error.description.contains("is a directory. Nothing was imported"))
  }

  @Test func `A missing file is rejected as a catalogue`() throws {
    let error = try #require(throws: ShopError.self) {
      try CatalogueFile(contentsOf: folder.url.appending(path: "missing.json"))
    }
    #expect(error.description.hasPrefix("There is no file '"))
  }

  @Test func `A catalogue may begin with a byte order mark and white space`() async throws {
    let file = try folder.file("\u{FEFF} \n {\"authors\": [{\"author_id\": 1, \"name\": {\"full\": \"A\"}}]}")
    try await folder.withShop { shop in
      let report = try await shop.importCatalogue(CatalogueFile(contentsOf: file))
      #expect(report.authors.added == 1)
    }
  }
}
