// Generated from the model file by swiftSource(for:). Changes are overwritten: write extensions in a file of your own.

import Foundation
import SchemaKit

/// The entity Author of a model file.
final class MDLAuthor: Model, SchemaMapped {
  static let entityName = "Author"

  let authorId = Field<Int>(key: "author_id")
    .require(.range(-32768...32767))

  let dateOfBirth = Field<Date>(key: "born")

  let firstName = Field<String>()

  let lastName = Field<String>()

  let books: ModelArrayField<MDLBook> = ModelField<MDLBook>(inverse: \.author)*

  override var identifierField: AnyField? { authorId }
}
