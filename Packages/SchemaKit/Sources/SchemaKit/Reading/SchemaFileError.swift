/// A model file that can't be read.
///
/// ```swift
/// do { schema = try CoreDataSchema(contentsOf: url) } catch let error as SchemaFileError { print(error) }
/// // Authors.xcdatamodel/contents, line 12: an attribute has no name.
/// ```
public struct SchemaFileError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What kind of error it is.
  public enum Code: Hashable, Sendable {
    /// There is no such file, or it can't be opened.
    case unreadable
    /// It is no model file.
    case noModel
    /// There is no version of this name, or it is not said which one counts.
    case unknownVersion
    /// It is not well-formed XML.
    case syntax
    /// Something that every model file says is missing.
    case incomplete
    /// It declares a document type or entities, which no model file does and hostile ones do.
    case forbidden
    /// It is larger than the options allow, or an element in it has more than 1,000 XML attributes.
    case tooLarge
    /// It is nested deeper than the options allow.
    case tooDeep
  }

  /// What kind of error it is.
  public let code: Code
  /// The name of the file; nil for data.
  public internal(set) var file: String?
  /// The line; nil if it is about the whole file.
  public let line: Int?
  /// What is wrong, and what to do.
  public let message: String

  init(_ code: Code, _ message: String, file: String? = nil, line: Int? = nil) {
    self.code = code
    self.message = message
    self.file = file
    self.line = line
  }

  /// Where it is, and what is wrong.
  public var description: String {
    switch (file, line) {
    case (let file?, let line?): "\(file), line \(line): \(message)"
    case (let file?, nil): "\(file): \(message)"
    case (nil, let line?): "line \(line): \(message)"
    case (nil, nil): message
    }
  }
}
