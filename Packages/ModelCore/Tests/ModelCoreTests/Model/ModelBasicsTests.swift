import ModelCore
import Testing

@Suite struct `A model` {
  @Test func `A model equals only itself`() {
    let first = Author(id: 1, name: "Ada")
    let second = Author(id: 1, name: "Ada")
    #expect(first == first)
    #expect(first != second)
    #expect(Set([first, second, first]).count == 2)
  }

  @Test func `A model is identifiable beside a field called id`() {
    func identity(_ model: some Identifiable) -> AnyHashable { AnyHashable(model.id) }
    let author = Author(id: 1, name: "Ada")
    #expect(identity(author) == AnyHashable(ObjectIdentifier(author)))
  }

  @Test func `A model class has a new prototype on each call`() {
    #expect(Author.prototype() !== Author.prototype())
    #expect(Author.fieldKeys == ["id", "name", "books"])
  }

  @Test func `A model may set fields in its initialiser`() {
    final class Counter: Model {
      let count = Field<Int>()
      required init() {
        super.init()
        count.value = 1
      }
    }
    let counter = Counter()
    #expect(counter.count == 1)
    #expect(counter.dictionaryValue == ["count": 1])
  }

  @Test func `A model owns observations until it is deallocated`() {
    let title = Field<String>("a")
    var log: [String?] = []
    var author: Author? = Author(name: "Ada")
    if let author { title --> author { value in log.append(value) } }
    title.value = "b"
    author = nil
    title.value = "c"
    #expect(log == ["a", "b"])
  }

  @Test func `A model has a list of its related models`() {
    let author = Author(name: "Ada")
    let books = [Book(title: "1"), Book(title: "2")]
    author.books.value = books
    let relations = author.fields.compactMap { $0 as? any RelationField }
    #expect(relations.flatMap(\.relatedModels) == books)
    #expect(books[0].author.relatedModels == [author])
    #expect(Book().author.relatedModels == [])
  }
}
