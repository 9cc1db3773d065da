import ModelCore
import Testing

@Suite struct `A relation without inverse` {
  @Test func `A relation without inverse does not change the related model`() {
    let order = Order()
    let author = Author(name: "Ada")
    let book = Book(title: "T")
    order.customer.value = author
    order.items.add(book)
    #expect(author.books.value == [])
    #expect(book.author.value == nil)
    order.customer.value = nil
    #expect(order.items.remove(book))
    #expect(order.items.value == [])
  }

  @Test func `A relation without inverse retains the related model`() {
    let order = Order()
    order.customer.value = Author(name: "Ada")
    order.items.value = [Book(title: "A")]
    order.items.add(Book(title: "B"))
    #expect(order.customer.value?.name.value == "Ada")
    #expect(order.items.value?.map(\.title.value) == ["A", "B"])
    #expect(order.items.loadState == .loaded)
  }

  @Test func `A relation without inverse releases its previous model`() {
    let order = Order()
    var book: Book? = Book(title: "T")
    weak let ghost = book
    if let book { order.items.add(book) }
    book = nil
    #expect(ghost != nil)
    order.items.value = []
    #expect(ghost == nil)
  }

  @Test func `A relation without inverse contains a model once`() {
    let order = Order()
    let book = Book(title: "T")
    #expect(order.items.add(book))
    #expect(!order.items.add(book))
    order.items.value = [book, book]
    #expect(order.items.count == 1)
  }

  @Test func `A relation without inverse to one model may be shared by many`() {
    let author = Author(name: "Ada")
    let orders = [Order(), Order()]
    for order in orders { order.customer.value = author }
    #expect(orders.allSatisfy { $0.customer.value === author })
  }
}
