import ModelKit

/// The dialect of the server: books and authors have their number under `id`, and all other keys are the same.
struct BookshopAPI: RESTDialect {
  func serialize<M: Model>(_ record: AttributeDictionary, of type: M.Type) -> JSONValue {
    .object(Self.moving(Self.ownKey(of: type), to: "id", in: record))
  }

  func deserialize<M: Model>(_ payload: JSONValue, of type: M.Type) throws -> AttributeDictionary {
    guard case .object(let object) = payload else {
      throw ModelDecodingError(path: FieldPath(), expected: "an object", found: payload.typeDescription)
    }
    return Self.moving("id", to: Self.ownKey(of: type), in: object)
  }

  private static func ownKey<M: Model>(of type: M.Type) -> String { type == Book.self ? "book_id" : "author_id" }

  private static func moving(_ old: String, to new: String, in object: AttributeDictionary) -> AttributeDictionary {
    guard let value = object[old] else { return object }
    var object = object
    object[old] = nil
    object[new] = value
    return object
  }
}
