@_spi(ModelKitInternals) import StoreProtocol

/// Which records have which value in a field.
struct MemoryIndex: Sendable {
  let field: StoredKeyPath
  let isUnique: Bool
  private var single: [JSONValue: Int] = [:]
  /// The places of values that are there more than once.
  private var many: [JSONValue: Set<Int>] = [:]

  init(field: StoredKeyPath, isUnique: Bool) {
    self.field = field
    self.isUnique = isUnique
  }

  /// The places of a value, in no order.
  func places(of value: JSONValue) -> [Int] {
    if let place = single[value] { return [place] }
    return many[value].map(Array.init) ?? []
  }

  mutating func insert(_ value: JSONValue, _ place: Int) {
    if many[value]?.insert(place) != nil { return }
    guard let other = single.removeValue(forKey: value), other != place else {
      single[value] = place
      return
    }
    many[value] = [other, place]
  }

  mutating func remove(_ value: JSONValue, _ place: Int) {
    if single[value] == place {
      single[value] = nil
    } else if many[value]?.remove(place) != nil, many[value]?.isEmpty == true {
      many[value] = nil
    }
  }
}
