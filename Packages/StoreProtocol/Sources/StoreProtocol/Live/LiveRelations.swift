@_spi(ModelKitInternals) import ModelCore

/// A record of another type at which a query looks.
struct RelatedKey: Hashable, Sendable {
  let typeName: String
  let identifier: ExactText

  init(_ typeName: String, _ identifier: String) {
    self.typeName = typeName
    self.identifier = ExactText(identifier)
  }
}

/// Which records looked at which related ones, so that a change of one finds those that it concerns.
struct LiveRelations {
  /// Related records that were looked at; nil for those that are not there.
  private(set) var records: [RelatedKey: AttributeDictionary?] = [:]
  private var dependents: [RelatedKey: Set<ExactText>] = [:]
  private var dependencies: [ExactText: [RelatedKey]] = [:]

  /// Who looked at a related record.
  func dependents(on key: RelatedKey) -> Set<ExactText> { dependents[key] ?? [] }

  mutating func set(_ record: AttributeDictionary?, at key: RelatedKey) { records[key] = .some(record) }

  /// Says at which records one looks, in place of those at which it looked before.
  mutating func setDependencies(of identifier: String, _ keys: [RelatedKey]) {
    let identifier = ExactText(identifier)
    if let old = dependencies[identifier] {
      if old == keys { return }
      for key in old where !keys.contains(key) {
        dependents[key]?.remove(identifier)
        if dependents[key]?.isEmpty == true {
          dependents[key] = nil
          records[key] = nil
        }
      }
    }
    dependencies[identifier] = keys.isEmpty ? nil : keys
    for key in keys { dependents[key, default: []].insert(identifier) }
  }

  mutating func removeAll() { self = LiveRelations() }
}
