@_spi(ModelKitInternals) import FieldKit
@_spi(ModelKitInternals) import ModelCore
import StoreProtocol

/// A class of models that a service serves, with the access to it.
struct ServedType: Sendable {
  let type: any Model.Type
  /// The components of the collection's path.
  let path: [String]
  let rules: [RESTAccess.Rule]
  /// The keys of fields that requests can't write.
  let protected: Set<String>
  /// The keys of records that dialects treat separately.
  let form: RESTServedForm

  /// Returns whether a rule can allow an action, on all records or on some.
  func mayAllow(_ action: RESTAccess.Action) -> Bool { rules.contains { $0.actions.isSuperset(of: action) } }

  /// Returns whether an action is allowed on all records.
  func allowsAll(_ action: RESTAccess.Action) -> Bool {
    rules.contains { $0.actions.isSuperset(of: action) && $0.condition == nil }
  }

  /// Returns whether an action is allowed on a record.
  func allows(_ action: RESTAccess.Action, _ model: ModelObject, _ request: RESTServiceRequest) -> Bool {
    rules.contains { rule in
      rule.actions.isSuperset(of: action) && (rule.condition.map { $0(request, model) } ?? true)
    }
  }
}

/// The hidden fields, by class, which responses omit even in embedded records.
struct HiddenFields: Sendable {
  private let keys: [ObjectIdentifier: Set<String>]
  /// The sensitive fields that are not hidden; nil if none is hidden for that reason.
  private let shown: [ObjectIdentifier: Set<String>]?
  /// The sensitive fields of the classes so far.
  private let sensitive = Lock<[ObjectIdentifier: Set<String>]>([:])

  init(_ keys: [ObjectIdentifier: Set<String>], sensitiveExcept shown: [ObjectIdentifier: Set<String>]? = nil) {
    (self.keys, self.shown) = (keys, shown)
  }

  /// Returns the keys of the hidden fields of a class, those of its superclasses included.
  func keys(of type: ModelObject.Type) -> Set<String> {
    let declared = Self.keys(of: type, in: keys)
    guard let shown else { return declared }
    return declared.union(sensitiveKeys(of: type).subtracting(Self.keys(of: type, in: shown)))
  }

  private static func keys(of type: ModelObject.Type, in table: [ObjectIdentifier: Set<String>]) -> Set<String> {
    var found: Set<String> = []
    var current: AnyClass? = type
    while let type = current {
      found.formUnion(table[ObjectIdentifier(type)] ?? [])
      current = _getSuperclass(type)
    }
    return found
  }

  private func sensitiveKeys(of type: ModelObject.Type) -> Set<String> {
    if let known = sensitive.withLock({ $0[ObjectIdentifier(type)] }) { return known }
    // A field gets its key from its model, which must stay alive.
    let model = type.init()
    let found = withExtendedLifetime(model) {
      Set(model.fieldsForDictionaryValue().filter { $0.isSensitive && $0 !== model.identifierField }.compactMap(\.key))
    }
    sensitive.withLock { $0[ObjectIdentifier(type)] = found }
    return found
  }

  /// Removes the hidden fields of a model and of its embedded models from its record, and the references of embedded
  /// models to the containing one.
  func reduce(
    _ record: inout AttributeDictionary, of model: ModelObject, inside inverse: String? = nil,
    _ context: ValueTransformerContext
  ) {
    func path(_ key: String) -> [String] { context.key(key).split(separator: ".").map { String($0) } }
    // Also of lists that are not loaded as a whole.
    for key in keys(of: type(of: model)).union(inverse.map { [$0] } ?? []) {
      Self.change(&record, at: path(key)[...]) { $0 = nil }
    }
    for field in model.storableFields {
      guard let key = field.key else { continue }
      if let relation = field as? any RelationField, !relation.isForeignKey {
        let related = relation.relatedModels
        func reduced(_ value: JSONValue, _ index: Int) -> JSONValue {
          guard case .object(var inner) = value, related.indices.contains(index) else { return value }
          let member = related[index]
          let inverse = model.inverseField(of: relation, on: member)?.key
          reduce(&inner, of: member, inside: inverse, context)
          return .object(inner)
        }
        Self.change(&record, at: path(key)[...]) { value in
          if case .array(let elements)? = value {
            value = .array(zip(elements.indices, elements).map { reduced($1, $0) })
          } else {
            value = value.map { reduced($0, 0) }
          }
        }
      }
    }
  }

  static func change(
    _ record: inout AttributeDictionary, at path: ArraySlice<String>, _ body: (inout JSONValue?) -> Void
  ) {
    guard let key = path.first else { return }
    if path.count == 1 {
      body(&record[key])
    } else if case .object(var inner)? = record[key] {
      change(&inner, at: path.dropFirst(), body)
      record[key] = .object(inner)
    }
  }
}
