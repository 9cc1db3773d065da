/// A stored property of a class or structure, as the runtime describes it.
@_spi(ModelKitInternals)
public struct StoredProperty {
  /// The name in the declaration; that of a property wrapper's storage begins with an underscore.
  public let name: String
  /// The declared type.
  public let type: Any.Type
  /// Bytes from the start of an object.
  public let offset: Int
  /// Whether the property retains its object.
  public let isStrong: Bool
  /// Whether the property is declared with `var`.
  public let isVariable: Bool

  /// Returns all stored properties of a type, those of its superclasses first.
  public static func list(of type: Any.Type) -> [StoredProperty] {
    (0..<childCount(type)).compactMap { index in
      var metadata = ChildMetadata()
      let childType = childMetadata(type, index: index, metadata: &metadata)
      defer { metadata.freeName?(metadata.name) }
      // The name is missing if the program was compiled without reflection metadata.
      guard let name = metadata.name else { return nil }
      return StoredProperty(
        name: String(cString: name), type: childType, offset: childOffset(type, index: index),
        isStrong: metadata.isStrong, isVariable: metadata.isVar)
    }
  }

  /// Returns the values of the stored properties that one class of an object declares, in order.
  public static func values(in object: AnyObject, declaredBy type: Any.Type) -> [(name: String, value: Any)] {
    (0..<ownChildCount(object, type: type)).compactMap { index in
      var name: UnsafePointer<CChar>?
      var freeName: FreeName?
      let value = ownChild(of: object, type: type, index: index, name: &name, freeName: &freeName)
      defer { freeName?(name) }
      guard let name else { return nil }
      return (String(cString: name), value)
    }
  }
}

/// Returns the name of the case that a key is; nil if the key is not a case of an enumeration.
func nameOfCase<Key: CodingKey>(_ key: Key) -> String? { caseName(key).map { String(cString: $0) } }

// The entry points of the runtime that the standard library's `Mirror` is built on. The standard library wraps them in
// `_forEachField`, but not on every platform, and without reporting whether a reference is weak. A key describes itself
// by its text, so a mirror does not know the name of its case.

private typealias FreeName = @convention(c) (UnsafePointer<CChar>?) -> Void

private struct ChildMetadata {
  var name: UnsafePointer<CChar>?
  var freeName: FreeName?
  var isStrong = false
  var isVar = false
}

@_silgen_name("swift_reflectionMirror_recursiveCount")
private func childCount(_ type: Any.Type) -> Int

@_silgen_name("swift_reflectionMirror_recursiveChildOffset")
private func childOffset(_ type: Any.Type, index: Int) -> Int

@_silgen_name("swift_reflectionMirror_recursiveChildMetadata")
private func childMetadata(
  _ type: Any.Type, index: Int, metadata: UnsafeMutablePointer<ChildMetadata>
) -> Any.Type

@_silgen_name("swift_reflectionMirror_count")
private func ownChildCount<Object>(_ object: Object, type: Any.Type) -> Int

@_silgen_name("swift_reflectionMirror_subscript")
private func ownChild<Object>(
  of object: Object, type: Any.Type, index: Int, name: UnsafeMutablePointer<UnsafePointer<CChar>?>,
  freeName: UnsafeMutablePointer<FreeName?>
) -> Any

@_silgen_name("swift_EnumCaseName")
private func caseName<Value>(_ value: Value) -> UnsafePointer<CChar>?
