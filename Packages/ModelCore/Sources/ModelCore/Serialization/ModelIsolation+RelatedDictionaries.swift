@_spi(ModelKitInternals) public import FieldKit

// Related models by dictionary, for data whose shape is known only at run time.
extension ModelIsolation where Self: ModelObject {
  /// Creates a model from a dictionary, or updates the live one with the same identifier, and adds it to a to-many
  /// relation.
  ///
  /// ```swift
  /// try author.add(["title": "Nightfall"], forKey: "books")
  /// ```
  ///
  /// - Parameters:
  ///   - dictionary: keys and values of the related model, as for ``from(dictionaryValue:in:as:)``.
  ///   - key: the key the relation was declared with, or the name of its property.
  /// - Throws: `FieldError` if there is no such to-many relation, ``ModelDecodingError`` for a value that does not fit;
  ///   nothing is changed then.
  public func add(_ dictionary: AttributeDictionary, forKey key: String) throws {
    try add([dictionary], forKey: key)
  }

  /// Creates models from dictionaries, as ``add(_:forKey:)`` does with one, and adds them to a to-many relation, all or
  /// none.
  @_disfavoredOverload
  public func add(_ dictionaries: [AttributeDictionary], forKey key: String) throws {
    let relation = try relation(forKey: key)
    guard relation.isToMany else { throw FieldError(relation: key, isToMany: false) }
    try add(related(dictionaries, to: relation, isList: true), forKey: key)
  }

  /// Creates a model from a dictionary, or updates the live one with the same identifier, and sets a relation to it.
  ///
  /// - Parameters:
  ///   - dictionary: keys and values of the related model. They may be nested under the key of the relation, unless
  ///     related models have a field with that key.
  ///   - key: the key the relation was declared with, or the name of its property.
  /// - Throws: `FieldError` if there is no such to-one relation, ``ModelDecodingError`` for a value that does not fit;
  ///   nothing is changed then.
  public func set(_ dictionary: AttributeDictionary, forKey key: String) throws {
    let relation = try relation(forKey: key)
    if relation.isToMany { throw FieldError(relation: key, isToMany: true) }
    var inner = dictionary
    if let name = relation.key, !context.prepared(relation.relatedClass.init()).hasField(forKey: name),
      case .object(let wrapped)? = try? dictionary.value(atNestedKey: context.key(name))
    {
      inner = wrapped
    }
    try set(related([inner], to: relation, isList: false).first, forKey: key)
  }

  private var context: ValueTransformerContext { memberScope?.transformers ?? .standard }

  private func related(
    _ dictionaries: [AttributeDictionary], to relation: any RelationField, isList: Bool
  ) throws -> [ModelObject] {
    guard let type = relation.relatedClass as? any Model.Type else { return [] }
    return try related(dictionaries, as: type, at: relation.key ?? "", isList: isList)
  }

  private func related<M: Model>(
    _ dictionaries: [AttributeDictionary], as type: M.Type, at key: String, isList: Bool
  ) throws -> [ModelObject] {
    let reader = ModelReader(scope: memberScope)
    reader.register(self, in: [:])
    let staged = try dictionaries.enumerated().map { index, dictionary in
      let place = FieldPath([.key(context.key(key))] + (isList ? [.index(index)] : []))
      do {
        return try reader.inside(place) { try reader.stage(dictionary, as: type) }
      } catch {
        throw ModelDecodingError.wrapping(error, at: place)
      }
    }
    return reader.apply(staged)
  }
}

extension ModelObject {
  fileprivate func hasField(forKey key: String) -> Bool { field(forKey: key) != nil }
}
