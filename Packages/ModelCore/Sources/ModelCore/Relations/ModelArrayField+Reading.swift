@_spi(ModelKitInternals) import FieldKit

// Most lists that are read belong to a model that was just made, and so do the models in them: nobody observes anything,
// and nothing has to give way. Then both sides are set at once, without a change to go through. The models are not retained
// one by one meanwhile, which is slow for those that a scope knows.
extension ModelArrayField {
  /// Takes the models that were read, if this field and those that lead back to it are untouched.
  ///
  /// - Returns: `false` if there is more to it; nothing was done then.
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
        // What is there twice has been seen before.
        if isSeen != true { repeated.insert(index) }
      }
    }
    let isChange = !models.isEmpty || storedValue == nil
    if isChange { storedValue = Self.list(of: models, without: repeated) }
    markReadUntouched(isChange: isChange, stamp: stamp, isSource: true)
    return true
  }

  /// Where the other side is in each of the models, -1 for nowhere; nil if one of the models takes a closer look.
  private func placeOfUntouchedInverse(
    on models: UnsafeBufferPointer<Unmanaged<AnyObject>>, _ owner: ModelObject
  ) -> Int? {
    var place = -1
    var isKnown = false
    for model in models {
      let isUntouched = model._withUnsafeGuaranteedRef { model in
        guard type(of: model) == Related.self else { return false }
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

  /// A list of models that are of the related class, copied as a whole: code that does not know the class would ask for its
  /// metadata again for each of them.
  private static func list(
    of models: UnsafeBufferPointer<Unmanaged<AnyObject>>, without repeated: Set<Int>
  ) -> [Related] {
    // To make an array of nothing in this way would write to the one that all empty arrays are, in any thread.
    guard !models.isEmpty else { return [] }
    return [Related](unsafeUninitializedCapacity: models.count) { buffer, count in
      guard let start = UnsafeMutableRawPointer(buffer.baseAddress) else { return }
      // A reference is a reference, whatever the class.
      let references = start.assumingMemoryBound(to: Unmanaged<AnyObject>.self)
      for (index, model) in models.enumerated() where repeated.isEmpty || !repeated.contains(index) {
        (references + count).initialize(to: model.retain())
        count += 1
      }
    }
  }
}

extension Array where Element: AnyObject {
  /// Calls a closure with the references as they are, not retained one by one.
  func withReferences<Result>(
    _ body: (UnsafeBufferPointer<Unmanaged<AnyObject>>) throws -> Result
  ) rethrows -> Result {
    try withUnsafeBufferPointer { elements in
      // A reference is a reference, whatever the class.
      let start = UnsafeRawPointer(elements.baseAddress)?.assumingMemoryBound(to: Unmanaged<AnyObject>.self)
      return try body(UnsafeBufferPointer(start: start, count: elements.count))
    }
  }
}
