import Foundation
import ModelKit

extension ErrorText {
  /// An error of a query, run in a store that has an author with a book.
  private static func asking<M: Model>(
    _ name: String, _ text: String, _ query: @escaping @Sendable () throws -> ModelQuery<M>
  ) -> ErrorText {
    ErrorText(name, text) { _ in
      let store = MemoryModelStore()
      let author = Author("Jane", age: 41)
      try await store.create(author)
      try await store.create(Book("Emma", by: author))
      _ = try await store.list(try query())
    }
  }

  static let queries: [ErrorText] = [
    asking("a query for a field that is not there", #"Author has no field "aeg" that a query could read."#) {
      ModelQuery(Author.self, where: { $0["aeg"] == 7 })
    },
    asking(
      "a query for a value of another type",
      """
      The condition age == "old" can't be evaluated: expected an integer, found the string "old".
      """
    ) { ModelQuery(Author.self, where: { $0["age"] == "old" }) },
    asking(
      "a query that compares a model",
      """
      The condition author > 3 can't be evaluated: values of the type Author have no order, and are not text.
      """
    ) { ModelQuery(Book.self, where: { $0["author"] > 3 }) },
    asking(
      "a query for an order of values that have none",
      "A list can't be sorted by tags: values of the type Array<String> have no order."
    ) {
      ModelQuery(Author.self, sort: [ModelSort(QueryOrder(QueryTerm(["tags"])))])
    },
    asking("a query with a negative limit", "A list can't have a limit of -1: use 0 or more, or nil for all.") {
      ModelQuery(Author.self, limit: -1)
    },
    asking("a query with a negative offset", "A list can't begin at an offset of -1: use 0 or more.") {
      ModelQuery(Author.self, offset: -1)
    },
    reading("a query for another type", #"A query for Author was expected, not one for "Book"."#, #"{"type": "Book"}"#),
    reading("a query that is no object", "expected a query, found a list of 1 element", #"["Author"]"#),
    reading(
      "a query with an operator that is none", #"expected an operator, found the string "~""#,
      #"{"where": {"field": "age", "is": "~", "value": 3}}"#),
    reading(
      "a query through a field that is not a relation",
      #"A query can't read "age" inside name of Author: values of the type String are written as a whole."#,
      #"{"where": {"field": "name.age", "is": "<", "value": 3}}"#),
    reading(
      "a query with an expression that is none",
      """
      The condition name.matches(/(/) can't be evaluated: /(/ is not a regular expression (expected ')').
      """, #"{"where": {"field": "name", "is": "matches", "value": "("}}"#),
    reading(
      "a query with one value where a list is due",
      #"The condition age.isIn(3) can't be evaluated: "in" needs a list."#,
      #"{"where": {"field": "age", "is": "in", "value": 3}}"#),
    ErrorText(
      "a query of records for a relation that is not kept",
      """
      A store can't read "books" of Author: only the records of Book store these links. List models of Book by the \
      inverse, and use their references.
      """
    ) { _ in
      _ = try ModelQuery<Author>(where: { $0.books.count > 1 }).apply(to: [["id": 1]], in: .standard)
    },
    ErrorText(
      "a relation as a column",
      """
      The relation "previous" has models, which are not values of a record. Name a field of the related model, such as \
      "previous.id".
      """
    ) { _ in
      let store = MemoryModelStore()
      try await store.create(Stop())
      _ = try await store.values(Stop.self, of: { $0.previous })
    },
    ErrorText(
      "a query through a model that was not loaded",
      #""name" of Author "7" can't be read: it was not loaded yet. Look it up first."#
    ) { _ in
      let book = try Book.from(dictionaryValue: ["id": 1, "author": 7], in: ModelScope())
      _ = try ModelQuery<Book>(where: { $0.author.name == nil }).matches(book)
    },
    ErrorText(
      "a query of records through a model that is not given",
      """
      This store can't read fields of a related Author: only its identifier is loaded. List the models with including:, \
      and test them with matches(_:).
      """
    ) { _ in
      let records: [AttributeDictionary] = [["id": 1, "author": 7]]
      _ = try ModelQuery<Book>(where: { $0.author.name == "Jane" }).apply(to: records, in: .standard)
    },
    ErrorText(
      "a query of records of another kind",
      """
      A stored Author does not fit the query "Author where age > 3": expected an integer, found the string \
      "many"
      """
    ) { _ in
      let records: [AttributeDictionary] = [["id": 1, "age": "many"]]
      _ = try ModelQuery<Author>(where: { $0.age > 3 }).apply(to: records, in: .standard)
    },
  ]

  /// A query in JSON. The type is added if it is not there.
  private static func reading(_ name: String, _ text: String, _ json: String) -> ErrorText {
    ErrorText(name, text) { _ in
      var json = try JSONValue(json: json)
      if case .object(var members) = json, members["type"] == nil {
        members["type"] = "Author"
        json = .object(members)
      }
      _ = try ModelQuery<Author>(json: json)
    }
  }
}

private final class Stop: Model {
  @Field var id: Int?
  @ModelField(foreignKey: true) var previous: Stop?
  override var identifierField: AnyField? { $id }
}
