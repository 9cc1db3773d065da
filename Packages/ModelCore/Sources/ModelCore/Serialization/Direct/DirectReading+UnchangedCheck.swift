@_spi(ModelKitInternals) import FieldKit

// Most objects of a document equal their live models. If that was so for the last object, the next one is compared with
// its model while it is read, and no values are created.
extension DirectReading {
  /// Reads an object that equals its live model. Otherwise the scanner stays at the start of the object.
  ///
  /// - Returns: the model; nil if the object has to be read on another path.
  func readUnchanged(_ scanner: inout JSONScanner, _ reader: DirectClassReader) throws -> ModelObject? {
    guard reader.expectsUnchanged, let plan = reader.plan else { return nil }
    let (operationCount, confirmedCount) = (self.reader.operations.count, confirmedMembers.count)
    var next = scanner
    guard let model = try knownModel(ahead: scanner, reader, plan), try compare(&next, reader, model, level: 0) else {
      reader.expectsUnchanged = false
      self.reader.operations.removeSubrange(operationCount...)
      confirmedMembers.removeSubrange(confirmedCount...)
      return nil
    }
    scanner = next
    return model
  }

  /// Reads an object and returns whether a live model has all its values. If so, adds the confirmation to the
  /// operations.
  private func compare(
    _ scanner: inout JSONScanner, _ reader: DirectClassReader, _ model: ModelObject, level: Int
  ) throws -> Bool {
    guard level < Self.maximumLevel, let plan = reader.plan, type(of: model) == reader.modelClass,
      !model.hasDynamicFields
    else { return false }
    let context = self.reader.context
    let layout = reader.layout
    let identifierIndex = layout.identifierIndex ?? -1
    var confirmation = DirectConfirmation(
      model: model, reader: reader, offset: scanner.offset, depth: Int32(truncatingIfNeeded: scanner.openContainers))
    var hasUnknown = false
    var isQuiet = true
    var last = -1
    try scanner.beginObject()
    while let index = try reader.nextField(&scanner, after: last, plan) {
      guard index >= 0 else {
        if context.keepsUnknownKeys { return false }
        hasUnknown = true
        try scanner.skipValue()
        continue
      }
      last = index
      guard let field = layout.reference(at: index, of: model)?.takeUnretainedValue() else { return false }
      let kind = reader.kinds[index]
      if !field.ignoresEqualValues { isQuiet = false }
      if kind == .relation {
        // The last of equal keys counts, and objects nested in the others are read as well.
        guard confirmation.fields & 1 &<< UInt64(index) == 0,
          try compareLink(index, field, &scanner, reader, model, level)
        else { return false }
        confirmation.hasLinks = true
      } else if try !field.hasNextValue(of: &scanner, as: kind, in: context) {
        return false
      }
      confirmation.fields |= 1 &<< UInt64(index)
    }
    // Observers of equal values depend on the order of the sets: before or after those of nested objects.
    if !isQuiet, confirmation.hasLinks || level > 0 { return false }
    // Without its identifier, a nested object would be a new model.
    if level > 0, confirmation.fields & 1 &<< UInt64(identifierIndex) == 0 { return false }
    confirmation.isReference =
      !hasUnknown && confirmation.fields == 1 &<< UInt64(identifierIndex) && plan.members.count > 1
    self.reader.operations.append(.confirm(confirmation))
    return true
  }

  /// Reads the value of a relation and returns whether it references these models already, with equal values.
  private func compareLink(
    _ index: Int, _ field: AnyField, _ scanner: inout JSONScanner, _ reader: DirectClassReader, _ model: ModelObject,
    _ level: Int
  ) throws -> Bool {
    // A pending link may cut this one.
    guard links.isEmpty, field.canConfirmRelation(stamp: stamp) else { return false }
    let link = try reader.link(at: index, of: model, self)
    return try field.withRelatedObjects { related in
      switch try scanner.peek() {
      case .null:
        try scanner.readNull()
        return related == nil
      case .object where !link.referencesMany:
        guard let member = related?.first else { return false }
        return try compareMember(member, &scanner, link.reader, level)
      case .array where link.referencesMany:
        guard let related else { return false }
        var count = 0
        try scanner.beginArray()
        while try scanner.nextElement() {
          guard count < related.count, try scanner.peek() == .object,
            try compareMember(related[count], &scanner, link.reader, level)
          else { return false }
          count += 1
        }
        return count == related.count
      default: return false
      }
    }
  }

  private func compareMember(
    _ member: Unmanaged<AnyObject>, _ scanner: inout JSONScanner, _ reader: DirectClassReader, _ level: Int
  ) throws -> Bool {
    let member = unsafeDowncast(member.takeUnretainedValue(), to: ModelObject.self)
    // A registered model is the only one with its identifier.
    guard member.identityMap === self.reader.scope?.map, member.registeredIdentifier != nil, reader.plan != nil,
      reader.layout.identifierIndex != nil, !waitsForValues(member)
    else { return false }
    guard try compare(&scanner, reader, member, level: level + 1) else { return false }
    confirmedMembers.append(member)
    return true
  }

  private func waitsForValues(_ model: ModelObject) -> Bool {
    guard !reader.made.isEmpty, let identifier = model.registeredIdentifier else { return false }
    return reader.made[IdentityKey(rootClass: model.layout.rootClass, identifier)] != nil
  }

  /// Returns the live model of the next object, if no operation on it is pending.
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
      let identifier: RegisteredIdentifier
      switch (reader.kinds[index], try scanner.peek()) {
      case (.int, .number):
        guard case .int(let number) = try scanner.readNumber() else { return nil }
        identifier = .number(number)
      case (.string, .string): identifier = RegisteredIdentifier(try scanner.readString())
      default: return nil
      }
      if !self.reader.made.isEmpty,
        self.reader.made[IdentityKey(rootClass: reader.layout.rootClass, identifier)] != nil
      {
        return nil
      }
      return scope.map.canonicalModel(of: reader.typeKey, identifier)
    }
    return nil
  }
}
