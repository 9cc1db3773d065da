import Synchronization

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

    var count: Int { entries.count }

    func model(_ identifier: String) -> ModelObject? { entries[identifier]?.model }

    /// Makes a model the object for an identifier, unless another live one is.
    ///
    /// - Returns: the object.
    func claim(_ model: ModelObject, _ identifier: String) -> ModelObject { claim(model, &entries[identifier]) }

    private func claim(_ model: ModelObject, _ entry: inout Entry?) -> ModelObject {
      if let known = entry?.model { return known }
      entry = Entry(model)
      return model
    }

    func insert(_ model: ModelObject, _ identifier: String) { entries[identifier] = Entry(model) }

    func reserveCapacity(_ additional: Int) { entries.reserveCapacity(entries.count + additional) }

    var sweepThreshold = 64

    /// Forgets the identifiers of models that are gone.
    ///
    /// - Returns: how many there were.
    func sweep() -> Int {
      let count = entries.count
      entries = entries.filter { $0.value.model != nil }
      sweepThreshold = max(64, 2 * entries.count)
      return count - entries.count
    }

    var isEmpty: Bool { entries.isEmpty }

    func remove(_ identifier: String) { entries[identifier] = nil }
  }

  private var tables: [ModelTypeKey: Table] = [:]
  // Most lookups are of the type that was looked up before.
  private var lastType: ModelTypeKey?
  private var lastTable: Table?

  /// How many registered models are gone, if scopes say so: then the table need not be gone through to find out.
  private let deaths = Atomic<Int>(0)
  var isToldOfDeaths = false

  /// Creates a registry without models.
  public init() {}

  /// Says that a registered model is gone. May be called in any thread.
  func noteDeath() { deaths.add(1, ordering: .relaxed) }

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
    tableWithRoom(for: type).insert(model, identifier)
  }

  /// Makes a model the object for an identifier, unless another live one is.
  ///
  /// - Returns: the object.
  func claim(_ model: ModelObject, as type: ModelTypeKey, identifier: String) -> ModelObject {
    tableWithRoom(for: type).claim(model, identifier)
  }

  /// Makes room for models that are about to be registered.
  func reserveCapacity(_ count: Int, for type: ModelTypeKey) {
    (table(of: type) ?? makeTable(for: type)).reserveCapacity(count)
  }

  private func tableWithRoom(for type: ModelTypeKey) -> Table {
    let table = table(of: type) ?? makeTable(for: type)
    guard table.count >= table.sweepThreshold else { return table }
    if isToldOfDeaths, deaths.load(ordering: .relaxed) < table.count / 4 {
      table.sweepThreshold = 2 * table.count
    } else {
      deaths.subtract(min(table.sweep(), deaths.load(ordering: .relaxed)), ordering: .relaxed)
    }
    return table
  }

  /// Says that no model has the identifier any more.
  public func forget(_ type: ModelTypeKey, identifier: String) { table(of: type)?.remove(identifier) }

  /// Whether nothing was registered for a type, or all that was is forgotten.
  func hasNone(of type: ModelTypeKey) -> Bool { table(of: type)?.isEmpty ?? true }

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
