@_spi(ModelKitInternals) import ModelCore

/// The path to a relation whose models are read together with those of a list, as the root of key paths.
///
/// ```swift
/// let people = try await store.list(Person.self, including: [\.company.employees])
/// ```
///
/// A path includes all relations along it: `\.company.employees` includes the companies as well.
@dynamicMemberLookup
public struct RelationPath<M: Model>: IncludedRelation {
  /// The keys of the relations on the path.
  public let path: QueryPath
  private let prototype: M

  init(_ path: QueryPath = QueryPath(), _ prototype: M = M.prototype()) {
    self.path = path
    self.prototype = prototype
  }

  private func path(to field: AnyField?, _ property: AnyKeyPath) -> QueryPath {
    path.appending(field?.key ?? "\(property)")
  }

  /// A to-one relation.
  public subscript<Related: Model>(dynamicMember keyPath: KeyPath<M, ModelField<Related>>) -> RelationPath<Related> {
    RelationPath<Related>(path(to: prototype[keyPath: keyPath], keyPath))
  }

  /// A to-many relation.
  public subscript<Related: Model>(
    dynamicMember keyPath: KeyPath<M, ModelArrayField<Related>>
  ) -> RelationPath<Related> {
    RelationPath<Related>(path(to: prototype[keyPath: keyPath], keyPath))
  }

  /// A to-one relation declared with `@ModelField`.
  public subscript<Related: Model>(
    dynamicMember property: ReferenceWritableKeyPath<M, Related?>
  ) -> RelationPath<Related> {
    RelationPath<Related>(path(to: prototype.field(of: property), property))
  }

  /// A to-many relation declared with `@ModelArrayField`.
  public subscript<Related: Model>(
    dynamicMember property: ReferenceWritableKeyPath<M, [Related]?>
  ) -> RelationPath<Related> {
    RelationPath<Related>(path(to: prototype.field(of: property), property))
  }
}

/// A relation that is included in a list: a ``RelationPath`` to models of any class.
public protocol IncludedRelation {
  /// The keys of the relations on the path.
  var path: QueryPath { get }
}

/// The relations to include, by the keys of their paths.
struct IncludedRelations {
  private(set) var keys: [String] = []
  private var below: [String: IncludedRelations] = [:]

  /// The relations to include below a relation.
  subscript(key: String) -> IncludedRelations { below[key] ?? IncludedRelations() }

  private mutating func insert(_ path: ArraySlice<String>) {
    guard let key = path.first else { return }
    if below[key] == nil { keys.append(key) }
    below[key, default: IncludedRelations()].insert(path.dropFirst())
  }

  /// Collects the paths.
  ///
  /// - Throws: ``ModelStoreError`` with the code `invalid` if a property on a path is not a relation.
  init<M: Model>(_ paths: [QueryPath], of type: M.Type) throws {
    for path in paths {
      var owner: ModelObject = M.prototype()
      for key in path.keys {
        guard let relation = owner.field(declaredAs: key) as? any RelationField else {
          throw ModelStoreError(
            .invalid,
            "\("\(path)".quotedForMessage) can't be included: \(key.quotedForMessage) of \(Swift.type(of: owner).displayName) is not a relation."
          )
        }
        owner = relation.relatedClass.init()
      }
      insert(path.keys[...])
    }
  }

  private init() {}
}

extension ModelObject {
  /// Returns whether the record of the model determines the members of one of its relations. The records of a relation
  /// that is written in full are inside it.
  func hasInRecord(_ relation: any RelationField) -> Bool {
    fieldsForDictionaryValue().contains { $0 === relation } && (!relation.isToMany || !relation.isForeignKey)
  }
}
