@_spi(ModelKitInternals) import FieldKit
@_spi(ModelKitInternals) import ModelCore
import StoreProtocol

/// The foreign keys in the records of models, also of models that are embedded in them.
///
/// It belongs to the isolation of a store, and keeps the relations of each class.
final class RecordReferences {
  /// A relation of a class, as records spell it.
  private struct Relation {
    var path: [String]
    var relatedClass: ModelObject.Type
    var isForeignKey: Bool
  }

  private let transformers: ValueTransformerContext
  private var relations: [ObjectIdentifier: [Relation]] = [:]

  init(_ transformers: ValueTransformerContext) { self.transformers = transformers }

  /// Returns the names of the records that a record references.
  ///
  /// - Complexity: O(*n*) in the number of references, after the first call for a class.
  func names(in record: AttributeDictionary, of modelClass: ModelObject.Type) -> Set<ExactText> {
    var names: Set<ExactText> = []
    _ = replacing(in: record, of: modelClass) { type, identifier in
      names.insert(OutboxEntry.recordName(type, identifier))
      return nil
    }
    return names
  }

  /// Returns a record with other references.
  ///
  /// - Parameters:
  ///   - record: the record.
  ///   - modelClass: the class of its model, or one that it is derived from.
  ///   - replacement: returns the value that replaces a reference; nil to keep it. A null removes it from a list.
  func replacing(
    in record: AttributeDictionary, of modelClass: ModelObject.Type,
    _ replacement: (_ type: String, _ identifier: String) -> JSONValue?
  ) -> AttributeDictionary {
    var result = record
    for relation in relations(of: modelClass.storedClass(for: record)) {
      guard let value = Self.value(at: relation.path[...], in: .object(record)) else { continue }
      let replaced = replacing(in: value, relation, replacement)
      if replaced != value { StoredValue(path: relation.path, value: replaced).write(to: &result) }
    }
    return result
  }

  private func replacing(
    in value: JSONValue, _ relation: Relation, _ replacement: (String, String) -> JSONValue?
  ) -> JSONValue {
    switch value {
    case .null: return value
    case .array(let members):
      // A member that is null was not there before, or was replaced by nothing.
      return .array(members.map { replacing(in: $0, relation, replacement) }.filter { !$0.isNull })
    case .object(let record):
      return .object(replacing(in: record, of: relation.relatedClass, replacement))
    default:
      guard relation.isForeignKey, let identifier = Self.identifier(value) else { return value }
      return replacement(relation.relatedClass.typeName, identifier) ?? value
    }
  }

  /// Returns the text of an identifier as a record has it.
  static func identifier(_ value: JSONValue) -> String? {
    switch value {
    case .string(let text): text
    case .int(let number): String(number)
    default: nil
    }
  }

  private static func value(at path: ArraySlice<String>, in value: JSONValue) -> JSONValue? {
    path.reduce(value) { $0?[$1] }
  }

  private func relations(of modelClass: ModelObject.Type) -> [Relation] {
    if let known = relations[ObjectIdentifier(modelClass)] { return known }
    let prototype = modelClass.init()
    transformers.prepare(prototype)
    // A field has its key from its model.
    let found = withExtendedLifetime(prototype) {
      prototype.fieldsForDictionaryValue().compactMap { field -> Relation? in
        guard let field = field as? any RelationField, let key = field.key else { return nil }
        return Relation(
          path: transformers.key(key).split(separator: ".").map(String.init), relatedClass: field.relatedClass,
          isForeignKey: field.isForeignKey)
      }
    }
    relations[ObjectIdentifier(modelClass)] = found
    return found
  }
}
