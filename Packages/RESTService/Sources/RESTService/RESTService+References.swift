@_spi(ModelKitInternals) import FieldKit
@_spi(ModelKitInternals) import ModelCore
import RESTStore
import StoreProtocol

// References of written records.
extension RESTService {
  /// Checks that a model references only records that exist, and that the user may read, unless the options accept
  /// missing references.
  ///
  /// - Parameters:
  ///   - model: the model to write.
  ///   - known: the references that the record had before, which need no check.
  ///   - call: the request.
  ///   - store: the store of the transaction that writes the model.
  /// - Throws: ``ServiceProblem`` with the status 422 and the fields.
  func checkReferences<S: ModelStore>(
    of model: ModelObject, except known: Set<RecordReference> = [], _ call: ServiceCall, in store: S
  ) async throws {
    if options.acceptsMissingReferences { return }
    var problem = ServiceProblem(422, "The record was not written: it references records that do not exist.")
    for reference in RecordReference.all(in: model) where !known.contains(reference) {
      if try await exists(reference.type, reference.identifier, call, in: store) { continue }
      problem.fields[reference.path.description] = ["references a missing \(reference.type.typeName)"]
    }
    if !problem.fields.isEmpty { throw problem }
  }

  private func exists<M: Model, S: ModelStore>(
    _ type: M.Type, _ identifier: String, _ call: ServiceCall, in store: S
  ) async throws -> Bool {
    do {
      let model = try await store.lookup(type, identifier: identifier)
      // A record that the user may not read is treated as missing.
      return served(type)?.allows(.read, model, call.request) ?? true
    } catch let error as ModelStoreError where error.code == .notFound { return false }
  }
}

/// A reference of a record to another one.
struct RecordReference: Hashable {
  let type: any Model.Type
  let identifier: String
  /// The path of the relation in the record.
  let path: FieldPath

  static func == (first: RecordReference, second: RecordReference) -> Bool {
    ObjectIdentifier(first.type) == ObjectIdentifier(second.type) && first.identifier == second.identifier
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(ObjectIdentifier(type))
    hasher.combine(identifier)
  }

  /// Returns the references of a model and of its embedded models, except those to the model itself.
  static func all(in model: ModelObject) -> [RecordReference] {
    var (found, seen): ([RecordReference], Set<ModelObject>) = ([], [model])
    collect(in: model, at: FieldPath(), &found, &seen)
    return found
  }

  private static func collect(
    in model: ModelObject, at path: FieldPath, _ found: inout [RecordReference], _ seen: inout Set<ModelObject>
  ) {
    for case let relation as any RelationField in model.storableFields {
      for (index, related) in relation.relatedModels.enumerated() where seen.insert(related).inserted {
        let link = path.appending(FieldPath([.key(relation.key ?? "")] + (relation.isToMany ? [.index(index)] : [])))
        if !relation.isForeignKey {
          collect(in: related, at: link, &found, &seen)
        } else if let identifier = related.storedIdentifier, let type = Swift.type(of: related) as? any Model.Type {
          found.append(RecordReference(type: type, identifier: identifier, path: link))
        }
      }
    }
  }
}
