import ModelCore
import Testing

@Suite struct `A field path` {
  @Test(arguments: ["", "name", "company.name", "authors[3].books[0].year", "[2]", "[2].name", "a[1][2]"])
  func `is written as it is read`(text: String) {
    #expect(FieldPath(text).description == text)
  }

  @Test func `has a step for every key and every position`() {
    let path: FieldPath = "author.books[2].title"
    #expect(path.components == [.key("author"), .key("books"), .index(2), .key("title")])
  }

  @Test func `takes a bracket without a number for a part of a key`() {
    #expect(FieldPath("a[x]").components == [.key("a"), .key("[x]")])
  }

  @Test func `continues with another path`() {
    #expect(FieldPath("authors[3]").appending("books[0]") == "authors[3].books[0]")
    #expect(FieldPath().appending("name") == "name")
  }
}
