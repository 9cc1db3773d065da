@_spi(ModelKitInternals) import FieldKit

// Most lists that are read belong to a new model, and their members are new, too. No field is observed, and no link has
// to be replaced. Both sides are then set at once, without a `RelationChange`. The models are not retained one by one
// meanwhile, which is slow for models in a scope.
extension ModelArrayField {
  func keepLinks(to models: [ModelObject]) {
    guard let owner = ownerModel, owner.modelIdentifier == nil, models.contains(where: { !refers(to: $0) }) else {
      return
    }
    read(models.compactMap { $0 as? Related })
  }

  func read(_ models: [Related]?) {
    nextChange = .reading
    load(models, stamp: .next())
  }

  /// Sets the models that were read, if this field and the inverse fields are untouched.
  ///
  /// - Returns: `false` if a field is not untouched; nothing was changed then.
  func readUntouched(_ models: UnsafeBufferPointer<Unmanaged<AnyObject>>) -> Bool {
    guard isUntouched, !isUneven, declaredInverse == nil, table == nil, let owner = ownerModel,
      let place = placeOfUntouchedInverse(on: models, owner)
    else { return false }
    let stamp = ChangeStamp.next()
    var repeated: Set<Int> = []
    if place < 0 {
      if !areDistinct(models) { return false }
    } else {
      for (index, model) in models.enumerated() {
        let isSeen = model._withUnsafeGuaranteedRef { model in
          let model = unsafeDowncast(model, to: ModelObject.self)
          return model.layout.reference(at: place, of: model)?
            ._withUnsafeGuaranteedRef { $0.seeUntouched(owner, stamp: stamp) }
        }
        // A model already linked is a repeated member.
        if isSeen != true { repeated.insert(index) }
      }
    }
    let isChange = !models.isEmpty || storedValue == nil
    if isChange { storedValue = Self.list(of: models, without: repeated) }
    if !isForeignKey {
      for model in models {
        model._withUnsafeGuaranteedRef { unsafeDowncast($0, to: ModelObject.self).noteContainer(self) }
      }
    }
    markReadUntouched(isChange: isChange, stamp: stamp, isSource: true)
    return true
  }

  /// Returns the index of the inverse in each of the models, or -1 if there is none; nil if a model needs the general
  /// path.
  private func placeOfUntouchedInverse(
    on models: UnsafeBufferPointer<Unmanaged<AnyObject>>, _ owner: ModelObject
  ) -> Int? {
    var place = -1
    var isKnown = false
    for model in models {
      let isUntouched = model._withUnsafeGuaranteedRef { model in
        guard type(of: model) == Related.self, model !== owner else { return false }
        let model = unsafeDowncast(model, to: ModelObject.self)
        guard model.identityMap === owner.identityMap, !model.hasDynamicFields else { return false }
        if !isKnown {
          guard let known = knownInverseIndex(on: model, owner) else { return false }
          place = known
          isKnown = true
        }
        if place < 0 { return true }
        return model.layout.reference(at: place, of: model)?._withUnsafeGuaranteedRef { $0.canSeeUntouched } ?? false
      }
      if !isUntouched { return nil }
    }
    return place
  }

  private func areDistinct(_ models: UnsafeBufferPointer<Unmanaged<AnyObject>>) -> Bool {
    models.count < 2 || Set(models.map { $0.toOpaque() }).count == models.count
  }

  /// Returns a list of models of the related class, copied as a whole. Generic code would fetch the metadata of the
  /// class for each element.
  private static func list(
    of models: UnsafeBufferPointer<Unmanaged<AnyObject>>, without repeated: Set<Int>
  ) -> [Related] {
    // Initializing an array of no elements this way would write to the shared empty array, a data race.
    guard !models.isEmpty else { return [] }
    return [Related](unsafeUninitializedCapacity: models.count) { buffer, count in
      guard let start = UnsafeMutableRawPointer(buffer.baseAddress) else { return }
      // All references have the same representation, whatever their class.
      let references = start.assumingMemoryBound(to: Unmanaged<AnyObject>.self)
      for (index, model) in models.enumerated() where repeated.isEmpty || !repeated.contains(index) {
        (references + count).initialize(to: model.retain())
        count += 1
      }
    }
  }
}

extension Array where Element: AnyObject {
  /// Calls a closure with the references, without retaining them one by one.
  func withReferences<Result>(
    _ body: (UnsafeBufferPointer<Unmanaged<AnyObject>>) throws -> Result
  ) rethrows -> Result {
    try withUnsafeBufferPointer { elements in
      // All references have the same representation, whatever their class.
      let start = UnsafeRawPointer(elements.baseAddress)?.assumingMemoryBound(to: Unmanaged<AnyObject>.self)
      return try body(UnsafeBufferPointer(start: start, count: elements.count))
    }
  }
}
