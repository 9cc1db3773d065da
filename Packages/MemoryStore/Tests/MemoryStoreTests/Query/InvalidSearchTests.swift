import MemoryStore
import StoreProtocol
import Testing

private final class Article: Model {
  let id = Field<Int>()
  let title = Field<String>()
  let tags = Field<String>()*
  override var identifierField: AnyField? { id }
}

@Suite struct `A search for words of another kind of field` {
  @Test func `A search for words in another kind of field is invalid with a text index, too`() async throws {
    let store = MemoryModelStore()
    let article = Article()
    (article.title.value, article.tags.value) = ("new words", ["new"])
    try await store.create(article)
    let words = QueryComparison.Operand.value("new")
    let ofList = QueryExpression.comparison(QueryComparison(QueryTerm(["tags"]), .matchesWords, words))
    let ofText = QueryExpression.any(["title"], .comparison(QueryComparison(QueryTerm([]), .matchesWords, words)))
    for isIndexed in [false, true] {
      if isIndexed {
        try store.index(\Article.tags, .text)
        try store.index(\Article.title, .text)
      }
      for condition in [ofList, ofText] {
        var query = ModelQuery(Article.self)
        query.filter = condition
        let ofCount = await #expect(throws: ModelStoreError.self) { _ = try await store.count(query) }
        let ofRead = await #expect(throws: ModelStoreError.self) { _ = try await store.list(query) }
        #expect(ofCount?.code == .invalid)
        #expect(ofRead?.code == .invalid)
      }
    }
  }
}
