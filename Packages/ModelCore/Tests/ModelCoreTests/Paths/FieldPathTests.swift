import ModelCore
import Testing

@Suite struct `A field path` {
  @Test(arguments: [
    "", "name", "company.name", "authors[3].books[0].year", "[2]", "[2].name", "a[1][2]", "*", "company.*", "a[1].*",
  ])
  func `A field path is written as it is read`(text: String) {
    #expect(FieldPath(text).description == text)
  }

  @Test func `A field path has a component for every key and every index`() {
    let path: FieldPath = "author.books[2].title"
    #expect(path.components == [.key("author"), .key("books"), .index(2), .key("title")])
    #expect(path == ["author", "books", 2, "title"])
  }

  @Test func `A field path has the verbatim keys of an array literal`() {
    let path: FieldPath = ["author.name", "x"]
    #expect(path.components == [.key("author.name"), .key("x")])
    #expect(path != "author.name.x")
    let empty: FieldPath = []
    #expect(empty == FieldPath())
    #expect(empty.isEmpty)
  }

  @Test func `A field path treats a bracket without a number as part of a key`() {
    #expect(FieldPath("a[x]").components == [.key("a"), .key("[x]")])
  }

  @Test func `A field path is a wildcard if its last component is a star`() {
    let path: FieldPath = "company.*"
    #expect(path.isWildcard)
    #expect(path.components == [.key("company")])
    #expect(path == ["company", "*"])
    #expect(path != "company")
    #expect(FieldPath("a.*.b").isWildcard == false)
  }

  @Test func `A field path is a prefix of itself and of its continuations, as the empty path is of all`() {
    #expect(FieldPath().isPrefix(of: "a.b"))
    #expect(FieldPath().isPrefix(of: ""))
    #expect(FieldPath("a.b").isPrefix(of: "a.b"))
    #expect(FieldPath("a.b").isPrefix(of: "a.b.c"))
    #expect(!FieldPath("a.b").isPrefix(of: "a"))
    #expect(!FieldPath("a.b").isPrefix(of: "a.c.b"))
    #expect(!FieldPath("a").isPrefix(of: "ab"))
  }

  @Test func `A field path matches its equal, and as a wildcard its continuations`() {
    #expect(FieldPath("a.b").matches("a.b"))
    #expect(!FieldPath("a.b").matches("a.b.c"))
    #expect(!FieldPath("a.b").matches("a.b.*"))
    #expect(FieldPath("a.*").matches("a"))
    #expect(FieldPath("a.*").matches("a.b.c"))
    #expect(FieldPath("a.*").matches("a.*"))
    #expect(!FieldPath("a.*").matches("b.a"))
    #expect(FieldPath("*").matches("anything[3].at.all"))
  }

  @Test func `A field path is extended by another path or key, at both ends`() {
    #expect(FieldPath("authors[3]").appending("books[0]") == "authors[3].books[0]")
    #expect(FieldPath().appending("name") == "name")
    #expect(FieldPath("a").appending(key: "b.c") == ["a", "b.c"])
    #expect(FieldPath("b").prepending("a[0]") == "a[0].b")
    #expect(FieldPath("b.*").prepending("a") == "a.b.*")
    #expect(FieldPath("a").appending("*").isWildcard)
    #expect(FieldPath("a.b.c").dropFirst() == "b.c")
    #expect(FieldPath("a").dropFirst(5) == FieldPath())
  }
}
