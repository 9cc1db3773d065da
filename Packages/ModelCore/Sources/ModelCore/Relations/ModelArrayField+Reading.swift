@_spi(ModelKitInternals) import FieldKit

// Most lists that are read belong to a model that was just made, and so do the models in them: nobody observes anything,
// and nothing has to give way. Then both sides are set at once, without a change to go through.
extension ModelArrayField {
  /// Takes the models that were read, if this field and those that lead back to it are untouched.
  ///
  /// - Returns: `false` if there is more to it; nothing was done then.
  func readUntouched(_ models: [AnyObject]) -> Bool {
    guard isUntouched, !isUneven, declaredInverse == nil, table == nil, let owner = ownerModel,
      let place = placeOfUntouchedInverse(on: models, owner)
    else { return false }
    let stamp = ChangeStamp.next()
    var members = models
    if place < 0 {
      if !areDistinct(models) { return false }
    } else {
      // What is there twice has been seen before.
      members.removeAll { model in
        let model = unsafeDowncast(model, to: ModelObject.self)
        return model.layout.reference(at: place, of: model)?
          ._withUnsafeGuaranteedRef { $0.seeUntouched(owner, stamp: stamp) } != true
      }
    }
    let isChange = !members.isEmpty || storedValue == nil
    if isChange { storedValue = Self.list(of: members) }
    markReadUntouched(isChange: isChange, stamp: stamp, isSource: true)
    return true
  }

  /// Where the other side is in each of the models, -1 for nowhere; nil if one of the models takes a closer look.
  private func placeOfUntouchedInverse(on models: [AnyObject], _ owner: ModelObject) -> Int? {
    var place = -1
    // The same class nearly always, so that its inverse is found once.
    var lastLayout: ModelLayout?
    for model in models {
      guard type(of: model) == Related.self else { return nil }
      let model = unsafeDowncast(model, to: ModelObject.self)
      guard model.identityMap === owner.identityMap, !model.hasDynamicFields else { return nil }
      if lastLayout !== model.layout {
        guard lastLayout == nil, let known = knownInverseIndex(on: model, owner) else { return nil }
        place = known
        lastLayout = model.layout
      }
      if place >= 0 {
        let canSee = model.layout.reference(at: place, of: model)?._withUnsafeGuaranteedRef { $0.canSeeUntouched }
        if canSee != true { return nil }
      }
    }
    return place
  }

  private func areDistinct(_ models: [AnyObject]) -> Bool {
    models.count < 2 || Set(models.map(ObjectIdentifier.init)).count == models.count
  }

  /// A list of models that are of the related class, copied as a whole: code that does not know the class would ask for its
  /// metadata again for each of them.
  private static func list(of models: [AnyObject]) -> [Related] {
    [Related](unsafeUninitializedCapacity: models.count) { buffer, count in
      guard let start = UnsafeMutableRawPointer(buffer.baseAddress) else { return }
      // A reference is a reference, whatever the class.
      let references = start.assumingMemoryBound(to: AnyObject.self)
      for (index, model) in models.enumerated() { (references + index).initialize(to: model) }
      count = models.count
    }
  }
}
