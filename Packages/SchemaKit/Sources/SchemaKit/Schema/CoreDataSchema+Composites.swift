extension CoreDataSchema.Attribute {
  /// The name of the composite that a composite attribute is; nil for others, and if the file does not say.
  public var compositeName: String? { type == .composite ? otherSettings["compositeName"] : nil }
}

extension CoreDataSchema {
  /// The composite with a name.
  ///
  /// - Complexity: O(1).
  public func composite(_ name: String) -> Composite? {
    storage.composites[name].map { storage.content.composites[$0] }
  }

  /// The attributes that a composite attribute stands for: each is named as `address.street`, and has its place in JSON
  /// inside that of the composite attribute. What may be missing as a whole may be missing in each part.
  ///
  /// - Returns: nothing for other attributes, for composites that are not there, and for those that stand for more than
  ///   1,000 attributes, which a few lines can say. Parts that are composites themselves are taken apart as well; one that
  ///   would be inside itself is left as it is.
  public func parts(of attribute: Attribute) -> [Attribute] {
    var budget = Self.maximumPartCount
    return parts(of: attribute, inside: [], &budget) ?? []
  }

  private static let maximumPartCount = 1_000
  private static let maximumCompositeDepth = 16

  /// Nil if there are too many, or too many inside each other.
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

  /// Whether a composite stands for more attributes than are taken apart.
  func isTooLarge(_ composite: Composite) -> Bool {
    var budget = Self.maximumPartCount
    let attribute = Attribute(name: "a", type: .composite, otherSettings: ["compositeName": composite.name])
    return parts(of: attribute, inside: [], &budget) == nil
  }

  /// Whether a composite has itself as a part, directly or not, as far as parts are taken apart.
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
