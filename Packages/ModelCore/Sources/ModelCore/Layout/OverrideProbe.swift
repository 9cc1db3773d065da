/// A check whether a class overrides one of the open methods of `ModelObject`. Without an override, the arguments of
/// the method need not be created for each model.
///
/// A subclass has the methods of its superclass at the same offsets of its metadata, overridden or not. The offset of a
/// method is found by comparing a class that overrides only this method with classes that override none. If that does
/// not single out one offset, as where pointers are signed, every class counts as overriding.
enum OverrideProbe {
  /// Returns whether the class, or a superclass, overrides `instanceClass(for:)`.
  static func choosesInstanceClass(_ modelClass: ModelObject.Type) -> Bool {
    overrides(place: instanceClassPlace, in: modelClass)
  }

  /// Returns whether the class, or a superclass, overrides `fieldsForDictionaryValue()`.
  static func choosesFields(_ modelClass: ModelObject.Type) -> Bool {
    overrides(place: fieldsPlace, in: modelClass)
  }

  private static let instanceClassPlace = place(of: ChoosesInstanceClass.self)
  private static let fieldsPlace = place(of: ChoosesFields.self)

  private static func overrides(place: Int?, in modelClass: ModelObject.Type) -> Bool {
    guard let place else { return true }
    return word(place, of: modelClass) != word(place, of: OverridesNothing.self)
  }

  /// Returns the only word of the metadata in which a class with one override differs.
  private static func place(of overriding: ModelObject.Type) -> Int? {
    guard let places = places() else { return nil }
    let found = places.filter { place in
      let usual = word(place, of: OverridesNothing.self)
      return usual != 0 && usual == word(place, of: OverridesNothingEither.self)
        && usual == word(place, of: ModelObject.self) && usual != word(place, of: overriding)
    }
    return found.count == 1 ? found.first : nil
  }

  /// Returns the indices of the words that describe `ModelObject`'s own members: after the header, up to the end of its
  /// metadata.
  private static func places() -> Range<Int>? {
    #if canImport(ObjectiveC)
      let header = 10
      let sizes = 56
    #else
      let header = 7
      let sizes = 32
    #endif
    guard MemoryLayout<Int>.size == 8 else { return nil }
    let metadata = unsafeBitCast(ModelObject.self as AnyClass, to: UnsafeRawPointer.self)
    let size = Int(metadata.load(fromByteOffset: sizes, as: UInt32.self))
    let addressPoint = Int(metadata.load(fromByteOffset: sizes + 4, as: UInt32.self))
    let end = (size - addressPoint) / 8
    guard addressPoint <= 64, end > header, end < 4_096 else { return nil }
    return header..<end
  }

  private static func word(_ place: Int, of modelClass: ModelObject.Type) -> UInt {
    unsafeBitCast(modelClass as AnyClass, to: UnsafeRawPointer.self).load(fromByteOffset: place * 8, as: UInt.self)
  }
}

private final class OverridesNothing: ModelObject {}

private final class OverridesNothingEither: ModelObject {}

private final class ChoosesInstanceClass: ModelObject {
  override class func instanceClass(for dictionary: AttributeDictionary) -> ModelObject.Type? { ModelObject.self }
}

private final class ChoosesFields: ModelObject {
  override func fieldsForDictionaryValue() -> [AnyField] { [] }
}
