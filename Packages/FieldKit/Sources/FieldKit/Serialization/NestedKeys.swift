/// Keys whose dots lead into nested objects: `author.full_name`.
@_spi(ModelKitInternals)
extension AttributeDictionary {
  /// The value at a key. A key that is there with its dots, as it is, comes first.
  ///
  /// - Returns: nil if there is no such key, or `null` where it would lead through.
  /// - Throws: ``ValueTransformError`` with the place if the key leads through something else than an object.
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

  /// Sets the value at a key. Objects on the way are made where there are none, and keep what else they have.
  ///
  /// - Parameters:
  ///   - json: the value.
  ///   - key: the key; its dots lead into nested objects.
  ///   - merging: whether an object that is there already at the end of the way keeps the members it has, as an object
  ///     and single members of it do that were given keys in the same place.
  /// - Throws: ``ValueTransformError`` with the place if the key leads through something else than an object, or such a
  ///   thing is to be merged with one. Nothing is changed then.
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
