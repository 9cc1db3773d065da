extension CoreDataSchema.Attribute {
  /// The name of the attribute's composite; nil for other attributes, and if the file does not name one.
  public var compositeName: String? { type == .composite ? otherSettings["compositeName"] : nil }
}

extension CoreDataSchema {
  /// Returns the composite with a name.
  ///
  /// - Complexity: O(1).
  public func composite(_ name: String) -> Composite? {
    storage.composites[name].map { storage.content.composites[$0] }
  }

  /// Returns the attributes that a composite attribute stands for. Each is named like `address.street`, with a key path
  /// inside that of the composite attribute. If the composite attribute is optional, all its parts are.
  ///
  /// Nested composites are expanded as well; a composite that would contain itself is not expanded.
  ///
  /// - Returns: the parts; empty for other attributes, for missing composites, and for composites of more than 1,000
  ///   attributes.
  public func parts(of attribute: Attribute) -> [Attribute] {
    var budget = Self.maximumPartCount
    return parts(of: attribute, inside: [], &budget) ?? []
  }

  private static let maximumPartCount = 1_000
  private static let maximumCompositeDepth = 16

  /// Nil if there are too many parts, or they are nested too deeply.
  private func parts(of attribute: Attribute, inside outer: [String], _ budget: inout Int) -> [Attribute]? {
    guard let name = attribute.compositeName, !outer.contains(name), let composite = composite(name) else { return [] }
    if outer.count >= Self.maximumCompositeDepth { return nil }
    var found: [Attribute] = []
    for part in composite.attributes {
      budget -= 1
      if budget < 0 { return nil }
      var part = part
      part.userInfo["jsonKeyPath"] = "\(attribute.keyPath).\(part.keyPath)"
      part.name = "\(attribute.name).\(part.name)"
      part.isOptional = part.isOptional || attribute.isOptional
      guard let inner = parts(of: part, inside: outer + [name], &budget) else { return nil }
      found += inner.isEmpty ? [part] : inner
    }
    return found
  }

  /// Returns whether a composite has more attributes than the limit of expansion.
  func isTooLarge(_ composite: Composite) -> Bool {
    var budget = Self.maximumPartCount
    let attribute = Attribute(name: "a", type: .composite, otherSettings: ["compositeName": composite.name])
    return parts(of: attribute, inside: [], &budget) == nil
  }

  /// Returns whether a composite contains itself, directly or indirectly, within the limit of expansion.
  func isInsideItself(_ composite: Composite) -> Bool {
    var seen: Set<String> = []
    var pending = composite.attributes.compactMap(\.compositeName)
    while let name = pending.popLast(), seen.count <= Self.maximumPartCount {
      if name == composite.name { return true }
      if seen.insert(name).inserted { pending += self.composite(name)?.attributes.compactMap(\.compositeName) ?? [] }
    }
    return false
  }
}
