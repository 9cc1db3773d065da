@_spi(ModelKitInternals) public import FieldKit

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension ModelIsolation where Self: ModelObject {
  /// The fields that were loaded or set, by key. Related models are nested.
  ///
  /// Left out are values that can't be expressed, such as those a transformer refuses; ``jsonData(pretty:escapesSlashes:)`` throws for
  /// them.
  public var dictionaryValue: AttributeDictionary {
    if let dictionary = ModelWriter(context: memberScope?.transformers ?? .standard).plainObject(of: self) {
      return dictionary
    }
    if let dictionary = try? encodedDictionary(in: memberScope) { return dictionary }
    var dictionary = dictionaryValue(fields: fieldsForDictionaryValue())
    if memberScope?.transformers.keepsUnknownKeys == true { details?.remainder?.addUnknown(to: &dictionary) }
    return dictionary
  }

  /// Chosen fields that were loaded or set, by key.
  ///
  /// - Parameters:
  ///   - fields: fields of this model. Related models are written with all of theirs.
  ///   - scope: gives case of keys, null policy and transformers; by default the scope of this model.
  public func dictionaryValue(fields: [AnyField], in scope: ModelScope? = nil) -> AttributeDictionary {
    let scope = scope ?? memberScope
    if let dictionary = try? encodedDictionary(fields: fields, in: scope) { return dictionary }
    // Something can't be expressed: find out what by asking for one field at a time.
    return fields.reduce(into: [:]) { dictionary, field in
      if let part = try? encodedDictionary(fields: [field], in: scope) {
        dictionary.merge(part) { _, new in new }
      }
    }
  }

  /// The model as a JSON document, with sorted keys.
  ///
  /// - Parameters:
  ///   - pretty: whether to break lines and indent.
  ///   - escapesSlashes: whether `/` is written as `\/`.
  /// - Throws: ``ModelEncodingError`` if a value can't be written; it says where.
  public func jsonData(pretty: Bool = false, escapesSlashes: Bool = false) throws -> Data {
    try ModelWriter.directData(of: [self], isList: false, pretty: pretty, escapesSlashes: escapesSlashes)
      ?? treeData(pretty: pretty, escapesSlashes: escapesSlashes)
  }

  /// The document by way of a tree.
  func treeData(pretty: Bool, escapesSlashes: Bool = false) throws -> Data {
    try JSONValue.object(encodedDictionary(in: memberScope))
      .bytes(JSONWritingOptions(pretty: pretty, sortedKeys: true, escapesSlashes: escapesSlashes))
  }
}

extension Array where Element: Model {
  /// The models as a JSON document that is a list, with sorted keys.
  ///
  /// Each is written in full in its own place, and by its identifier wherever else it is met; all other models are written in
  /// full where they are first met. So the document is linear in the number of models and links. A model of the list that
  /// has no identifier may come twice.
  ///
  /// - Parameters:
  ///   - pretty: whether to break lines and indent.
  ///   - escapesSlashes: whether `/` is written as `\/`.
  /// - Throws: ``ModelEncodingError`` if a value can't be written; it says where.
  public func jsonData(pretty: Bool = false, escapesSlashes: Bool = false) throws -> Data {
    try ModelWriter.directData(of: self, isList: true, pretty: pretty, escapesSlashes: escapesSlashes)
      ?? treeData(pretty: pretty, escapesSlashes: escapesSlashes)
  }

  /// The document by way of a tree.
  func treeData(pretty: Bool, escapesSlashes: Bool = false) throws -> Data {
    var writers = ListWriters(self)
    let list = try enumerated().map { index, model in
      do {
        return JSONValue.object(try writers.writer(for: model).object(of: model, fields: nil))
      } catch let error as ModelEncodingError {
        throw error.inside(.index(index))
      }
    }
    return try JSONValue.array(list).bytes(
      JSONWritingOptions(pretty: pretty, sortedKeys: true, escapesSlashes: escapesSlashes))
  }
}

extension JSONValue {
  /// The bytes of a tree that was made of models. What JSON can't spell may be inside of a field's value.
  func bytes(_ options: JSONWritingOptions) throws -> Data {
    do { return try jsonData(options) } catch { throw ModelEncodingError.wrapping(error, at: FieldPath()) }
  }
}

extension ModelObject {
  func encodedDictionary(
    fields: [AnyField]? = nil, in scope: ModelScope?
  ) throws -> AttributeDictionary {
    try ModelWriter(context: scope?.transformers ?? .standard)
      .object(of: self, fields: fields)
  }
}
