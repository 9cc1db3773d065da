/// The names of cases and stored properties in a type's declaration. They need no value of the type.
enum DeclaredNames {
  /// Returns the name of the case that a key is; nil if the key is not a case of an enumeration.
  static func ofCase<Key: CodingKey>(_ key: Key) -> String? { caseName(key).map { String(cString: $0) } }

  /// Returns the type of a stored property; nil if there is none with the name.
  static func type(ofProperty name: String, in owner: Any.Type) -> Any.Type? {
    for index in 0..<childCount(owner) {
      var child = ChildMetadata()
      let type = childMetadata(owner, index: index, metadata: &child)
      defer { child.freeName?(child.name) }
      if let found = child.name, String(cString: found) == name { return type }
    }
    return nil
  }
}

// The entry points of the runtime that the standard library's `Mirror` is built on. Keys describe themselves by their
// text only, so a mirror has no names of cases.

private typealias FreeName = @convention(c) (UnsafePointer<CChar>?) -> Void

private struct ChildMetadata {
  var name: UnsafePointer<CChar>?
  var freeName: FreeName?
  var isStrong = false
  var isVar = false
}

@_silgen_name("swift_EnumCaseName")
private func caseName<Value>(_ value: Value) -> UnsafePointer<CChar>?

@_silgen_name("swift_reflectionMirror_recursiveCount")
private func childCount(_ type: Any.Type) -> Int

@_silgen_name("swift_reflectionMirror_recursiveChildMetadata")
private func childMetadata(
  _ type: Any.Type, index: Int, metadata: UnsafeMutablePointer<ChildMetadata>
) -> Any.Type
