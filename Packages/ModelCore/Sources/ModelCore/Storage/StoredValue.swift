@_spi(ModelKitInternals) public import FieldKit

/// A value of a model to be written into a store.
@_spi(ModelKitInternals)
public struct StoredValue: Sendable {
  /// The keys of the path; more than one for a field whose key has dots.
  public let path: [String]
  /// The value; `null` for a field that is nil.
  public let value: JSONValue

  /// Creates a value for a record.
  public init(path: [String], value: JSONValue) {
    self.path = path
    self.value = value
  }

  /// Returns the value with every occurrence of a placeholder replaced.
  public func replacing(_ mark: JSONValue, by other: JSONValue) -> StoredValue {
    StoredValue(path: path, value: value.replacing(mark, by: other))
  }

  /// Writes the value into a record. Existing objects on the path keep their other members.
  public func write(to record: inout AttributeDictionary) {
    if path.count > 1 {
      // A member whose key contains the dots literally takes precedence when the record is read.
      let key = path.joined(separator: ".")
      if record[key] != nil {
        record[key] = value
        return
      }
    }
    Self.write(value, at: path[...], to: &record)
  }

  private static func write(_ value: JSONValue, at path: ArraySlice<String>, to record: inout AttributeDictionary) {
    guard let key = path.first else { return }
    guard path.count > 1 else {
      record[key] = value
      return
    }
    var inner: AttributeDictionary = [:]
    // Removed first, so that the members are not copied.
    switch record.removeValue(forKey: key) {
    case .object(let existing)?: inner = existing
    case .null? where value.isNull:
      // An object with a member would be read as a related model.
      record[key] = .null
      return
    default: break
    }
    write(value, at: path.dropFirst(), to: &inner)
    record[key] = .object(inner)
  }

  fileprivate static func value(at path: [String], in record: AttributeDictionary) -> JSONValue? {
    path.dropFirst().reduce(record[path[0]]) { $0?[$1] }
  }
}

@_spi(ModelKitInternals)
extension Array where Element == StoredValue {
  /// Writes values of one model into an older record.
  ///
  /// - Parameter paths: the paths of fields that may be inside the object of another field. If only the object is
  ///   written, they keep their values, unless it has members with their keys.
  public func write(to record: inout AttributeDictionary, keeping paths: [[String]]) {
    let kept: [StoredValue] = paths.compactMap { path in
      guard contains(where: { $0.path.count < path.count && path.starts(with: $0.path) }),
        !contains(where: { $0.path == path })
      else { return nil }
      return StoredValue.value(at: path, in: record).map { StoredValue(path: path, value: $0) }
    }
    for value in self { value.write(to: &record) }
    for value in kept where StoredValue.value(at: value.path, in: record) == nil { value.write(to: &record) }
  }
}

extension JSONValue {
  fileprivate func replacing(_ mark: JSONValue, by other: JSONValue) -> JSONValue {
    switch self {
    case .array(let elements): .array(elements.map { $0.replacing(mark, by: other) })
    case .object(let members): .object(members.mapValues { $0.replacing(mark, by: other) })
    default: self == mark ? other : self
    }
  }
}
