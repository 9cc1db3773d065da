public import FieldKit

/// A model class that changes whole dictionaries before they are read, and after they were written.
///
/// ```swift
/// final class Place: Model, DocumentConverting {
///   let latitude = Field<Double>(), longitude = Field<Double>()
///   static func decoded(
///     _ dictionary: AttributeDictionary
///   ) throws -> AttributeDictionary {
///     guard case .array(let pair)? = dictionary["position"], pair.count == 2
///     else { return dictionary }
///     return ["latitude": pair[0], "longitude": pair[1]]
///   }
///   func encoded(
///     _ dictionary: AttributeDictionary
///   ) throws -> AttributeDictionary {
///     let latitude = dictionary["latitude"] ?? .null
///     let longitude = dictionary["longitude"] ?? .null
///     return ["position": .array([latitude, longitude])]
///   }
/// }
/// ```
///
/// It applies to documents and dictionaries, at any depth. Stores keep the fields themselves, because queries read
/// them; a REST store converts records in its dialect. Use a transformer to convert one field.
public protocol DocumentConverting: ModelIsolation {
  /// Returns the dictionary to read in place of one from a document.
  ///
  /// - Parameter dictionary: the dictionary, with the keys of the document.
  /// - Throws: an error if the dictionary does not fit; nothing is changed then.
  static func decoded(_ dictionary: AttributeDictionary) throws -> AttributeDictionary

  /// Returns the dictionary to write in place of that of the fields.
  ///
  /// - Parameter dictionary: the fields to write, by their keys.
  /// - Throws: an error if the model can't be written.
  func encoded(_ dictionary: AttributeDictionary) throws -> AttributeDictionary
}

extension DocumentConverting {
  /// Returns the dictionary as it is.
  public static func decoded(_ dictionary: AttributeDictionary) throws -> AttributeDictionary { dictionary }

  /// Returns the dictionary as it is.
  public func encoded(_ dictionary: AttributeDictionary) throws -> AttributeDictionary { dictionary }
}

/// A model class with a hook after reading.
///
/// A protocol and not a method to override, so that other classes are read without a call.
public protocol ReadingHook: ModelIsolation {
  /// Called after the model was read from a document or by a store, when its fields and relations have their values.
  /// Fields that this method sets are dirty.
  func afterRead()
}
