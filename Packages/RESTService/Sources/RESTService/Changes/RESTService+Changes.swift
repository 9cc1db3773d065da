import Foundation
@_spi(ModelKitInternals) import ModelCore
import RESTStore
@_spi(ModelKitInternals) import StoreProtocol

// The records that changed since a position of the change log.
extension RESTService {
  static let changesParameter = "updated_since"

  /// Responds to a list with the parameter `updated_since`.
  func changes<M: Model>(
    _ type: M.Type, _ served: ServedType, _ position: String, _ call: ServiceCall
  ) async throws -> HTTPResponseData {
    guard let log else {
      throw ServiceProblem(400, "This service has no change log, so it can't list changes. List all records.")
    }
    let parameters = try ChangeParameters(call, type, self)
    var members: AttributeDictionary = ["updated": [], "deleted": [], "left": [], "hasMore": false, "reset": false]
    if let found = try await log.changes(after: position, atMost: parameters.limit),
      let changes = try await recordChanges(parameters.query, served, call, found)
    {
      members["updated"] = .array(changes.updated.map { .object($0.record) })
      members["deleted"] = .array(changes.deleted.map { .string($0) })
      members["left"] = .array(changes.left.map { .string($0) })
      members["hasMore"] = .bool(found.hasMore)
      members["position"] = .string(found.position)
    } else {
      members["reset"] = true
      members["position"] = .string(try await log.currentPosition())
    }
    let body = try JSONValue.object(members).jsonData(.init(sortedKeys: true))
    return HTTPResponseData(
      status: 200, headers: ["Content-Type": "application/json", "Cache-Control": "no-store"], body: body)
  }

  /// Returns the effect of logged changes on the records that a query finds, and that the user may read.
  ///
  /// - Returns: nil if it is unknown whether a client has the record, because earlier values can't be read or the
  ///   condition needs related models.
  func recordChanges<M: Model>(
    _ query: ModelQuery<M>, _ served: ServedType, _ call: ServiceCall, _ logged: LoggedChanges
  ) async throws -> RecordChanges? {
    var changes = RecordChanges()
    var seen: Set<ExactText> = []
    let store = open(makeScope())
    func isFound(_ model: M) throws -> (isReadable: Bool, isMatch: Bool)? {
      guard served.allows(.read, model, call.request) else { return (false, false) }
      return try query.testableMatch(model).map { (true, $0) }
    }
    // A client may have any of the values before a change: it may have created the record itself.
    var (identifiers, found): ([String], Set<ExactText>) = ([], [])
    for change in logged.changes where change.type == M.typeName {
      let name = ExactText(change.identifier)
      if seen.insert(name).inserted { identifiers.append(change.identifier) }
      switch change.before {
      case .nothing: continue
      case .unknown: return nil
      case .values(let before):
        if found.contains(name) { continue }
        let scope = makeScope()
        // The class may have read them before it was changed.
        guard let model = try? scope.models(M.self, from: [before], localChanges: .overwrite).first else { return nil }
        guard let result = try isFound(model) else { return nil }
        if result.isMatch { found.insert(name) }
      }
    }
    let current = try await models(M.self, identifiers, in: store)
    for identifier in identifiers {
      let wasFound = found.contains(ExactText(identifier))
      // A record that the user may not read is treated as missing.
      let result = try current[ExactText(identifier)].map(isFound) ?? (false, false)
      guard let (isReadable, isMatch) = result else { return nil }
      if isMatch, let model = current[ExactText(identifier)] {
        changes.updated.append((identifier, try record(of: model)))
      } else if wasFound, isReadable {
        changes.left.append(identifier)
      } else if wasFound {
        changes.deleted.append(identifier)
      }
    }
    return changes
  }

  /// Returns the models of identifiers, without missing ones. Reads all of them with one call if the store can do so.
  private func models<M: Model, S: ModelStore>(
    _ type: M.Type, _ identifiers: [String], in store: S
  ) async throws -> [ExactText: M] {
    var (models, rest): ([ExactText: M], [String]) = ([:], identifiers)
    if let store = store as? any BatchReadingModelStore {
      let names = Set(identifiers.map { ExactText($0) })
      let read = try await store.read(type, identifiers: identifiers)
      for model in read { models[ExactText(model.storedIdentifier ?? "")] = model }
      // A database may spell an identifier in another way.
      let isComplete = models.count == read.count && models.keys.allSatisfy(names.contains)
      rest = isComplete ? [] : identifiers.filter { models[ExactText($0)] == nil }
    }
    for identifier in rest {
      do {
        models[ExactText(identifier)] = try await store.lookup(type, identifier: identifier)
      } catch let error as ModelStoreError where error.code == .notFound { continue }
    }
    return models
  }
}

/// The effect of changes on the records of a list.
struct RecordChanges {
  /// The records that the list has now.
  var updated: [(identifier: String, record: AttributeDictionary)] = []
  /// The identifiers of the records that the list had, and that are gone.
  var deleted: [String] = []
  /// The identifiers of the records that the list had, and that the condition does not find any more.
  var left: [String] = []
}

/// The parameters of a request for changes: a condition and a limit.
struct ChangeParameters<M: Model> {
  let query: ModelQuery<M>
  let limit: Int

  /// - Throws: ``ServiceProblem`` with the status 400 for another parameter, and for a condition on related records.
  init(_ call: ServiceCall, _ type: M.Type, _ service: RESTService) throws {
    var rest = call
    rest.items.removeAll { $0.name == RESTService.changesParameter }
    if let item = rest.items.first(where: { !["where", "limit"].contains($0.name) }) {
      throw ServiceProblem(
        400, "A request for changes can't have the parameter \"\(item.name.prefix(80))\", only where and limit.")
    }
    let parameters = try ListParameters(rest, type, service, followsRelations: false)
    query = parameters.query
    limit = max(parameters.limit, 1)
  }
}
