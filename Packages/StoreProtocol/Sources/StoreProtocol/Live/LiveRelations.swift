@_spi(ModelKitInternals) import ModelCore

/// A record of another type that a query reads.
struct RelatedKey: Hashable, Sendable {
  let typeName: String
  let identifier: ExactText

  init(_ typeName: String, _ identifier: String) {
    self.typeName = typeName
    self.identifier = ExactText(identifier)
  }
}

/// The related records on which each match of a query depends.
struct LiveRelations {
  /// The related records that were read; nil for missing ones.
  private(set) var records: [RelatedKey: AttributeDictionary?] = [:]
  private var dependents: [RelatedKey: Set<ExactText>] = [:]
  private var dependencies: [ExactText: [RelatedKey]] = [:]

  /// Returns the records that read a related record.
  func dependents(on key: RelatedKey) -> Set<ExactText> { dependents[key] ?? [] }

  mutating func set(_ record: AttributeDictionary?, at key: RelatedKey) { records[key] = .some(record) }

  /// Removes a related record whose values are unknown, so that it is read again.
  mutating func remove(_ key: RelatedKey) { records[key] = nil }

  /// Replaces the related records that a record reads.
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
