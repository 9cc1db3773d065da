import ModelKit

final class Book: Model {
  @Field var id: Int?
  @Required var title = "Untitled"
  @Field var pages: Int?
  override var identifierField: AnyField? { id }  // error: cannot convert return expression of type 'Int?'

  var shout: String { title.uppercased() }
}

final class Untyped: Model {
  @Field var count: Int  // error: does not match 'wrappedValue' type
}

final class WithoutDefault: Model {  // error: class 'WithoutDefault' has no initializers
  @Required var title: String  // error: 'required' initializer 'init()' must be provided
}

final class Shelf: Model {
  @ModelArrayField var items: [Item]?
}

final class Item: Model {
  @ModelField(foreignKey: true, inverse: \.items) var shelf: Shelf?  // error: to contextual type 'any RelationField'
}

func useProperties(_ book: Book, _ store: MemoryModelStore) async throws {
  book.title --> { print($0) }  // error: requires that 'String' conform to 'ValueObservable'
  book.title.value = "Emma"  // error: requires wrapper 'Field<String>'
  book.pages += 1  // error: value of optional type 'Int?' must be unwrapped
  _ = try await store.list(Book.self, where: { $0.shout == "EMMA" })  // error: 'shout' is a get-only property
  _ = try await store.list(Book.self, where: { $0.titel == "Emma" })  // error: failed to produce diagnostic
  _ = try await store.list(Book.self, sort: [.ascending(\.titel)])  // error: cannot convert value of type '[Any]'
}
