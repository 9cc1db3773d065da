/// An error of reading a model file.
///
/// ```swift
/// do {
///   schema = try CoreDataSchema(contentsOf: url)
/// } catch let error as SchemaFileError {
///   print(error)
/// }
/// // Authors.xcdatamodel/contents, line 12: an attribute has no name.
/// ```
public struct SchemaFileError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kind of an error.
  public enum Code: Hashable, Sendable {
    /// The file does not exist or can't be opened.
    case unreadable
    /// The file is not a model file.
    case noModel
    /// There is no version with this name, or the file does not name the current one.
    case unknownVersion
    /// The file is not well-formed XML.
    case syntax
    /// A required part of a model file is missing.
    case incomplete
    /// The file declares a document type or entities, which only hostile files do.
    case forbidden
    /// The file exceeds the limit of the options, or an element in it has more than 1,000 XML attributes.
    case tooLarge
    /// The nesting of the file exceeds the limit of the options.
    case tooDeep
  }

  /// The kind of the error.
  public let code: Code
  /// The name of the file; nil for data.
  public internal(set) var file: String?
  /// The line; nil for an error of the whole file.
  public let line: Int?
  /// The failure, and how to correct it.
  public let message: String

  init(_ code: Code, _ message: String, file: String? = nil, line: Int? = nil) {
    self.code = code
    self.message = message
    self.file = file
    self.line = line
  }

  /// The location, and the failure.
  public var description: String {
    switch (file, line) {
    case (let file?, let line?): "\(file), line \(line): \(message)"
    case (let file?, nil): "\(file): \(message)"
    case (nil, let line?): "line \(line): \(message)"
    case (nil, nil): message
    }
  }
}
