public import Foundation

/// A generated section of a document, between two comments. The rest of the document is written by hand.
///
/// ```text
/// <!-- notify:begin -->
/// <!-- notify:end -->
/// ```
public struct MarkdownSection: Sendable {
  /// The name in the comments.
  public let name: String

  /// Creates a section with a name.
  public init(_ name: String) { self.name = name }

  /// Checks that a file has the section, before the work that produces its content.
  ///
  /// - Throws: ``MissingSection`` if the file lacks one of the comments, and errors of reading.
  public func find(in file: URL) throws { _ = try replaced(in: file, with: "") }

  /// Replaces the text between the comments of a file.
  ///
  /// - Throws: ``MissingSection`` if the file lacks one of the comments, and errors of reading and writing. The file is
  ///   unchanged then.
  public func replace(in file: URL, with text: String) throws {
    try replaced(in: file, with: text).write(to: file, atomically: true, encoding: .utf8)
  }

  private func replaced(in file: URL, with text: String) throws -> String {
    guard let document = replacing(in: try String(contentsOf: file, encoding: .utf8), with: text) else {
      throw MissingSection(name: name, file: file.path(percentEncoded: false))
    }
    return document
  }

  /// Returns a document with other text between the comments; nil if it lacks one of them.
  public func replacing(in document: String, with text: String) -> String? {
    guard let begin = document.range(of: beginning),
      let end = document.range(of: ending, range: begin.upperBound..<document.endIndex)
    else { return nil }
    return document[..<begin.upperBound] + "\n\n\(text)\n\n" + document[end.lowerBound...]
  }

  fileprivate var beginning: String { "<!-- \(name):begin -->" }
  fileprivate var ending: String { "<!-- \(name):end -->" }
}

/// An error for a document without the comments of a section.
public struct MissingSection: Error, CustomStringConvertible {
  /// The name of the section.
  public let name: String
  /// The path of the document.
  public let file: String

  /// The missing comments, and how to add them.
  public var description: String {
    let section = MarkdownSection(name)
    return """
      \(file) was not changed: it has no place for "\(name)". Add the lines \(section.beginning) and \(section.ending).
      """
  }
}
