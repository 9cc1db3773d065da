import Foundation
@_spi(ModelKitInternals) import ModelCore
import Testing

private final class House: Model {
  let id = Field<UUID>()
  let rooms = ModelField<Room>()*
  override var identifierField: AnyField? { id }
}

private final class Room: Model {
  let house = ModelField<House>(inverse: \.rooms)
}

@Suite struct `A weak link to a deallocated model` {
  private func orphan(id: Int?, in scope: ModelScope? = nil) -> Book {
    let book = Book(id: 5, title: "T")
    let author = scope.map { Author.with(identifier: String(id ?? 0), in: $0) } ?? Author(id: id, name: "Ada")
    author.name.value = "Ada"
    author.books.add(book)
    // Saved, so that the scope does not retain it.
    author.markSaved(author.fields, asOf: .next())
    return book
  }

  @Test func `A weak link to a deallocated model returns an unloaded reference with its identifier`() {
    let book = orphan(id: 7)
    let author = book.author.value
    #expect(author?.identifier == "7")
    #expect(author?.name.value == nil)
    #expect(author?.loadState == .incomplete)
    #expect(author?.isDirty == false)
    #expect(book.author.value === author)
    #expect(author?.books.value == [book])
    #expect(author?.books.loadState == .incomplete)
  }

  @Test func `A weak link to a deallocated model returns the registered model of the scope`() {
    let scope = ModelScope()
    let book = orphan(id: 7, in: scope)
    let author = Author.with(identifier: "7", in: scope)
    #expect(author.name.value == nil)
    #expect(book.author.value === author)
    #expect(author.books.value == [book])
  }

  @Test func `A weak link to a deallocated model notifies the observers of the registered model`() {
    let scope = ModelScope()
    let book = orphan(id: 7, in: scope)
    let author = Author.with(identifier: "7", in: scope)
    var counts: [Int?] = []
    author.books --> { counts.append($0?.count) }
    _ = book.author.value
    #expect(counts == [nil, 1])
  }

  @Test func `A weak link to a deallocated model without identifier is nil and incomplete`() {
    let book = orphan(id: nil)
    #expect(book.author.value == nil)
    #expect(book.author.loadState == .incomplete)
  }

  @Test func `A weak link has the identifier that its model got after the link was made`() {
    let book = Book(title: "T")
    var author: Author? = Author(name: "Ada")
    author?.books.add(book)
    author?.id.value = 9
    author = nil
    #expect(book.author.value?.identifier == "9")
  }

  @Test func `A weak link to a deallocated model supports every type of identifier`() {
    let room = Room()
    let id = UUID()
    var house: House? = House()
    house?.id.value = id
    house?.rooms.add(room)
    house = nil
    #expect(room.house.value?.id.value == id)
  }

  @Test func `A weak link to a deallocated model is written with the identifier`() {
    #expect(orphan(id: 7).dictionaryValue["author"]?["id"] == 7)
  }

  @Test func `A weak link to a deallocated model can be cut or set again`() {
    let book = orphan(id: 7)
    book.markSaved(book.fields, asOf: .next())
    book.author.value = nil
    #expect(book.author.isDirty)
    #expect(book.author.value == nil)
    #expect(book.author.loadState == .loaded)
    let other = orphan(id: 7)
    let bob = Author(name: "Bob")
    bob.books.add(other)
    #expect(other.author.value === bob)
  }
}
