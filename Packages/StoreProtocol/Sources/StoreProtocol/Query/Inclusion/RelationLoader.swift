@_spi(ModelKitInternals) import FieldKit
@_spi(ModelKitInternals) import ModelCore

/// A read of the related models of many models, relation by relation.
struct RelationLoader {
  private let store: any ModelStore
  private let evaluation: QueryEvaluation
  /// Whether loaded relations and models have just been read, so that only unloaded ones are read.
  private let isFresh: Bool
  /// The models that were read by now.
  private var read: Set<ObjectIdentifier>
  /// The models that the path has reached. Those that were read first retain them, by the relations between.
  private var reached: Set<ObjectIdentifier>

  init(_ store: any ModelStore, _ evaluation: QueryEvaluation, isFresh: Bool, read models: [ModelObject]) {
    self.store = store
    self.evaluation = evaluation
    self.isFresh = isFresh
    read = Set(models.map { ObjectIdentifier($0) })
    reached = read
  }

  /// Reads the included relations of models.
  mutating func load(_ relations: IncludedRelations, of models: [ModelObject]) async throws {
    if models.isEmpty { return }
    for key in relations.keys {
      var related: [ModelObject] = []
      var seen: Set<ObjectIdentifier> = []
      for owners in Self.owners(of: key, models) {
        for model in try await load(owners) where seen.insert(ObjectIdentifier(model)).inserted {
          related.append(model)
        }
      }
      try await load(relations[key], of: related)
    }
  }

  private typealias Owner = (model: ModelObject, relation: any RelationField)

  /// Returns the relations with a key, one list for each class of models.
  private static func owners(of key: String, _ models: [ModelObject]) -> [[Owner]] {
    var indexes: [ObjectIdentifier: Int] = [:]
    var owners: [[Owner]] = []
    for model in models {
      let type = ObjectIdentifier(type(of: model))
      let first = indexes[type].map { owners[$0][0].relation }
      guard let field = first.flatMap({ model.field(like: $0) }) ?? model.field(declaredAs: key),
        let relation = field as? any RelationField
      else { continue }
      if let index = indexes[type] {
        owners[index].append((model, relation))
      } else {
        indexes[type] = owners.count
        owners.append([(model, relation)])
      }
    }
    return owners
  }

  /// Reads one relation of models of one class.
  ///
  /// - Returns: the related models.
  private mutating func load(_ owners: [Owner]) async throws -> [ModelObject] {
    let sample = owners[0]
    let isInRecord = sample.model.hasInRecord(sample.relation)
    let referenced = owners.filter { owner in
      if case .loaded = owner.relation.loadState { return !isInRecord && !isFresh }
      return !isInRecord || owner.relation.relatedModels.isEmpty
    }
    let found = try await membersReferencing(referenced)
    // A foreign key may be outdated. A member that is not found any more was deleted, or has another owner.
    let isOutdated = (sample.relation.isForeignKey || !isInRecord) && !isFresh
    for model in found { read.insert(ObjectIdentifier(model)) }
    var identifiers: [String] = []
    var members: [ModelObject] = []
    var related: [ModelObject] = []
    for (_, relation) in owners {
      for model in relation.relatedModels {
        related.append(model)
        guard model.isUnloadedReference || (isOutdated && !model.isNew),
          let identifier = model.storedIdentifier, read.insert(ObjectIdentifier(model)).inserted
        else { continue }
        identifiers.append(identifier)
        members.append(model)
      }
    }
    let uncommitted = store.scope.modelsCreatedElsewhere
    let stored = try await models(sample.relation.relatedClass, identifiers)
    if !isInRecord { unlink(members, from: sample, except: uncommitted.union(stored)) }
    withExtendedLifetime((found, stored)) {
      for (model, relation) in owners { model.retainMembers(of: relation, except: reached) }
    }
    if !identifiers.isEmpty { related = owners.flatMap(\.relation.relatedModels) }
    reached.formUnion(related.map { ObjectIdentifier($0) })
    return related
  }

  /// Reads members of a list again that its inverse does not find any more: another store instance deleted them, or
  /// gave them another owner.
  func readAgain(_ members: [ModelObject], of relation: any RelationField, _ owner: ModelObject) async throws {
    guard let first = members.first, !owner.hasInRecord(relation) else { return }
    let uncommitted = store.scope.modelsCreatedElsewhere
    let stored = try await models(relation.relatedClass, members.compactMap(\.storedIdentifier))
    withExtendedLifetime(first) { unlink(members, from: (owner, relation), except: uncommitted.union(stored)) }
  }

  /// Removes members from the relation that are no longer stored, unless the inverse has a local change. Those whose
  /// creation was rolled back meanwhile are new, and keep their links.
  private func unlink(_ members: [ModelObject], from owner: Owner, except stored: Set<ModelObject>) {
    for case let member as any Model in members
    where member.isKnownToStore && !member.isUnloadedReference && !stored.contains(member) {
      guard let key = owner.model.inverseField(of: owner.relation, on: member)?.key else { continue }
      let path = store.scope.transformers.key(key).split(separator: ".").map(String.init)
      var record: AttributeDictionary = [:]
      StoredValue(path: path, value: .null).write(to: &record)
      store.scope.read(record, into: member)
    }
  }

  /// Reads the models whose stored fields reference others, which completes the relations of these.
  private func membersReferencing(_ owners: [Owner]) async throws -> [ModelObject] {
    let saved = owners.filter { $0.model.storedIdentifier != nil && !$0.model.isNew }
    guard let first = saved.first, var reference = BackReference(first.relation, of: first.model) else { return [] }
    for owner in saved.dropFirst() { reference.add(owner.model) }
    var found: [ModelObject] = []
    for part in store is any BatchReadingModelStore ? [reference] : reference.parts(of: Self.sizeOfRequest) {
      do {
        found += try await store.models(with: part, evaluation)
      } catch let error as ModelStoreError where error.code == .unsupported && part.operands.count > 1 {
        // The API has no condition for several identifiers. It may have one for a single identifier.
        for single in part.parts(of: 0) { found += try await store.models(with: single, evaluation) }
      }
    }
    withExtendedLifetime(found) {
      for owner in saved { owner.relation.markMembersLoaded() }
    }
    return found
  }

  /// The length of the identifiers in the address of one request, in bytes. Many servers accept addresses of 8,000
  /// bytes.
  static let sizeOfRequest = 1_800

  /// Returns the models of identifiers, in any order; those that are not in the store are left out.
  func models(_ type: ModelObject.Type, _ identifiers: [String]) async throws -> [ModelObject] {
    guard !identifiers.isEmpty, let type = type as? any (ModelObject & ModelIsolation).Type else { return [] }
    return try await storedModels(type, identifiers)
  }

  /// Returns the models of identifiers as ``models(_:_:)`` does, with their class.
  func storedModels<M: Model>(_ type: M.Type, _ identifiers: [String]) async throws -> [M] {
    if identifiers.isEmpty { return [] }
    if let store = store as? any BatchReadingModelStore {
      return try await store.read(type, identifiers: identifiers)
    }
    let prototype = M.prototype()
    guard let key = prototype.identifierField?.key else { return [] }
    var models: [M] = []
    for part in identifiers.parts(of: Self.sizeOfRequest, { $0.utf8.count + 3 }) {
      if part.count == 1, let model = try await storedModel(type, part[part.startIndex]) {
        models.append(model)
      } else if part.count > 1 {
        var query = ModelQuery(type, evaluation: evaluation)
        let operands = part.compactMap { prototype.storedValue(ofIdentifier: $0, in: .standard)?.value }
        query.filter = .comparison(QueryComparison(QueryTerm([key]), .isIn, .value(.array(operands))))
        do {
          models += try await store.list(query)
        } catch let error as ModelStoreError where error.code == .unsupported {
          // The API has no condition for several identifiers.
          for identifier in part { if let model = try await storedModel(type, identifier) { models.append(model) } }
        }
      }
    }
    return models
  }

  /// Returns the model of an identifier; nil if it is not in the store.
  func model(_ type: ModelObject.Type, _ identifier: String) async throws -> ModelObject? {
    guard let type = type as? any (ModelObject & ModelIsolation).Type else { return nil }
    return try await storedModel(type, identifier)
  }

  private func storedModel<M: Model>(_ type: M.Type, _ identifier: String) async throws -> M? {
    do {
      return try await store.lookup(type, identifier: identifier)
    } catch let error as ModelStoreError where error.code == .notFound {
      return nil
    }
  }
}

extension Array {
  /// Splits the array into parts whose sizes add up to a limit at most; a part has at least one element.
  func parts(of limit: Int, _ size: (Element) -> Int) -> [ArraySlice<Element>] {
    var parts: [ArraySlice<Element>] = []
    var (start, total) = (startIndex, 0)
    for index in indices {
      let size = size(self[index])
      if index > start, total + size > limit {
        parts.append(self[start..<index])
        (start, total) = (index, 0)
      }
      total += size
    }
    if start < endIndex { parts.append(self[start...]) }
    return parts
  }
}

extension ModelScope {
  /// Reads the values of a part of a record into a model. Local changes stay.
  fileprivate func read<M: Model>(_ record: AttributeDictionary, into model: M) {
    (try? staged(record, into: model))?()
  }
}
