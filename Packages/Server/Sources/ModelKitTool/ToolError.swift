import ArgumentParser
import Foundation
import ModelServer
import SchemaKit
import StoreProtocol

/// An error of the tool, with a message that has the remedy.
struct ToolError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }

  /// Returns the error whose text is shown: those of the libraries have a message of their own.
  static func described(_ error: any Error) -> any Error {
    switch error {
    case let error as ModelStoreError: ToolError(error.message)
    case let error as SchemaFileError: ToolError(error.description)
    case ModelServerError.publicWithoutRules(let host):
      ToolError(
        """
        The server was not started: other machines can reach \(host), and every user could read and change everything. \
        Leave out --no-token, or add --read-only if everybody may read everything.
        """)
    case let error as ModelServerError: ToolError(error.description)
    case let error as CocoaError:
      // Its own text has the members of the error.
      ToolError("'\(error.filePath ?? "A file")' can't be used: \(reason(of: error)). Choose another path.")
    default: error
    }
  }
  private static func reason(of error: CocoaError) -> String {
    guard let cause = error.underlying as? POSIXError else { return "error \(error.code.rawValue)" }
    return String(cString: strerror(cause.code.rawValue))
  }
}
