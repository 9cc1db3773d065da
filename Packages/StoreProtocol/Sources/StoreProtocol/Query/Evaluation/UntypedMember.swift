internal import Foundation
@_spi(ModelKitInternals) import ModelCore

/// A member of a value that converts itself from and to JSON, so that its type is not known. It compares as its JSON:
/// nothing, Booleans, numbers and text, in this order. Other JSON is only equal or not.
struct UntypedMember: JSONConvertible, Hashable, Comparable {
  let json: JSONValue

  init(json: JSONValue) { self.json = json }

  private var rank: Int {
    switch json {
    case .null: 0
    case .bool: 1
    case .int, .double, .number: 2
    case .string: 3
    case .array: 4
    case .object: 5
    }
  }

  static func < (left: UntypedMember, right: UntypedMember) -> Bool {
    if left.rank != right.rank { return left.rank < right.rank }
    switch (left.json, right.json) {
    case (.bool(let first), .bool(let second)): return !first && second
    case (.string(let first), .string(let second)): return ScalarOrder.order(first, second) < 0
    default:
      guard let first = number(left.json), let second = number(right.json) else { return false }
      return first < second
    }
  }

  private static func number(_ json: JSONValue) -> Decimal? { try? Decimal(json: json) }

  /// Returns a field that reads values of the kind with which a condition compares: JSON of another kind is nil.
  static func field(for comparison: QueryComparison) -> AnyField {
    guard case .value(let operand) = comparison.operand else { return Field<UntypedMember>() }
    let sample = operand.arrayValue.map { list in list.first { !$0.isNull } ?? .null } ?? operand
    // Nothing is nil only where there is no member.
    if sample.isNull { return Field<UntypedMember>() }
    if case .string = sample {
      return Field<String>().transform(importValue: \.stringValue, exportValue: { .string($0) })
    }
    let rank = UntypedMember(json: sample).rank
    return Field<UntypedMember>().transform(
      importValue: { json in
        let member = UntypedMember(json: json)
        return member.rank == rank ? member : nil
      }, exportValue: \.json)
  }
}

extension AnyField {
  /// Whether the field stands for a member of any type inside a value.
  var isUntypedMember: Bool { valueType == UntypedMember.self }
}
