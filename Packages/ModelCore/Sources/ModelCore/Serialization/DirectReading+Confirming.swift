@_spi(ModelKitInternals) import FieldKit

// What a document says of a live model is mostly what the model has. So where that was so for the object before, the next
// one is compared with its model as it is read, and nothing is made of its bytes.
extension DirectReading {
  /// Reads an object if it says of a live model what that has already. Otherwise stays in front of it.
  ///
  /// - Returns: the model; nil if the object is to be read in another way.
  func readUnchanged(_ scanner: inout JSONScanner, _ reader: DirectClassReader) throws -> ModelObject? {
    guard reader.expectsUnchanged, let plan = reader.plan else { return nil }
    guard let model = try knownModel(ahead: scanner, reader, plan), hasFields(model, of: reader) else {
      reader.expectsUnchanged = false
      return nil
    }
    let context = self.reader.context
    let layout = reader.layout
    let identifierIndex = layout.identifierIndex ?? -1
    var next = scanner
    var confirmation = DirectConfirmation(
      model: model, reader: reader, offset: scanner.offset, depth: Int32(truncatingIfNeeded: scanner.openContainers))
    var hasUnknown = false
    var last = -1
    try next.beginObject()
    while let index = try reader.nextField(&next, after: last, plan) {
      guard index >= 0 else {
        if context.keepsUnknownKeys { throw NeedsTree() }
        hasUnknown = true
        try next.skipValue()
        continue
      }
      last = index
      guard let field = layout.reference(at: index, of: model),
        try field._withUnsafeGuaranteedRef({ try $0.hasNextValue(of: &next, as: reader.kinds[index], in: context) })
      else {
        reader.expectsUnchanged = false
        return nil
      }
      confirmation.fields |= 1 &<< UInt64(index)
    }
    confirmation.isReference =
      !hasUnknown && confirmation.fields == 1 &<< UInt64(identifierIndex) && plan.members.count > 1
    self.reader.operations.append(.confirm(confirmation))
    scanner = next
    return model
  }

  /// The live model of the object that comes next, if nothing of this document waits to be applied to it.
  private func knownModel(
    ahead scanner: JSONScanner, _ reader: DirectClassReader, _ plan: DirectPlan
  ) throws -> ModelObject? {
    guard let scope = self.reader.scope, let identifierIndex = reader.layout.identifierIndex else { return nil }
    var scanner = scanner
    guard try scanner.peek() == .object else { return nil }
    try scanner.beginObject()
    var last = -1
    while let index = try reader.nextField(&scanner, after: last, plan) {
      guard index == identifierIndex else {
        if index >= 0 { last = index }
        try scanner.skipValue()
        continue
      }
      let key: IdentityKey
      let identifier: String
      switch (reader.kinds[index], try scanner.peek()) {
      case (.int, .number):
        guard case .int(let number) = try scanner.readNumber() else { return nil }
        key = IdentityKey(rootClass: reader.layout.rootClass, identifier: number)
        identifier = String(number)
      case (.string, .string):
        identifier = try scanner.readString()
        key = IdentityKey(rootClass: reader.layout.rootClass, identifier: identifier)
      default: return nil
      }
      if !self.reader.made.isEmpty, self.reader.made[key] != nil { return nil }
      return scope.map.canonicalModel(of: reader.typeKey, identifier: identifier)
    }
    return nil
  }

  private func hasFields(_ model: ModelObject, of reader: DirectClassReader) -> Bool {
    type(of: model) == reader.modelClass && !model.hasDynamicFields
  }
}
