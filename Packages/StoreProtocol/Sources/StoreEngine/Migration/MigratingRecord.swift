@_spi(ModelKitInternals) public import StoreProtocol

/// A stored record during its migration to the next version. Keys are the keys in JSON; dots separate the keys of
/// nested objects.
public struct MigratingRecord {
  /// The type name of the model.
  public let typeName: String
  /// The identifier of the model. A migration does not change it.
  public let identifier: String
  /// The record.
  public var value: AttributeDictionary
  /// Whether a step removed the model.
  @_spi(ModelKitInternals) public private(set) var isRemoved = false

  /// Creates a record that no step has changed yet.
  @_spi(ModelKitInternals)
  public init(typeName: String, identifier: String, value: AttributeDictionary) {
    self.typeName = typeName
    self.identifier = identifier
    self.value = value
  }

  /// The value of a key; nil if the key is missing. Setting nil removes the key. Setting the value of a nested key
  /// replaces a value around it that is not an object.
  public subscript(key: String) -> JSONValue? {
    get { try? value.value(atNestedKey: key) }
    set {
      if let newValue {
        StoredValue(path: path(key), value: newValue).write(to: &value)
      } else {
        drop(key)
      }
    }
  }

  /// Renames a key. Does nothing if the key is missing.
  ///
  /// - Throws: `ModelStoreError` with the code `conflict` if the new key exists, or another error if a value on its
  ///   path is not an object.
  public mutating func rename(_ key: String, to newKey: String) throws {
    guard let old = self[key] else { return }
    if self[newKey] != nil {
      throw ModelStoreError(.conflict, "\"\(key)\" can't be renamed to \"\(newKey)\", which already exists")
    }
    drop(key)
    try value.set(old, atNestedKey: newKey)
  }

  /// Replaces the value of a key, which may be `null`. Does nothing if the key is missing.
  public mutating func convert(_ key: String, _ body: (JSONValue) throws -> JSONValue) throws {
    guard let old = self[key] else { return }
    self[key] = try body(old)
  }

  /// Replaces a value by several values with other keys. Does nothing if the key is missing. Throws if a new key is
  /// nested in a value that is not an object.
  public mutating func split(_ key: String, _ body: (JSONValue) throws -> AttributeDictionary) throws {
    guard let old = self[key] else { return }
    let parts = try body(old)
    drop(key)
    for (key, part) in parts.sorted(by: { $0.key < $1.key }) { try value.set(part, atNestedKey: key) }
  }

  /// Removes a key with its value, if it exists.
  public mutating func drop(_ key: String) {
    if value.removeValue(forKey: key) != nil { return }
    Self.drop(path(key)[...], from: &value)
  }

  /// Sets the value of a key if the key is missing. Does nothing if it is nested in a value that is not an object.
  public mutating func setDefault(_ json: JSONValue, for key: String) {
    if (try? value.value(atNestedKey: key) == nil) == true { self[key] = json }
  }

  /// Removes the model from the store.
  public mutating func remove() { isRemoved = true }

  private func path(_ key: String) -> [String] {
    value[key] != nil ? [key] : key.split(separator: ".").map(String.init)
  }

  private static func drop(_ path: ArraySlice<String>, from members: inout AttributeDictionary) {
    guard let key = path.first else { return }
    if path.count == 1 {
      members[key] = nil
    } else if case .object(var inner)? = members[key] {
      drop(path.dropFirst(), from: &inner)
      members[key] = .object(inner)
    }
  }
}
