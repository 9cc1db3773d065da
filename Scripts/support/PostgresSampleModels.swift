// The names that the samples about products behind traits use without declaring them. See `Scripts/check-samples --help`.
// swift-format-ignore-file

import ModelCore

final class Author: Model {
  @Field var id: Int?
  @Field var name: String?
  @ModelArrayField var books: [Book]?
  override var identifierField: AnyField? { $id }
}

final class Book: Model {
  @Field var id: Int?
  @Field var title: String?
  @Field var isbn: String?
  @ModelField(foreignKey: true, inverse: \.$books) var author: Author?
  override var identifierField: AnyField? { $id }
}

final class Account: Model {
  @Field var id: Int?
  @Required var balance = 0
  override var identifierField: AnyField? { $id }
}

final class Shelf: Model {
  @Field var id: Int?
  @Field var label: String?
  override var identifierField: AnyField? { $id }
}
