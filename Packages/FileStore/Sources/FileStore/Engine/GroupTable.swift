@_spi(ModelKitInternals) import StoreProtocol

/// A dictionary by group name, compared byte by byte: names that are equal in Swift can be different groups.
struct GroupTable<Value>: ExpressibleByDictionaryLiteral {
  private var table: [ExactText: Value]

  init(dictionaryLiteral elements: (String, Value)...) {
    table = Dictionary(elements.map { (ExactText($0), $1) }) { $1 }
  }

  subscript(_ group: String) -> Value? {
    get { table[ExactText(group)] }
    set { table[ExactText(group)] = newValue }
  }

  subscript(_ group: String, default fallback: @autoclosure () -> Value) -> Value {
    get { table[ExactText(group), default: fallback()] }
    _modify { yield &table[ExactText(group), default: fallback()] }
  }

  var isEmpty: Bool { table.isEmpty }

  /// The values, in no order.
  var values: some Collection<Value> { table.values }

  var elements: some Sequence<(group: String, value: Value)> { table.lazy.map { ($0.key.text, $0.value) } }

  mutating func removeValue(forKey group: String) -> Value? { table.removeValue(forKey: ExactText(group)) }
}

extension GroupTable: Sendable where Value: Sendable {}
