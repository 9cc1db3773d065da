public import Foundation

/// A part of a document that a program writes, between two comments; everything else belongs to people.
///
/// ```text
/// <!-- notify:begin -->
/// <!-- notify:end -->
/// ```
public struct MarkdownSection: Sendable {
  /// The name in the comments.
  public let name: String

  /// Names a section.
  public init(_ name: String) { self.name = name }

  /// Checks that a file has the section, before the work that is to fill it.
  ///
  /// - Throws: ``MissingSection`` if the file does not have both comments, and what reading throws.
  public func find(in file: URL) throws { _ = try replaced(in: file, with: "") }

  /// Replaces what stands between the comments in a file.
  ///
  /// - Throws: ``MissingSection`` if the file does not have both comments, and what reading and writing throws. The file
  ///   is as it was then.
  public func replace(in file: URL, with text: String) throws {
    try replaced(in: file, with: text).write(to: file, atomically: true, encoding: .utf8)
  }

  private func replaced(in file: URL, with text: String) throws -> String {
    guard let document = replacing(in: try String(contentsOf: file, encoding: .utf8), with: text) else {
      throw MissingSection(name: name, file: file.path(percentEncoded: false))
    }
    return document
  }

  /// A document with other text between the comments; nil if it does not have both.
  public func replacing(in document: String, with text: String) -> String? {
    guard let begin = document.range(of: beginning),
      let end = document.range(of: ending, range: begin.upperBound..<document.endIndex)
    else { return nil }
    return document[..<begin.upperBound] + "\n\n\(text)\n\n" + document[end.lowerBound...]
  }

  fileprivate var beginning: String { "<!-- \(name):begin -->" }
  fileprivate var ending: String { "<!-- \(name):end -->" }
}

/// A document does not say where a section goes.
public struct MissingSection: Error, CustomStringConvertible {
  /// The name of the section.
  public let name: String
  /// The path of the document.
  public let file: String

  /// What is missing, and what to add.
  public var description: String {
    let section = MarkdownSection(name)
    return """
      \(file) was not changed: it has no place for "\(name)". Add the lines \(section.beginning) and \(section.ending).
      """
  }
}
