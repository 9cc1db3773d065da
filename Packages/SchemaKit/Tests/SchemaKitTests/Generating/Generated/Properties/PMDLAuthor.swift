// Generated from the model file by swiftSource(for:). Changes are overwritten: write extensions in a file of your own.

import Foundation
import SchemaKit

/// The entity Author of a model file.
final class PMDLAuthor: Model, SchemaMapped {
  static let entityName = "Author"

  @Field(.range(-32768...32767), key: "author_id") var authorId: Int?

  @Field(key: "born") var dateOfBirth: Date?

  @Field var firstName: String?

  @Field var lastName: String?

  @ModelArrayField(inverse: \.$author) var books: [PMDLBook]?

  override var identifierField: AnyField? { $authorId }
}
