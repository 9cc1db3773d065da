// Prints: Nothing is fetched from a server that is not there: offline

import PostgresStore

final class Book: Model {
  let id = Field<Int>()
  let title = Field<String>()
  override var identifierField: AnyField? { id }
}

let store = PostgresModelStore("postgres://app@127.0.0.1:1/shop?connect_timeout=2")
do {
  print(try await store.count(Book.self))
} catch let error as ModelStoreError {
  print("Nothing is fetched from a server that is not there: \(error.code)")
}
