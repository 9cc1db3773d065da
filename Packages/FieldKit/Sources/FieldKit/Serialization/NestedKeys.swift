/// Keys with dots, which address nested objects: `author.full_name`.
@_spi(ModelKitInternals)
extension AttributeDictionary {
  /// Returns the value at a key. A member whose key contains the dots literally takes precedence.
  ///
  /// - Returns: nil if there is no such key, or if an object on its path is `null`.
  /// - Throws: ``ValueTransformError`` with the path of a value that is not an object.
  public func value(atNestedKey key: String) throws -> JSONValue? {
    if let value = self[key] { return value }
    guard key.utf8.contains(UInt8(ascii: ".")) else { return nil }
    var value = JSONValue.object(self)
    var path = ""
    for part in key.split(separator: ".") {
      switch value {
      case .object(let members):
        guard let member = members[String(part)] else { return nil }
        value = member
        path += path.isEmpty ? "\(part)" : ".\(part)"
      case .null: return nil
      default: throw ValueTransformError(expected: "an object", found: value.shortDescription, path: path)
      }
    }
    return value
  }

  /// Sets the value at a key. Missing objects on the path are created; existing ones keep their other members.
  ///
  /// - Parameters:
  ///   - json: the value.
  ///   - key: the key; its dots address nested objects.
  ///   - merging: whether an object at the key keeps its members, and those of `json` are added. Fields whose keys
  ///     share an object need this.
  /// - Throws: ``ValueTransformError`` with the path of a value that is not an object, or that can't be merged with
  ///   one. Nothing is changed then.
  public mutating func set(_ json: JSONValue, atNestedKey key: String, merging: Bool = false) throws {
    guard self[key] == nil, key.utf8.contains(UInt8(ascii: ".")) else {
      return try setMember(json, key, merging: merging)
    }
    try set(json, at: key.split(separator: ".")[...], merging: merging)
  }

  private mutating func set(_ json: JSONValue, at parts: ArraySlice<Substring>, merging: Bool) throws {
    guard let key = parts.first.map(String.init) else { return }
    if parts.count == 1 { return try setMember(json, key, merging: merging) }
    var members: AttributeDictionary = [:]
    switch self[key] {
    case .object(let existing)?: members = existing
    case .null?, nil: break
    case let other?: throw ValueTransformError(expected: "an object", found: other.shortDescription, path: key)
    }
    do {
      try members.set(json, at: parts.dropFirst(), merging: merging)
    } catch let error as ValueTransformError {
      throw error.inMember(key)
    }
    self[key] = .object(members)
  }

  private mutating func setMember(_ json: JSONValue, _ key: String, merging: Bool) throws {
    guard merging, case .object(let existing)? = self[key] else {
      self[key] = json
      return
    }
    switch json {
    case .object(let new): self[key] = .object(existing.merging(new) { existing, _ in existing })
    case .null: break
    default: throw ValueTransformError(expected: "an object", found: json.shortDescription, path: key)
    }
  }
}
