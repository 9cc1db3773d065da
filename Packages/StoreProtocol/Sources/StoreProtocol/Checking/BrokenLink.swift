@_spi(ModelKitInternals) import FieldKit
@_spi(ModelKitInternals) public import ModelCore

/// A link of a stored model to a model that the store does not have.
///
/// ```swift
/// for link in try await store.brokenLinks(of: [Person.self]) { print(link) }
/// // Person "1": company refers to Company "7", which does not exist.
/// ```
public struct BrokenLink: Hashable, Sendable, CustomStringConvertible {
  /// The type name of the model with the link.
  public let typeName: String
  /// The identifier of that model.
  public let identifier: String
  /// The path of the link in the model, such as `company` or `watchers[1]`.
  public let path: FieldPath
  /// The type name of the missing model.
  public let targetTypeName: String
  /// The identifier of the missing model.
  public let target: String

  /// A description of the model, the link and the missing model.
  public var description: String {
    """
    \(typeName.nameForMessage) \(identifier.quotedForMessage): \(path) refers to \(targetTypeName.nameForMessage) \
    \(target.quotedForMessage), which does not exist.
    """
  }
}

extension ModelStore {
  /// Returns the links of stored models to models that the store does not have.
  ///
  /// When a store deletes a model, it nullifies links to it in all classes of which this process has created a model.
  /// Links of other classes stay in their records. Find them with this method, before or after the deletion.
  ///
  /// - Parameter types: the classes whose models are checked.
  /// - Returns: the links to missing models, in the order of the models that contain them. Nothing is changed.
  /// - Throws: ``ModelStoreError`` as ``list(_:)`` and ``lookup(_:identifier:)`` do.
  /// - Complexity: O(*n*) in the number of models and links, with one lookup for each referenced model.
  public func brokenLinks(of types: [any Model.Type]) async throws -> [BrokenLink] {
    var check = LinkCheck()
    for type in types { try await check.run(type, in: self) }
    return check.links
  }
}

/// The state of a check of links.
struct LinkCheck {
  private(set) var links: [BrokenLink] = []
  /// Whether models that were read from the store are there without a lookup.
  private let trustsLiveModels: Bool
  /// Whether a model exists, by its class and identifier.
  private var known: [ObjectIdentifier: [ExactText: Bool]] = [:]

  init(trustsLiveModels: Bool = false) { self.trustsLiveModels = trustsLiveModels }

  mutating func run<M: Model>(_ type: M.Type, in store: some ModelStore) async throws {
    for model in try await store.list(ModelQuery(type)) { try await run(model, in: store) }
  }

  mutating func run(_ model: ModelObject, in store: some ModelStore) async throws {
    var seen: Set<ModelObject> = [model]
    try await run(model, in: model, at: FieldPath(), &seen, store)
  }

  /// Checks the links of a model and of its embedded models.
  ///
  /// - Parameters:
  ///   - model: the model, or one inside it.
  ///   - owner: the model of the record.
  ///   - path: the path from the owner to the model.
  ///   - seen: the models of the record that were already checked.
  ///   - store: the store.
  private mutating func run(
    _ model: ModelObject, in owner: ModelObject, at path: FieldPath, _ seen: inout Set<ModelObject>,
    _ store: some ModelStore
  ) async throws {
    for case let relation as any RelationField in model.storableFields {
      for (index, related) in relation.storedModels.enumerated() {
        let link = path.appending(
          FieldPath([.key(relation.key ?? "")] + (relation.isToMany ? [.index(index)] : [])))
        if !relation.isForeignKey {
          if seen.insert(related).inserted { try await run(related, in: owner, at: link, &seen, store) }
          continue
        }
        if trustsLiveModels, related.isKnownToStore, !related.isUnloadedReference { continue }
        guard let target = related.storedIdentifier, let type = Swift.type(of: related) as? any Model.Type,
          try await !isThere(type, target, in: store)
        else { continue }
        links.append(
          BrokenLink(
            typeName: owner.storedTypeName, identifier: owner.storedIdentifier ?? "", path: link,
            targetTypeName: related.storedTypeName, target: target))
      }
    }
  }

  private mutating func isThere<Related: Model>(
    _ type: Related.Type, _ identifier: String, in store: some ModelStore
  ) async throws -> Bool {
    if let isThere = known[ObjectIdentifier(type)]?[ExactText(identifier)] { return isThere }
    var isThere = true
    do {
      _ = try await store.lookup(type, identifier: identifier)
    } catch let error as ModelStoreError where error.code == .notFound {
      isThere = false
    }
    known[ObjectIdentifier(type), default: [:]][ExactText(identifier)] = isThere
    return isThere
  }
}
