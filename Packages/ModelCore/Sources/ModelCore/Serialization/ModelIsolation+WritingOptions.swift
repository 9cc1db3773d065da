@_spi(ModelKitInternals) public import FieldKit

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension ModelIsolation where Self: ModelObject {
  /// The model as a JSON document, written as the options say.
  ///
  /// - Parameter options: how to write. The keys are sorted whatever they say, so that equal models give equal bytes.
  /// - Throws: ``ModelEncodingError`` if a value can't be written; it says where.
  public func jsonData(_ options: JSONWritingOptions) throws -> Data {
    try ModelWriter.directData(
      of: [self], isList: false, pretty: options.pretty, escapesSlashes: options.escapesSlashes)
      ?? treeData(options)
  }

  /// The document by way of a tree.
  func treeData(_ options: JSONWritingOptions) throws -> Data {
    try JSONValue.object(encodedDictionary(in: memberScope)).bytes(options.sorted)
  }
}

extension Array where Element: Model {
  /// The models as a JSON document that is a list, written as the options say.
  ///
  /// - Parameter options: how to write. The keys are sorted whatever they say, so that equal models give equal bytes.
  /// - Throws: ``ModelEncodingError`` if a value can't be written; it says where.
  public func jsonData(_ options: JSONWritingOptions) throws -> Data {
    try ModelWriter.directData(
      of: self, isList: true, pretty: options.pretty, escapesSlashes: options.escapesSlashes)
      ?? treeData(options)
  }

  /// The document by way of a tree.
  func treeData(_ options: JSONWritingOptions) throws -> Data {
    // What can't be written is reported with its place in the list.
    let tree = try treeData(pretty: options.pretty)
    if !options.escapesSlashes { return tree }
    let limits = JSONReadingOptions(maximumDepth: JSONReadingOptions.maximumTreeDepth)
    return try JSONValue(json: tree, options: limits).jsonData(options.sorted)
  }
}

extension JSONWritingOptions {
  fileprivate var sorted: JSONWritingOptions {
    var options = self
    options.sortedKeys = true
    return options
  }
}
