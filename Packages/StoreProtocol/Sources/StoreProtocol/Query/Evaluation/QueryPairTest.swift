@_spi(ModelKitInternals) import ModelCore

/// A comparison of two fields of the same type.
struct QueryPairTest {
  private let compare: (JSONValue, JSONValue) throws -> Bool

  func matches(_ left: JSONValue, _ right: JSONValue) throws -> Bool { try compare(left, right) }

  init(
    _ left: AnyField, _ leftContext: ValueTransformerContext, _ right: AnyField, _ comparison: QueryComparison,
    with other: QueryTerm
  ) throws {
    let operation = comparison.operator
    // Each side is folded as the other one.
    let forms = [comparison.term.form, other.form]
    let folding =
      forms.contains(.ignoringCaseAndAccents) ? TextFolding.caseAndAccents : forms.lazy.compactMap(\.folding).first
    func refused(_ reason: String) -> ModelStoreError {
      ModelStoreError(.invalid, "The condition \(comparison) can't be evaluated: \(reason).")
    }

    func equating<Value: Equatable>(_ type: Value.Type) throws -> (JSONValue, JSONValue) throws -> Bool {
      guard let left = left as? Field<Value>, let right = right as? Field<Value> else {
        throw refused("the fields have different types, \(left.valueType) and \(right.valueType)")
      }
      guard operation == .equal || operation == .notEqual else {
        throw refused("values of the type \(type) have no order")
      }
      return {
        let (first, second) = try (left.read($0, leftContext), right.read($1, leftContext))
        return (first == second) == (operation == .equal)
      }
    }

    func comparing<Value: Comparable>(_ type: Value.Type) throws -> (JSONValue, JSONValue) throws -> Bool {
      if type == String.self { return try comparingText() }
      if operation == .equal || operation == .notEqual { return try equating(type) }
      guard let left = left as? Field<Value>, let right = right as? Field<Value> else {
        throw refused("the fields have different types, \(left.valueType) and \(right.valueType)")
      }
      let compare: (Value, Value) -> Bool
      switch operation {
      case .less: compare = { $0 < $1 }
      case .lessOrEqual: compare = { $0 <= $1 }
      case .greater: compare = { $0 > $1 }
      case .greaterOrEqual: compare = { $0 >= $1 }
      default: throw refused("two fields can only be compared by ==, !=, <, <=, > and >=")
      }
      return {
        guard let first = try left.read($0, leftContext), let second = try right.read($1, leftContext) else {
          return false
        }
        return compare(first, second)
      }
    }

    func comparingText() throws -> (JSONValue, JSONValue) throws -> Bool {
      guard let left = left as? Field<String>, let right = right as? Field<String> else {
        throw refused("the fields have different types, \(left.valueType) and \(right.valueType)")
      }
      if [.isIn, .matches, .containsMatch, .matchesWords].contains(operation) {
        throw refused("it needs a value, not another field")
      }
      return {
        let (first, second) = try (left.read($0, leftContext), right.read($1, leftContext))
        guard let first, let second else {
          let areEqual = first == nil && second == nil
          return operation == .equal ? areEqual : operation == .notEqual ? !areEqual : false
        }
        let other = Array((folding?.folded(second) ?? second).utf8)
        return ScalarOrder.compare(folding?.folded(first) ?? first, operation, other)
      }
    }

    if let type = left.valueType as? any (Comparable & SendableMetatype).Type {
      compare = try comparing(type)
    } else if let type = left.valueType as? any (Equatable & SendableMetatype).Type {
      compare = try equating(type)
    } else {
      throw refused("values of the type \(left.valueType) can't be compared")
    }
  }
}

extension Field {
  fileprivate func read(_ json: JSONValue, _ context: ValueTransformerContext) throws -> Content? {
    json.isNull ? nil : try value(readFrom: json, in: context)
  }
}
