@_spi(ModelKitInternals) import FieldKit

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

// The tree path from bytes to models: every object is converted to a dictionary first.
extension ModelReader {
  /// Returns the model of a document that is one object.
  static func model<M: Model>(
    _ type: M.Type, from data: Data, in scope: ModelScope?, as mode: ReadMode = .load,
    options: JSONReadingOptions = .init()
  ) throws -> M {
    try type.from(dictionaryValue: object(in: data, options), in: scope, as: mode)
  }

  /// Returns the object of a document.
  static func object(in data: Data, _ options: JSONReadingOptions = .init()) throws -> AttributeDictionary {
    let json = try JSONValue(json: data, options: options)
    guard case .object(let dictionary) = json else {
      throw ModelDecodingError.wrapping(ValueTransformError(expected: "an object", found: json), at: FieldPath())
    }
    return dictionary
  }

  /// Returns the models of the list in a document.
  static func list<M: Model>(
    _ type: M.Type, from data: Data, at path: String, _ reader: ModelReader, options: JSONReadingOptions = .init()
  ) throws -> [M] {
    var staged: [Staged<M>] = []
    var index = 0
    var elements = try JSONArrayReader(data, at: path, options: options)
    while let element = try elements.next() {
      let place = FieldPath(path).appending(FieldPath([.index(index)]))
      do {
        guard case .object(let dictionary) = element else {
          throw ValueTransformError(expected: "an object", found: element)
        }
        let element = try reader.inside(place) { try reader.stage(dictionary, as: type) }
        try reader.checkIdentifier(of: element.model, number: index)
        staged.append(element)
      } catch {
        let error = ModelDecodingError.wrapping(error, at: place)
        if reader.leniency == nil { throw error }
        // There is no model that could keep the value.
        reader.leniency?.issues.append(error)
      }
      index += 1
    }
    return reader.apply(staged)
  }
}
