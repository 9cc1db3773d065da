import Foundation
@_spi(ModelKitInternals) import StoreProtocol

/// Decimals as Django REST framework writes them by default: as strings, without losing digits.
enum DjangoDecimals {
  /// Returns a record with the strings of its decimal fields as numbers, even in related records.
  ///
  /// - Complexity: O(*n*) in the size of the record, if the class has such fields or relations.
  static func read(_ record: AttributeDictionary, of model: ModelObject) -> AttributeDictionary {
    changed(record, of: model) { value in
      guard case .string(let text) = value, let number = JSONNumber(text) else { return value }
      // Parsed like any number, so that it equals the same number from elsewhere.
      return (try? JSONValue(json: Array(number.text.utf8))) ?? value
    }
  }

  /// Returns a record with the numbers of its decimal fields as strings, even in related records.
  static func written(_ record: AttributeDictionary, of model: ModelObject) -> AttributeDictionary {
    changed(record, of: model) { value in
      switch value {
      case .int, .double, .number: .string(value.description)
      default: value
      }
    }
  }

  private static func changed(
    _ record: AttributeDictionary, of model: ModelObject, _ change: (JSONValue) -> JSONValue
  ) -> AttributeDictionary {
    var record = record
    for (key, value) in record {
      switch model.field(declaredAs: key) ?? model.field(declaredAs: KeyCase.lowerCamel.key(key)) {
      case let field as Field<Decimal>: if field.isPlain(in: .standard) { record[key] = change(value) }
      case let field as Field<[Decimal]>:
        guard field.isPlain(in: .standard), case .array(let elements) = value else { continue }
        record[key] = .array(elements.map(change))
      case let relation as any RelationField:
        func related(_ value: JSONValue) -> JSONValue {
          guard case .object(let members) = value else { return value }
          return .object(changed(members, of: relation.relatedClass.sample(for: members), change))
        }
        switch value {
        case .object: record[key] = related(value)
        case .array(let elements): record[key] = .array(elements.map(related))
        default: continue
        }
      default: continue
      }
    }
    return record
  }
}
