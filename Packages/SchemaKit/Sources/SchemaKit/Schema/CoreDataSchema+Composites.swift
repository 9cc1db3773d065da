extension CoreDataSchema.Attribute {
  /// The name of the composite that a composite attribute is; nil for others, and if the file does not say.
  public var compositeName: String? { type == .composite ? otherSettings["compositeName"] : nil }
}

extension CoreDataSchema {
  /// The composite with a name.
  ///
  /// - Complexity: O(*n*) in the number of composites.
  public func composite(_ name: String) -> Composite? { composites.first { $0.name == name } }

  /// The attributes that a composite attribute stands for: each is named as `address.street`, and has its place in JSON
  /// inside that of the composite attribute. What may be missing as a whole may be missing in each part.
  ///
  /// - Returns: nothing for other attributes, and for composites that are not there. Parts that are composites themselves
  ///   are taken apart as well; one that would be inside itself is left as it is.
  public func parts(of attribute: Attribute) -> [Attribute] { parts(of: attribute, inside: []) }

  private func parts(of attribute: Attribute, inside outer: Set<String>) -> [Attribute] {
    guard let name = attribute.compositeName, !outer.contains(name), let composite = composite(name) else { return [] }
    return composite.attributes.flatMap { part -> [Attribute] in
      var part = part
      part.userInfo["jsonKeyPath"] = "\(attribute.keyPath).\(part.keyPath)"
      part.name = "\(attribute.name).\(part.name)"
      part.isOptional = part.isOptional || attribute.isOptional
      let inner = parts(of: part, inside: outer.union([name]))
      return inner.isEmpty ? [part] : inner
    }
  }

  /// Whether a composite has itself as a part, directly or not.
  func isInsideItself(_ composite: Composite) -> Bool {
    var seen: Set<String> = []
    var pending = composite.attributes.compactMap(\.compositeName)
    while let name = pending.popLast() {
      if name == composite.name { return true }
      if seen.insert(name).inserted { pending += self.composite(name)?.attributes.compactMap(\.compositeName) ?? [] }
    }
    return false
  }
}
