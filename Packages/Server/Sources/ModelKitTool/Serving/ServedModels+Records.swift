import FieldKit
import ModelCore
import RESTService
import SchemaKit
@_spi(ModelKitInternals) import StoreEngine
import StoreProtocol

extension ServedModels {
  /// Describes the records of a store: a type has a field for each key of its records. A type whose records have no key
  /// with their identifiers is left out, with a message.
  ///
  /// - Parameters:
  ///   - handle: the engine of the store.
  ///   - path: the folder of the store, for errors.
  /// - Throws: ``ToolError`` if no record can be shown. The errors of the store.
  /// - Complexity: O(*n*) in the number of records, which are all read.
  init<Engine: RecordEngine>(recordsOf handle: Engine, at path: String) async throws {
    let kept = Set(RESTService.keptTypes.map { $0.typeName })
    var entities: [CoreDataSchema.Entity] = []
    for name in (try await handle.typeNames() ?? []).sorted()
    where !kept.contains(name) && !BookkeepingType.contains(name) {
      var shape = RecordShape()
      _ = try await handle.readRecords(of: name) { records in
        for record in records {
          guard case .object(let values)? = try? JSONValue(json: String(decoding: record.bytes, as: UTF8.self)) else {
            continue
          }
          shape.add(values, identifier: record.identifier)
        }
      }
      if shape.count == 0 { continue }
      guard let entity = shape.entity(named: name) else {
        printToStandardError("The records of \(name) are not shown: no member of them equals their identifier.")
        continue
      }
      entities.append(entity)
    }
    guard !entities.isEmpty else { throw ToolError("The store at '\(path)' has no records to show.") }
    let schema = CoreDataSchema(entities: entities)
    self.init(types: try entities.map { try schema.modelType(named: $0.name).modelClass })
  }
}

/// The keys of records of one type, with the kinds of their values.
private struct RecordShape {
  private(set) var count = 0
  private var kinds: [String: Set<CoreDataSchema.AttributeType>] = [:]
  /// The keys whose value was the identifier in all records so far.
  private var identifierKeys: Set<String> = []

  mutating func add(_ record: AttributeDictionary, identifier: String) {
    count += 1
    for (key, value) in record {
      if let kind = Self.kind(of: value) { kinds[key, default: []].insert(kind) } else { kinds[key] = kinds[key] ?? [] }
    }
    let keys = record.filter { $0.value == .string(identifier) || $0.value.intValue.map(String.init) == identifier }
      .keys
    identifierKeys = count == 1 ? Set(keys) : identifierKeys.intersection(keys)
  }

  /// - Returns: nil if no key has the identifiers.
  func entity(named name: String) -> CoreDataSchema.Entity? {
    guard let identifier = identifierKeys.contains("id") ? "id" : identifierKeys.min() else { return nil }
    let attributes = kinds.sorted { $0.key < $1.key }.map { key, kinds in
      CoreDataSchema.Attribute(name: key, type: Self.type(of: kinds))
    }
    return CoreDataSchema.Entity(name: name, attributes: attributes, uniquenessConstraints: [[identifier]])
  }

  /// Returns the type that has all values of a field.
  private static func type(of kinds: Set<CoreDataSchema.AttributeType>) -> CoreDataSchema.AttributeType {
    if kinds.count == 1, let kind = kinds.first { return kind }
    return kinds == [.integer64, .double] ? .double : .transformable
  }

  /// Returns the type of a value; nil for null.
  private static func kind(of value: JSONValue) -> CoreDataSchema.AttributeType? {
    switch value {
    case .null: nil
    case .bool: .boolean
    case .int: .integer64
    case .double: .double
    case .string: .string
    // A number with more digits than a double has stays as it is written.
    case .number, .array, .object: .transformable
    }
  }
}
