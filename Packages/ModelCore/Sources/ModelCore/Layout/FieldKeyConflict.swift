@_spi(ModelKitInternals) import FieldKit

/// Two fields of a model class have the same key, so that each hides what the other one writes. Reported once per class to
/// ``ModelIssue/handler``, when its first instance is made.
///
/// Private properties of a class and of its superclass may have the same name without the compiler minding:
///
/// ```swift
/// class Animal: Model { private let note = Field<Int>() }
/// final class Cat: Animal { private let note = Field<String>(key: "cat_note") }  // a key of its own
/// ```
public struct FieldKeyConflict: Error, CustomStringConvertible {
  /// The class.
  public let model: ModelObject.Type
  /// The key that several of its fields have.
  public let key: String

  /// What is wrong, what comes of it, and what to do.
  public var description: String {
    """
    \(model) has more than one field with the key \(key.quotedForMessage): only one of them is written, and a value is read into all. Give \
    each a key of its own, as in Field(key: "…").
    """
  }

  static func report(in model: ModelObject, with layout: ModelLayout) {
    var keys: Set<String> = []
    var reported: Set<String> = []
    layout.forEachField(of: model) { field, index in
      let key = field.declaredKey ?? layout.slots[index].propertyName
      guard !keys.insert(key).inserted, reported.insert(key).inserted else { return }
      ModelIssue.report(FieldKeyConflict(model: type(of: model), key: key))
    }
  }
}
