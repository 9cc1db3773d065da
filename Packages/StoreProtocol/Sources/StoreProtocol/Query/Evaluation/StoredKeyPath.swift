@_spi(ModelKitInternals) public import ModelCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Where in the records of a type the value of a field is, for those who keep indexes of it. Unlike a field it is
/// `Sendable`.
@_spi(ModelKitInternals)
public struct StoredKeyPath: Hashable, Sendable {
  /// The keys of the field, as they are declared.
  public let path: QueryPath
  /// The key as records spell it.
  public let key: String
  /// What a record says that does not have it.
  public let missing: JSONValue

  /// Finds a field.
  ///
  /// - Throws: ``ModelStoreError`` with the code `invalid` for a field whose values don't look the same in every record, so
  ///   that they could not be found by how they look.
  public init<M: Model>(_ type: M.Type, _ field: (M) -> FieldBase, in context: ValueTransformerContext) throws {
    let prototype = M.prototype()
    let found = field(prototype)
    let key = found.key ?? "?"
    let slot = try QueryLevel(M.self, context, isForRecords: true).slot(key)
    guard Self.isIndexable(found) else {
      throw ModelStoreError(
        .invalid,
        """
        There can't be an index of "\(key)": values of the type \(found.valueType) may be equal and yet be written in \
        different ways.
        """)
    }
    path = [key]
    self.key = slot.spelledKey
    missing = slot.missing
  }

  /// Whether two values are equal exactly if they are written in the same way.
  private static func isIndexable(_ field: FieldBase) -> Bool {
    if let relation = field as? any RelationField { return relation.isForeignKey && !relation.isToMany }
    let types: [Any.Type] = [
      Int.self, Int8.self, Int16.self, Int32.self, Int64.self, UInt.self, UInt8.self, UInt16.self, UInt32.self,
      UInt64.self, Double.self, String.self, Bool.self, UUID.self, Date.self,
    ]
    return types.contains { $0 == field.valueType } || field.valueType is any (RawRepresentable & CaseIterable).Type
  }

  /// The value in a record.
  public func value(in record: AttributeDictionary) -> JSONValue {
    (try? record.value(atNestedKey: key)) ?? missing
  }

  /// The value in the bytes of a record.
  public func value(in bytes: [UInt8]) -> JSONValue {
    if key.utf8.contains(UInt8(ascii: ".")) {
      guard case .object(let record)? = try? JSONValue(json: bytes) else { return missing }
      return value(in: record)
    }
    return bytes.withUnsafeBytes { bytes in
      do {
        var scanner = JSONScanner(bytes)
        try scanner.beginObject()
        while let found = try scanner.nextKey() {
          if found == key { return try scanner.readValue() }
          try scanner.skipValue()
        }
        return missing
      } catch {
        return missing
      }
    }
  }
}

extension QueryProgram {
  /// The values that an indexed field must have in all records for which the condition holds; nil if the condition does
  /// not say so. There may be records with these values for which it does not hold.
  @_spi(ModelKitInternals)
  public func values(of field: StoredKeyPath) -> [JSONValue]? {
    query.filter.flatMap { values(of: field, $0) }
  }

  private func values(of field: StoredKeyPath, _ condition: QueryExpression) -> [JSONValue]? {
    switch condition {
    case .comparison(let comparison): return values(of: field, comparison)
    case .and(let terms): return terms.lazy.compactMap { self.values(of: field, $0) }.first
    case .or(let terms):
      var all: [JSONValue] = []
      for term in terms {
        guard let some = values(of: field, term) else { return nil }
        all += some
      }
      return all
    default: return nil
    }
  }

  private func values(of field: StoredKeyPath, _ comparison: QueryComparison) -> [JSONValue]? {
    guard comparison.term.form == .value, case .value(let operand) = comparison.operand,
      let slot = slots.first(where: { $0.key == field.path.keys[0] })
    else { return nil }
    let operands: [JSONValue]
    switch (comparison.operator, operand) {
    case (.equal, _): operands = [operand]
    case (.isIn, .array(let list)): operands = list
    default: return nil
    }
    if comparison.term.path == field.path { return Self.stored(operands, slot.field, level.context) }
    // The identifier of a related model is what a foreign key is.
    guard let relation = slot.field as? any RelationField, comparison.term.path.keys.count == 2,
      comparison.term.path.keys[0] == slot.key
    else { return nil }
    let related = relation.relatedClass.init()
    guard let identifier = related.identifierField as? FieldBase, identifier.key == comparison.term.path.keys[1] else {
      return nil
    }
    return Self.stored(operands, identifier, level.context)
  }

  /// How records spell values; nil if that is not known.
  private static func stored(
    _ operands: [JSONValue], _ field: FieldBase, _ context: ValueTransformerContext
  ) -> [JSONValue]? {
    func open<Value>(_ type: Value.Type) -> [JSONValue]? {
      guard let field = field as? Field<Value> else { return operands.allSatisfy(\.isNull) ? operands : nil }
      var stored: [JSONValue] = []
      for operand in operands {
        if operand.isNull {
          stored.append(.null)
        } else if let value = try? ValueTransformerContext.standard.value(of: operand, as: Value.self),
          let json = try? field.json(ofValue: value, in: context)
        {
          stored.append(json)
        } else {
          return nil
        }
      }
      return stored
    }
    return _openExistential(field.valueType, do: open)
  }
}
