@_spi(ModelKitInternals) import FieldKit
@_spi(ModelKitInternals) import ModelCore
import StoreProtocol

/// The foreign keys in the records of models, including those of models that are embedded in them.
///
/// It belongs to the isolation of a store, and keeps the relations of each class.
final class RecordReferences {
  /// A relation of a class, as records spell it.
  private struct Relation {
    var path: [String]
    var relatedClass: ModelObject.Type
    var isForeignKey: Bool
    /// Whether it is a foreign key of a one-to-one relation.
    var isExclusive: Bool
  }

  /// The relations of a class, and the path of its identifier.
  private struct Shape {
    var relations: [Relation]
    var identifier: [String]?
    /// The topmost keys of the relations.
    var keys: Set<String>
  }

  private let transformers: ValueTransformerContext
  private var shapes: [ObjectIdentifier: Shape] = [:]

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

  /// Returns the members of a record that its references are in, and all members if its class depends on them.
  ///
  /// - Parameter bytes: the JSON of the record.
  /// - Returns: nil if the bytes are not those of a record.
  /// - Complexity: O(*n*) in the number of bytes, and O(1) for a class without relations.
  func members(in bytes: [UInt8], of modelClass: ModelObject.Type) -> AttributeDictionary? {
    if modelClass.hierarchyChoosesClasses { return (try? JSONValue(json: bytes))?.objectValue }
    let keys = shape(of: modelClass.storedClass(for: [:])).keys
    return keys.isEmpty ? [:] : try? JSONScanner.members(keys, of: bytes)
  }

  /// Returns whether a record lacks a one-to-one link that another version of it has.
  ///
  /// - Complexity: O(*n*) in the number of relations of the class.
  func lacksExclusiveLink(
    in record: AttributeDictionary, of modelClass: ModelObject.Type, comparedTo other: AttributeDictionary
  ) -> Bool {
    shape(of: modelClass.storedClass(for: other)).relations.contains { relation in
      guard relation.isExclusive else { return false }
      func hasLink(_ record: AttributeDictionary) -> Bool {
        Self.value(at: relation.path[...], in: .object(record)).map { !$0.isNull } ?? false
      }
      return hasLink(other) && !hasLink(record)
    }
  }

  /// Returns whether records of a class may have references.
  func hasRelations(_ modelClass: ModelObject.Type) -> Bool {
    modelClass.hierarchyChoosesClasses || !shape(of: modelClass.storedClass(for: [:])).relations.isEmpty
  }

  /// Returns whether models of a class have one-to-one links in their records.
  func hasExclusiveLinks(_ modelClass: ModelObject.Type) -> Bool {
    shape(of: modelClass).relations.contains(where: \.isExclusive)
  }

  /// Returns a record with other references.
  ///
  /// - Parameters:
  ///   - record: the record.
  ///   - modelClass: the class of its model, or one that it is derived from.
  ///   - includesEmbedded: whether the identifiers of embedded models count as references, too: one of them may be the
  ///     model itself.
  ///   - replacement: returns the value that replaces a reference; nil to keep it. A null removes it from a list.
  func replacing(
    in record: AttributeDictionary, of modelClass: ModelObject.Type, includingEmbedded includesEmbedded: Bool = false,
    _ replacement: (_ type: String, _ identifier: String) -> JSONValue?
  ) -> AttributeDictionary {
    var result = record
    for relation in shape(of: modelClass.storedClass(for: record)).relations {
      guard let value = Self.value(at: relation.path[...], in: .object(record)) else { continue }
      let replaced = replacing(in: value, relation, includesEmbedded, replacement)
      if replaced != value { StoredValue(path: relation.path, value: replaced).write(to: &result) }
    }
    return result
  }

  private func replacing(
    in value: JSONValue, _ relation: Relation, _ includesEmbedded: Bool,
    _ replacement: (String, String) -> JSONValue?
  ) -> JSONValue {
    switch value {
    case .null: return value
    case .array(let members):
      // A member that is null was not there before, or was replaced by nothing.
      return .array(
        members.map { replacing(in: $0, relation, includesEmbedded, replacement) }.filter { !$0.isNull })
    case .object(var record):
      if includesEmbedded, let path = shape(of: relation.relatedClass.storedClass(for: record)).identifier,
        let identifier = Self.value(at: path[...], in: value).flatMap(Self.identifier),
        let other = replacement(relation.relatedClass.typeName, identifier)
      {
        if other.isNull { return .null }
        StoredValue(path: path, value: other).write(to: &record)
      }
      return .object(
        replacing(in: record, of: relation.relatedClass, includingEmbedded: includesEmbedded, replacement))
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

  private func shape(of modelClass: ModelObject.Type) -> Shape {
    if let known = shapes[ObjectIdentifier(modelClass)] { return known }
    let prototype = modelClass.init()
    transformers.prepare(prototype)
    // A field has its key from its model.
    let found = withExtendedLifetime(prototype) {
      func path(_ key: String) -> [String] { transformers.key(key).split(separator: ".").map(String.init) }
      let relations = prototype.fieldsForDictionaryValue().compactMap { field -> Relation? in
        guard let field = field as? any RelationField, let key = field.key else { return nil }
        let isExclusive =
          field.isForeignKey && !field.isToMany && field.inverseField(on: field.relatedClass.init())?.isToMany == false
        return Relation(
          path: path(key), relatedClass: field.relatedClass, isForeignKey: field.isForeignKey, isExclusive: isExclusive)
      }
      return Shape(
        relations: relations, identifier: prototype.identifierField?.key.map(path),
        keys: Set(relations.compactMap(\.path.first)))
    }
    shapes[ObjectIdentifier(modelClass)] = found
    return found
  }
}

extension JSONScanner {
  /// Returns some members of an object, without creating the values of the others.
  fileprivate static func members(
    _ keys: Set<String>, of bytes: [UInt8]
  ) throws(JSONSyntaxError) -> AttributeDictionary {
    var members: AttributeDictionary = [:]
    let result = bytes.withUnsafeBytes { bytes in
      Result { () throws(JSONSyntaxError) -> Void in
        var scanner = try JSONScanner(document: bytes, options: JSONReadingOptions(), buildsTree: true)
        try scanner.beginObject()
        while let key = try scanner.nextKey()?.string {
          if keys.contains(key) { members[key] = try scanner.readValue() } else { try scanner.skipValue() }
        }
      }
    }
    try result.get()
    return members
  }
}
