/// Tells whether a class overrides one of the methods that `ModelObject` leaves to it, so that what they would be asked
/// for each model need not be made.
///
/// A subclass has the methods of its superclass at the same places of its metadata, each overridden or not. Where the
/// methods asked for lie is found by comparing classes that override exactly one of them with such that override none. If
/// that does not single out one place, as where pointers are signed, every class counts as one that overrides them.
enum OverrideProbe {
  /// Whether the class, or one above it, chooses the class to make from a dictionary.
  static func choosesInstanceClass(_ modelClass: ModelObject.Type) -> Bool {
    overrides(place: instanceClassPlace, in: modelClass)
  }

  /// Whether the class, or one above it, chooses the fields to write.
  static func choosesFields(_ modelClass: ModelObject.Type) -> Bool {
    overrides(place: fieldsPlace, in: modelClass)
  }

  private static let instanceClassPlace = place(of: ChoosesInstanceClass.self)
  private static let fieldsPlace = place(of: ChoosesFields.self)

  private static func overrides(place: Int?, in modelClass: ModelObject.Type) -> Bool {
    guard let place else { return true }
    return word(place, of: modelClass) != word(place, of: OverridesNothing.self)
  }

  /// The one place where a class differs that overrides one method.
  private static func place(of overriding: ModelObject.Type) -> Int? {
    guard let places = places() else { return nil }
    let found = places.filter { place in
      let usual = word(place, of: OverridesNothing.self)
      return usual != 0 && usual == word(place, of: OverridesNothingEither.self)
        && usual == word(place, of: ModelObject.self) && usual != word(place, of: overriding)
    }
    return found.count == 1 ? found.first : nil
  }

  /// The places of `ModelObject`'s own members: behind the header, up to the end of its metadata.
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
