@_spi(ModelKitInternals) import FieldKit

/// The end of a path: a field of a model, or an element of the field's list.
struct FieldLocation {
  let model: ModelObject
  let field: AnyField
  let element: Int?
}

extension ModelObject {
  /// Returns the field with a key as it is declared, including dots.
  func field(forKey key: String) -> AnyField? {
    var found: AnyField?
    forEachField { field, index in if found == nil, self.key(of: field, at: index) == key { found = field } }
    return found
  }

  /// Returns the field with which a path begins, and the number of components in its key: more than one for a key with
  /// dots. If several match, the longest key wins.
  func firstField(on components: ArraySlice<FieldPath.Component>) -> (field: AnyField, count: Int)? {
    guard case .key(let first)? = components.first else { return nil }
    var found: (field: AnyField, count: Int)?
    forEachField { field, index in
      let key = key(of: field, at: index)
      if key == first {
        if found == nil { found = (field, 1) }
      } else if components.count > (found?.count ?? 1), key.hasPrefix(first), key.utf8.contains(UInt8(ascii: ".")) {
        let parts = key.split(separator: ".").map { FieldPath.Component.key(String($0)) }
        if parts.count > (found?.count ?? 1), components.starts(with: parts) { found = (field, parts.count) }
      }
    }
    return found
  }

  /// Returns the field or element at a path.
  ///
  /// - Throws: `FieldError` if a component is not found.
  func locate(_ path: FieldPath) throws(FieldError) -> FieldLocation {
    var (model, rest) = (self, path.components[...])
    var place: String { FieldPath(Array(path.components[..<rest.startIndex])).description.pathForMessage }
    if path.isWildcard { throw FieldError(notSet: path, "it matches more than one field") }
    while true {
      guard let (field, count) = model.firstField(on: rest) else {
        guard let step = rest.first else { throw FieldError(notSet: path, "it refers to a model, not to a field") }
        let key = if case .key(let key) = step { key } else { "\(FieldPath([step]))" }
        throw FieldError(notSet: path, "\(type(of: model).displayName) has no field \(key.quotedForMessage)")
      }
      rest = rest.dropFirst(count)
      if rest.isEmpty { return FieldLocation(model: model, field: field, element: nil) }
      if case .index(let index)? = rest.first {
        let last = rest.count == 1
        guard let models = (field as? any Relation)?.listedModels else {
          if last { return FieldLocation(model: model, field: field, element: index) }
          throw FieldError(notSet: path, "\(place) is not a list of models")
        }
        if last { return FieldLocation(model: model, field: field, element: index) }
        guard models.indices.contains(index) else {
          throw FieldError(notSet: path, "\(place) has no element \(index), it has \(models.count)")
        }
        model = models[index]
        rest = rest.dropFirst()
      } else {
        guard let relation = field as? any Relation else {
          throw FieldError(notSet: path, "\(place) holds \(field.valueType), not a model")
        }
        if relation.isToMany {
          throw FieldError(notSet: path, "\(place) is a list: name the element, as in \(place)[0]")
        }
        guard let related = relation.relatedModels.first else {
          throw FieldError(notSet: path, "there is no model in \(place)")
        }
        model = related
      }
    }
  }
}

extension Relation {
  /// The models of a to-many relation; nil for a to-one relation.
  fileprivate var listedModels: [ModelObject]? { isToMany ? relatedModels : nil }
}
