package import ModelKit

/// An entry that was not taken, and why.
package struct Rejection: Hashable, Sendable, CustomStringConvertible {
  /// Where the entry stands, such as `authors[7].books[2]`.
  package let path: String
  /// Whole sentences, each with the path of what is wrong.
  package let reasons: [String]

  init(at path: FieldPath, _ reasons: [String]) {
    self.path = path.description
    self.reasons = reasons
  }

  /// An entry that breaks rules.
  init(at path: FieldPath, _ errors: [ModelValidationError]) {
    self.init(at: path, errors.map { "\(path.appending($0.path)) \($0.message)" })
  }

  /// An entry that could not be read, or whatever went wrong with it.
  init(at path: FieldPath, _ error: any Error) {
    let reason = (error as? ModelDecodingError)?.inside(path).description ?? "\(path): \(error)"
    self.init(at: path, [reason])
  }

  package var description: String { reasons.joined(separator: "\n") }

  /// The rejection for machines.
  package var json: JSONValue { ["path": .string(path), "reasons": .array(reasons.map { .string($0) })] }
}
