import Foundation
import ModelKit

final class Author: Model {
  let id = Field<Int>()
  let name = Field<String>().require(.notBlank)
  let age = Field<Int>()
  let height = Field<Double>()
  let born = Field<Date>()
  let site = Field<URL>()
  let badge = Field<UUID>()
  let rank = Field<Int8>()
  let color = Field<Color>()
  let genre = EnumField<Genre>()
  let tags = Field<String>()*
  let pin = Field<Int>(sensitive: true)
  let books = ModelField<Book>(foreignKey: true)*
  override var identifierField: AnyField? { id }
  override func fieldsForDictionaryValue() -> [AnyField] {
    [id, name, age, height, born, site, badge, rank, color, genre, tags, pin]
  }

  convenience init(id: Int? = nil, _ name: String, age: Int? = nil) {
    self.init()
    if let id { self.id.value = id }
    self.name.value = name
    if let age { self.age.value = age }
  }
}

/// Colors that are equal may be written in different ways.
struct Color: JSONConvertible, Equatable, Sendable {
  let text: String
  init(json: JSONValue) throws { text = json.stringValue ?? "" }
  var json: JSONValue { .string(text) }
  static func == (left: Color, right: Color) -> Bool { left.text.lowercased() == right.text.lowercased() }
}

enum Genre: String, CaseIterable, Sendable { case novel, poem }

final class Book: Model {
  let id = Field<Int>()
  let title = Field<String>()
  let author = ModelField<Author>(foreignKey: true, inverse: \.books)
  let sequel = ModelField<Book>()
  override var identifierField: AnyField? { id }

  convenience init(_ title: String, by author: Author? = nil) {
    self.init()
    self.title.value = title
    if let author { self.author.value = author }
  }
}

/// A model that can't be deleted while it has debts.
final class Firm: Model {
  let id = Field<String>()
  let debts = ModelField<Debt>(foreignKey: true, deleteRule: .deny)*
  override var identifierField: AnyField? { id }
}

final class Debt: Model {
  let id = Field<Int>()
  let firm = ModelField<Firm>(foreignKey: true, inverse: \.debts)
  override var identifierField: AnyField? { id }
}

/// Without an identifier.
final class Note: Model {
  let text = Field<String>()
}

/// The stored authors, as a program reads them that takes their names for numbers.
final class NumberedAuthor: Model {
  let id = Field<Int>()
  let name = Field<Int>()
  override class var typeName: String { "Author" }
  override var identifierField: AnyField? { id }
}
