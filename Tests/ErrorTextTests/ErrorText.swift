import Foundation
import Testing

/// The text of an error, and code that causes it.
struct ErrorText: Sendable, CustomTestStringConvertible {
  /// The cause, which is unique among the texts.
  let name: String
  let text: String
  /// Causes the error, in a folder of its own, which texts call `/folder`.
  let mistake: @Sendable (_ folder: URL) async throws -> Void

  init(_ name: String, _ text: String, _ mistake: @escaping @Sendable (_ folder: URL) async throws -> Void) {
    self.name = name
    self.text = text
    self.mistake = mistake
  }

  var testDescription: String { name }

  static let all = json + fields + models + streams + queries + stores + files + servers + schemas
}

/// A value that is reported and not thrown, as an error.
struct Reported: Error, CustomStringConvertible {
  let description: String

  init(_ reported: Any) { description = "\(reported)" }
}

@Suite struct `The text of an error` {
  @Test(arguments: ErrorText.all)
  func `The text of an error states failure, cause, kept state and remedy`(row: ErrorText) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "ErrorText-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let error = await #expect(throws: (any Error).self) { try await row.mistake(folder) }
    #expect(error.map { "\($0)".replacing(folder.path, with: "/folder") } == row.text)
  }

  @Test func `The text of an error is in the table once for each way`() {
    #expect(Set(ErrorText.all.map(\.name)).count == ErrorText.all.count)
  }
}
