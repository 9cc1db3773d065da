import Foundation
import SchemaKit

final class Author: Model, SchemaMapped {
  static let entityName = "Author"
  let authorId = Field<Int>()
  let dateOfBirth = Field<Date>()
  let firstName = Field<String>()
  let lastName = Field<String>()
  let books = ModelField<Book>()*
  override var identifierField: AnyField? { authorId }
}

final class Book: Model, SchemaMapped {
  enum Rating: Int, CaseIterable, Sendable {
    case none, poor, fair, good, fine, great
  }

  static let entityName = "Book"
  let bookId = Field<Int>()
  let favorite = Field<Bool>()
  let rating = EnumField<Rating>()
  let retailPrice = Field<Double>()
  let tags = Field<String>()*
  let title = Field<String>()
  let year = Field<String>()
  let author = ModelField<Author>()
  let pricing = ModelField<Pricing>()
  override var identifierField: AnyField? { bookId }
}

final class Pricing: Model, SchemaMapped {
  static let entityName = "Pricing"
  let discountedPrice = Field<Double>()
  let pricingId = Field<Int>()
  let retailPrice = Field<Double>()
  let book = ModelField<Book>()
  override var identifierField: AnyField? { pricingId }
}

/// A transformer of a list of words to one text with commas.
struct CommaText: ValueTransforming {
  func importValue(_ json: JSONValue, in context: ValueTransformerContext) throws -> [String]? {
    guard let text = json.stringValue else { throw ValueTransformError(expected: "a text", found: json) }
    return text.split(separator: ",").map(String.init)
  }

  func exportValue(_ value: [String], in context: ValueTransformerContext) throws -> JSONValue {
    .string(value.joined(separator: ","))
  }
}

let sampleTransformers: [String: any ValueTransforming] = [
  "Date": .date(format: "yyyy-MM-dd"), "StringArray": CommaText(),
]

func sampleScope(_ text: String = AuthorsModel.third, explicitNull: Bool = false) throws -> ModelScope {
  ModelScope(
    schema: try AuthorsModel.schema(text), transformers: sampleTransformers,
    context: ValueTransformerContext(explicitNull: explicitNull))
}

let ninasBooks: AttributeDictionary = [
  "firstName": "Nina", "lastName": "Lund", "author_id": "105", "born": "1965-04-02",
  "books": [
    ["title": "Salt", "year": "1999", "book_id": "3401", "rating": "3", "favorite": true, "tags": "sea,north"],
    ["title": "Fog", "year": "2004", "book_id": "3402", "pricing": ["pricing_id": 101, "retail_price": 14.99]],
  ],
]
