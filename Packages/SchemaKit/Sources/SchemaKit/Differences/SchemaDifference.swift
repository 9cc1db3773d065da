/// A difference between two versions of a schema.
///
/// ```swift
/// for difference in new.differences(from: old) { print(difference) }
/// // Book.externalID is now called bookId.
/// // Book.rating: attributeType is "Integer 32", was "Integer 16".
/// // Pricing was added.
/// ```
public struct SchemaDifference: Hashable, Sendable, CustomStringConvertible {
  /// The kind of a difference.
  public enum Kind: Hashable, Sendable {
    /// The part is new.
    case added
    /// The part was removed.
    case removed
    /// The part was renamed, as its renaming identifier declares.
    case renamed(from: String)
    /// A setting was changed; nil stands for a setting that was or is absent.
    case changed(setting: String, from: String?, to: String?)
  }

  /// The kind of the difference.
  public let kind: Kind
  /// The name of the entity or composite: the old one if it was removed, otherwise the new one.
  public let entity: String
  /// The attribute or relationship; nil for a difference of the entity itself.
  public let property: String?

  /// The difference as a sentence.
  public var description: String {
    let subject = property.map { "\(entity).\($0)" } ?? entity
    switch kind {
    case .added: return "\(subject) was added."
    case .removed: return "\(subject) was removed."
    case .renamed(let old):
      return "\(property == nil ? old : "\(entity).\(old)") is now called \(property ?? entity)."
    case .changed(let setting, let old, let new):
      let now = new.map { "is \"\($0)\"" } ?? "is no longer set"
      return "\(subject): \(setting) \(now), \(old.map { "was \"\($0)\"" } ?? "was not set")."
    }
  }
}

extension CoreDataSchema {
  /// Returns the parts that were added, removed, renamed or changed since another version.
  ///
  /// Settings have the names of the model file; a key of the user info has the prefix `userInfo.`. The order of
  /// entities and properties and the settings of the file are ignored. Elements other than entities and composites,
  /// such as diagrams and fetch requests, are ignored, too.
  ///
  /// - Parameter old: the earlier version.
  /// - Returns: the differences of existing entities in their order, each followed by those of its properties, then the
  ///   removed entities. Those of composites follow in the same order.
  public func differences(from old: CoreDataSchema) -> [SchemaDifference] {
    let pairs = Self.pairs(entities, old.entities, \.name, \.renamingIdentifier)
    var differences: [SchemaDifference] = []
    for (new, old) in pairs.found {
      differences += Self.differences(new, old, entity: new.name, nil, \.name, \.allSettings)
      guard let old else { continue }
      differences += Self.propertyDifferences(
        new.attributes, old.attributes, new.name, \.name, \.renamingIdentifier, \.allSettings)
      differences += Self.propertyDifferences(
        new.relationships, old.relationships, new.name, \.name, \.renamingIdentifier, \.allSettings)
    }
    differences += pairs.removed.map { SchemaDifference(kind: .removed, entity: $0.name, property: nil) }
    let parts = Self.pairs(composites, old.composites, \.name) { _ in nil }
    for (new, old) in parts.found {
      differences += Self.differences(new, old, entity: new.name, nil, \.name, \.allSettings)
      guard let old else { continue }
      differences += Self.propertyDifferences(
        new.attributes, old.attributes, new.name, \.name, \.renamingIdentifier, \.allSettings)
    }
    return differences + parts.removed.map { SchemaDifference(kind: .removed, entity: $0.name, property: nil) }
  }

  private static func propertyDifferences<Property>(
    _ new: [Property], _ old: [Property], _ entity: String, _ name: (Property) -> String,
    _ identifier: (Property) -> String?, _ settings: (Property) -> [String: String]
  ) -> [SchemaDifference] {
    let pairs = pairs(new, old, name, identifier)
    return pairs.found.flatMap { differences($0.new, $0.old, entity: entity, name($0.new), name, settings) }
      + pairs.removed.map { SchemaDifference(kind: .removed, entity: entity, property: name($0)) }
  }

  /// Pairs each item with the one of the same name, or of its renaming identifier, in the old version.
  private static func pairs<Item>(
    _ new: [Item], _ old: [Item], _ name: (Item) -> String, _ identifier: (Item) -> String?
  ) -> (found: [(new: Item, old: Item?)], removed: [Item]) {
    var byName = Dictionary(old.map { (name($0), $0) }, uniquingKeysWith: { first, _ in first })
    let names = Set(new.map(name))
    var seen: Set<String> = []
    let formerNames = Dictionary(
      old.compactMap { item in identifier(item).map { ($0, name(item)) } }, uniquingKeysWith: { first, _ in first })
    // The first of several items with one name is used.
    let found = new.filter { seen.insert(name($0)).inserted }.map { item -> (new: Item, old: Item?) in
      if let same = byName.removeValue(forKey: name(item)) { return (item, same) }
      guard let said = identifier(item) else { return (item, nil) }
      for former in [said, formerNames[said]].compactMap({ $0 }) where !names.contains(former) {
        if let same = byName.removeValue(forKey: former) { return (item, same) }
      }
      return (item, nil)
    }
    return (found, old.filter { byName.removeValue(forKey: name($0)) != nil })
  }

  private static func differences<Item>(
    _ new: Item, _ old: Item?, entity: String, _ property: String?, _ name: (Item) -> String,
    _ settings: (Item) -> [String: String]
  ) -> [SchemaDifference] {
    func difference(_ kind: SchemaDifference.Kind) -> SchemaDifference {
      SchemaDifference(kind: kind, entity: entity, property: property)
    }
    guard let old else { return [difference(.added)] }
    var differences: [SchemaDifference] = []
    if name(new) != name(old) { differences.append(difference(.renamed(from: name(old)))) }
    let (newSettings, oldSettings) = (settings(new), settings(old))
    for key in Set(newSettings.keys).union(oldSettings.keys).sorted() where newSettings[key] != oldSettings[key] {
      // The renaming identifier is reported as the new name.
      if key == "elementID", name(new) != name(old) { continue }
      differences.append(difference(.changed(setting: key, from: oldSettings[key], to: newSettings[key])))
    }
    return differences
  }
}

private func settings(
  _ known: [(String, String?)], _ others: [String: String], _ userInfo: [String: String]
) -> [String: String] {
  var settings = others
  for (name, value) in known where name != "name" { settings[name] = value }
  for (key, value) in userInfo { settings["userInfo.\(key)"] = value }
  return settings
}

private func list(_ settings: [String: String]) -> String {
  settings.sorted { $0.key < $1.key }.map { " \($0.key)=\($0.value)" }.joined()
}

private func text(of elements: [CoreDataSchema.Element]) -> String? {
  if elements.isEmpty { return nil }
  return elements.map { element in
    var writer = XMLWriter()
    element.write(to: &writer)
    return writer.text.split(separator: "\n").dropFirst().joined(separator: "\n")
  }.joined(separator: "\n")
}

extension CoreDataSchema.Entity {
  fileprivate var allSettings: [String: String] {
    var all = settings(knownSettings, otherSettings, userInfo)
    if !uniquenessConstraints.isEmpty {
      all["uniquenessConstraints"] = uniquenessConstraints.map { $0.joined(separator: "+") }.joined(separator: ", ")
    }
    for index in indexes {
      let parts = index.parts.map { part in
        "\(part.property ?? part.expression ?? "?") \(part.kind) \(part.isAscending ? "ascending" : "descending")"
          + list(part.otherSettings)
      }
      let condition = index.partialPredicate.map { " where \($0)" } ?? ""
      let elements = text(of: index.otherElements).map { "\n\($0)" } ?? ""
      all["fetchIndex.\(index.name)"] =
        parts.joined(separator: ", ") + condition + list(index.otherSettings) + elements
    }
    all["fetchedProperties"] = text(of: fetchedProperties)
    all["otherElements"] = text(of: otherElements)
    return all
  }
}

extension CoreDataSchema.Attribute {
  fileprivate var allSettings: [String: String] {
    var all = settings(knownSettings, otherSettings, userInfo)
    all["otherElements"] = text(of: otherElements)
    return all
  }
}

extension CoreDataSchema.Relationship {
  fileprivate var allSettings: [String: String] {
    var all = settings(knownSettings, otherSettings, userInfo)
    all["otherElements"] = text(of: otherElements)
    return all
  }
}

extension CoreDataSchema.Composite {
  fileprivate var allSettings: [String: String] {
    var all = otherSettings
    all["otherElements"] = text(of: otherElements)
    return all
  }
}
