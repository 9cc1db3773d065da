/// Where a ``ModelScope`` looks up the one object for a type and an identifier.
///
/// ``MemoryRegistry`` holds models weakly. One that holds some of them strongly is a cache:
///
/// ```swift
/// final class LastHundred: ModelRegistry {
///   private let registry = MemoryRegistry()
///   private var recent: [ModelObject] = []
///   func canonicalModel(of type: ModelTypeKey, identifier: String) -> ModelObject? {
///     registry.canonicalModel(of: type, identifier: identifier)
///   }
///   func register(_ model: ModelObject, as type: ModelTypeKey, identifier: String) {
///     registry.register(model, as: type, identifier: identifier)
///     recent = (recent + [model]).suffix(100)
///   }
///   func forget(_ type: ModelTypeKey, identifier: String) { registry.forget(type, identifier: identifier) }
/// }
/// let scope = ModelScope(registry: LastHundred())
/// ```
///
/// A scope registers a model once under each identifier it has had, and never one without identifier. A model refers to
/// its scope, so a registry that retains models is freed once it forgets them.
///
/// - Note: Not `Sendable`: it lives in the isolation of its scope.
public protocol ModelRegistry: AnyObject {
  /// The live object for an identifier, if there is one.
  func canonicalModel(of type: ModelTypeKey, identifier: String) -> ModelObject?
  /// Makes a model the object for an identifier; the scope has made sure that no other live one is.
  func register(_ model: ModelObject, as type: ModelTypeKey, identifier: String)
  /// Says that no model has the identifier any more.
  func forget(_ type: ModelTypeKey, identifier: String)
}

/// A registry that holds models weakly, and so keeps nothing alive.
public final class MemoryRegistry: ModelRegistry {
  // An object, which a lookup passes on as it is: to copy a weak reference costs as much as a lookup.
  private final class Entry {
    weak var model: ModelObject?

    init(_ model: ModelObject) { self.model = model }
  }

  private final class Table {
    private var entries: [String: Entry] = [:]
    private var sweepThreshold = 64

    func model(_ identifier: String) -> ModelObject? { entries[identifier]?.model }

    func insert(_ model: ModelObject, _ identifier: String) {
      if entries.count >= sweepThreshold {
        entries = entries.filter { $0.value.model != nil }
        sweepThreshold = max(64, 2 * entries.count)
      }
      entries[identifier] = Entry(model)
    }

    func remove(_ identifier: String) { entries[identifier] = nil }
  }

  private var tables: [ModelTypeKey: Table] = [:]
  // Most lookups are of the type that was looked up before.
  private var lastType: ModelTypeKey?
  private var lastTable: Table?

  /// Creates a registry without models.
  public init() {}

  /// The live object for an identifier, if there is one.
  ///
  /// - Complexity: O(1) on average.
  public func canonicalModel(of type: ModelTypeKey, identifier: String) -> ModelObject? {
    table(of: type)?.model(identifier)
  }

  /// Makes a model the object for an identifier.
  ///
  /// - Complexity: O(1) on average, spread over many calls.
  public func register(_ model: ModelObject, as type: ModelTypeKey, identifier: String) {
    (table(of: type) ?? makeTable(for: type)).insert(model, identifier)
  }

  /// Says that no model has the identifier any more.
  public func forget(_ type: ModelTypeKey, identifier: String) { table(of: type)?.remove(identifier) }

  private func table(of type: ModelTypeKey) -> Table? {
    if let lastTable, lastType == type { return lastTable }
    guard let table = tables[type] else { return nil }
    lastType = type
    lastTable = table
    return table
  }

  private func makeTable(for type: ModelTypeKey) -> Table {
    let table = Table()
    tables[type] = table
    return table
  }
}
