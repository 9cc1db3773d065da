package import ModelKit

/// A rejected entry with the reasons.
package struct Rejection: Hashable, Sendable, CustomStringConvertible {
  /// The path of the entry, such as `authors[7].books[2]`.
  package let path: String
  /// The reasons as sentences, each with the path of the invalid value.
  package let reasons: [String]

  init(at path: FieldPath, _ reasons: [String]) {
    self.path = path.description
    self.reasons = reasons
  }

  /// Creates the rejection of an entry that breaks rules.
  init(at path: FieldPath, _ errors: [ModelValidationError]) {
    self.init(at: path, errors.map { "\(path.appending($0.path)) \($0.message)" })
  }

  /// Creates the rejection of an entry that could not be read or failed in another way.
  init(at path: FieldPath, _ error: any Error) {
    let reason = (error as? ModelDecodingError)?.inside(path).description ?? "\(path): \(error)"
    self.init(at: path, [reason])
  }

  package var description: String { reasons.joined(separator: "\n") }

  /// The rejection as JSON.
  package var json: JSONValue { ["path": .string(path), "reasons": .array(reasons.map { .string($0) })] }
}
