@_spi(ModelKitInternals) import FieldKit
@_spi(ModelKitInternals) import ModelCore

/// The references of other records to a model: the stored field that is the inverse of one of its relations.
///
/// With it a store finds records that reference a deleted model, even if their models are not live, and cuts the links.
///
/// ```swift
/// for reference in deletion.references {
///   let cut = reference.cutter(in: context)
///   for (identifier, bytes) in try find(reference) {
///     try write(cut(bytes, identifier), identifier)
///   }
/// }
/// ```
package struct BackReference {
  /// The class of the referencing models.
  package let relatedClass: ModelObject.Type
  /// The key of the field, as it is declared.
  package let key: String
  /// Whether the field is a list.
  package let isToMany: Bool
  private let identifierKey: String
  /// The referenced identifiers, as queries write them.
  private(set) var operands: [JSONValue]
  /// The referenced identifiers, by their text.
  private var identifiers: [String]
  private let ownerClass: ModelObject.Type

  /// Creates the reference that is the inverse of a relation.
  ///
  /// - Parameters:
  ///   - relation: a relation of a model.
  ///   - owner: the model.
  /// - Returns: nil if the relation has no stored inverse, or the model has no identifier.
  package init?(_ relation: any RelationField, of owner: ModelObject) {
    let prototype = relation.relatedClass.init()
    guard let inverse = owner.inverseField(of: relation, on: prototype) else { return nil }
    self.init(inverse, of: prototype, to: owner)
  }

  /// Creates the reference of a relation of another class to a model.
  ///
  /// - Parameters:
  ///   - inverse: the relation.
  ///   - prototype: a model of the class that has it.
  ///   - owner: the model that is referred to.
  /// - Returns: nil if the relation is not stored, or the model has no identifier.
  init?(_ inverse: any RelationField, of prototype: ModelObject, to owner: ModelObject) {
    guard
      prototype.fieldsForDictionaryValue().contains(where: { $0 === inverse }),
      let key = inverse.key, let identifierKey = owner.identifierField?.key,
      let identifier = owner.storedIdentifier,
      let operand = owner.storedValue(ofIdentifier: identifier, in: .standard)?.value
    else { return nil }
    relatedClass = type(of: prototype)
    self.key = key
    isToMany = inverse.isToMany
    self.identifierKey = identifierKey
    operands = [operand]
    identifiers = [identifier]
    ownerClass = type(of: owner)
  }

  /// Merges another reference by the same field.
  mutating func merge(_ other: BackReference) -> Bool {
    guard other.relatedClass == relatedClass, other.key == key, other.ownerClass == ownerClass else { return false }
    operands += other.operands
    identifiers += other.identifiers
    return true
  }

  /// Adds a referenced model of the same class, which has an identifier.
  mutating func add(_ owner: ModelObject) {
    guard let identifier = owner.storedIdentifier, let field = owner.identifierField else { return }
    let writer = FieldWriter(context: .standard)
    let written = field.isDirty ? nil : try? field.exported(by: writer)
    guard let operand = written ?? owner.storedValue(ofIdentifier: identifier, in: .standard)?.value else { return }
    operands.append(operand)
    identifiers.append(identifier)
  }

  /// Splits the reference into parts whose identifiers have at most `size` bytes together.
  func parts(of size: Int) -> [BackReference] {
    zip(operands, identifiers).map { $0 }.parts(of: size) { $0.1.utf8.count + 3 }.map { part in
      var reference = self
      (reference.operands, reference.identifiers) = (part.map(\.0), part.map(\.1))
      return reference
    }
  }

  /// The condition that matches the referencing models.
  package var condition: QueryExpression {
    let isOne = operands.count == 1
    let operand = isOne ? operands[0] : .array(operands)
    func comparison(_ path: QueryPath) -> QueryExpression {
      .comparison(QueryComparison(QueryTerm(path), isOne ? .equal : .isIn, .value(operand)))
    }
    return isToMany ? .any([key], comparison([identifierKey])) : comparison([key, identifierKey])
  }

  /// Returns the path of the field for an index.
  ///
  /// - Throws: ``ModelStoreError`` with the code `invalid` if the field can't be indexed.
  package func field<M: Model>(_ type: M.Type, in context: ValueTransformerContext) throws -> StoredKeyPath {
    try StoredKeyPath(type, key: key, in: context)
  }

  /// Returns a closure that removes the links from a record. A list that the record lacks, because only the inverse is
  /// stored, stays absent. An empty list would override the inverse of the remaining models.
  ///
  /// The closure takes the bytes of a record for which the condition holds, and its identifier, for errors. It throws a
  /// ``ModelStoreError`` with the code `corrupt` if the bytes are not a record.
  ///
  /// - Parameter context: how records are spelled.
  package func cutter(
    in context: ValueTransformerContext
  ) -> (_ record: [UInt8], _ identifier: String) throws -> [UInt8] {
    let spelled = context.key(key)
    let member = isToMany || spelled.contains(".") ? nil : try? JSONValue.object([spelled: .null]).jsonData()
    let isGone = isToMany ? goneMembers(in: context) : { _ in true }
    return { [isToMany, relatedClass] record, identifier in
      if let member, let merged = RecordBytes.merging(Array(member), into: record) { return merged }
      do {
        guard case .object(var values) = try JSONValue(json: record) else {
          throw ValueTransformError(expected: "an object", found: .null)
        }
        let list = isToMany ? try values.value(atNestedKey: spelled) : nil
        if isToMany, list == nil { return record }
        let rest = isToMany ? JSONValue.array((list?.arrayValue ?? []).filter { !isGone($0) }) : .null
        StoredValue(path: spelled.split(separator: ".").map(String.init), value: rest).write(to: &values)
        return Array(try JSONValue.object(values).jsonData(JSONWritingOptions(sortedKeys: true)))
      } catch {
        throw ModelStoreError.unreadable(relatedClass.typeName, identifier: identifier, error)
      }
    }
  }

  /// Returns a closure that checks whether a member of a list, written as its identifier or in full, is referenced.
  private func goneMembers(in context: ValueTransformerContext) -> (JSONValue) -> Bool {
    let owner = ownerClass.init()
    let gone = identifiers.compactMap { owner.storedValue(ofIdentifier: $0, in: context) }
    let keys = Set(gone.map { LinkKey($0.value) })
    let path = gone.first?.path.joined(separator: ".") ?? ""
    return { member in
      guard case .object(let record) = member else { return keys.contains(LinkKey(member)) }
      return (try? record.value(atNestedKey: path))?.map { keys.contains(LinkKey($0)) } ?? false
    }
  }
}

extension ModelStore {
  /// Returns the models that reference others.
  func models(
    with reference: BackReference, _ evaluation: QueryEvaluation = .byStore
  ) async throws -> [ModelObject] {
    guard let modelClass = reference.relatedClass as? any (ModelObject & ModelIsolation).Type else { return [] }
    let models = try await models(modelClass, reference.condition, evaluation)
    reference.relink(models)
    return models
  }

  private func models<M: Model>(
    _ type: M.Type, _ condition: QueryExpression, _ evaluation: QueryEvaluation
  ) async throws -> [ModelObject] {
    var query = ModelQuery(type, evaluation: evaluation)
    query.filter = condition
    return try await list(query)
  }
}

extension BackReference {
  /// Links members to their owners again, if an owner was deallocated or unloaded since the member was read. An
  /// unchanged record is not read into the member again.
  func relink(_ members: [ModelObject]) {
    for member in members { member.relinkInverses(ofFieldDeclaredAs: key) }
  }
}

extension ModelStore {
  /// Returns the stored models that reference others by relations without an inverse. A store that can't be queried
  /// finds none.
  func models(referringTo others: [ModelObject]) async throws -> [ModelObject] {
    var found: [ModelObject] = []
    for reference in PendingDeletion.oneWayReferences(to: others.filter(\.isKnownToStore)) {
      do {
        found += try await models(with: reference)
      } catch let error as ModelStoreError where error.code == .unsupported || error.code == .notFound {
        continue
      }
    }
    return found
  }
}
