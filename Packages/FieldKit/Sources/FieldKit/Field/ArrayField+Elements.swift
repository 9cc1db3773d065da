extension ArrayField where Element: Equatable {
  /// Returns whether the list contains an equal element.
  ///
  /// - Complexity: O(*n*).
  public func contains(_ element: Element) -> Bool { storedElements?.contains(element) ?? false }

  /// Removes the first equal element.
  ///
  /// - Returns: `false` if there is none.
  @discardableResult
  public func removeFirst(_ element: Element) -> Bool {
    guard let index = storage?.firstIndex(of: element) else { return false }
    remove(at: index)
    return true
  }
}

extension ArrayField where Element: AnyObject {
  /// Returns whether the list contains an object.
  ///
  /// - Complexity: O(*n*).
  @_disfavoredOverload
  public func contains(_ element: Element) -> Bool { storedElements?.contains { $0 === element } ?? false }

  /// Removes the first occurrence of an element.
  ///
  /// - Returns: `false` if the list does not contain it.
  @_disfavoredOverload
  @discardableResult
  public func removeFirst(_ element: Element) -> Bool {
    guard let index = storage?.firstIndex(where: { $0 === element }) else { return false }
    remove(at: index)
    return true
  }
}
