extension JSONValue {
  /// The member of an object, or nil if there is none or the value is not an object.
  ///
  /// Setting nil removes the member; `.null` sets the value `null`. Setting a member of ``null`` makes it an object;
  /// any other value that is not an object is unchanged.
  ///
  /// - Complexity: O(1) on average; changing in place, as in `value["a"]?["b"] = 1`, copies nothing.
  public subscript(key: String) -> JSONValue? {
    get {
      guard case .object(let members) = self else { return nil }
      return members[key]
    }
    _modify {
      if var members = takeMembers() {
        defer { self = .object(members) }
        yield &members[key]
      } else {
        var value: JSONValue?
        defer { if let value, isNull { self = .object([key: value]) } }
        yield &value
      }
    }
  }

  /// The element of an array, or nil if there is none or the value is not an array.
  ///
  /// Setting nil removes the element. Setting the element after the last appends it. A larger index has no effect, and
  /// neither has any index of a value that is not an array.
  ///
  /// - Complexity: O(1); removing is O(*n*), where *n* is the number of elements.
  public subscript(index: Int) -> JSONValue? {
    get {
      guard case .array(let elements) = self, elements.indices.contains(index) else { return nil }
      return elements[index]
    }
    _modify {
      var value: JSONValue?
      if var elements = takeElements() {
        let isElement = elements.indices.contains(index)
        if isElement { value = exchange(&elements[index], with: JSONValue.null) }
        defer {
          if isElement {
            if let value { elements[index] = value } else { elements.remove(at: index) }
          } else if let value, index == elements.count {
            elements.append(value)
          }
          self = .array(elements)
        }
        yield &value
      } else {
        yield &value
      }
    }
  }

  /// Moves the members out and leaves ``null``, so that they have a single reference while they are changed.
  private mutating func takeMembers() -> [String: JSONValue]? {
    guard case .object(let members) = self else { return nil }
    self = .null
    return members
  }

  /// Moves the elements out and leaves ``null``, so that they have a single reference while they are changed.
  private mutating func takeElements() -> [JSONValue]? {
    guard case .array(let elements) = self else { return nil }
    self = .null
    return elements
  }

  /// The value at a dotted path such as `author.full_name` or `books[0].title`, or nil if there is none.
  ///
  /// Each component is a key, followed by any number of indices in brackets; the empty path is the value itself.
  /// Setting nil removes the value. Setting creates missing objects on the path. Nothing changes if a value on the path
  /// is neither an object nor an array, or an index is beyond the end of its array.
  ///
  /// - Complexity: O(*n*), where *n* is the length of the path.
  public subscript(path path: String) -> JSONValue? {
    get { value(at: JSONPath(path).components[...]) }
    set { set(newValue, at: JSONPath(path).components[...]) }
  }

  private func value(at path: ArraySlice<JSONPath.Component>) -> JSONValue? {
    var value = self
    for component in path {
      let next =
        switch component {
        case .key(let key): value[key]
        case .index(let index): value[index]
        }
      guard let next else { return nil }
      value = next
    }
    return value
  }

  fileprivate mutating func set(_ newValue: JSONValue?, at path: ArraySlice<JSONPath.Component>) {
    guard let first = path.first else {
      self = newValue ?? .null
      return
    }
    switch first {
    case .key(let key): Self.set(newValue, in: &self[key], at: path.dropFirst())
    case .index(let index): Self.set(newValue, in: &self[index], at: path.dropFirst())
    }
  }

  fileprivate static func set(
    _ newValue: JSONValue?, in place: inout JSONValue?, at path: ArraySlice<JSONPath.Component>
  ) {
    if path.isEmpty {
      place = newValue
    } else if place != nil {
      place?.set(newValue, at: path)
    } else if newValue != nil {
      var created = JSONValue.null
      created.set(newValue, at: path)
      // An index into a missing array creates nothing.
      if !created.isNull { place = created }
    }
  }
}

extension [String: JSONValue] {
  /// The value at a dotted path such as `author.full_name`, or nil if there is none.
  ///
  /// Reads and writes as ``JSONValue/subscript(path:)`` does; the empty path is not a member and never set.
  public subscript(path path: String) -> JSONValue? {
    get { JSONValue.object(self)[path: path] }
    set {
      let components = JSONPath(path).components
      guard case .key(let key)? = components.first else { return }
      JSONValue.set(newValue, in: &self[key], at: components.dropFirst())
    }
  }
}
