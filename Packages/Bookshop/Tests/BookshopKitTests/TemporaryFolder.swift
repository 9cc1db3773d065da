import BookshopKit
import Foundation
import ModelKit

/// A folder for a test, removed with the last reference to it.
final class TemporaryFolder {
  let url = FileManager.default.temporaryDirectory.appending(path: "bookshop-tests-\(UUID().uuidString)")

  init() throws { try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) }

  deinit { try? FileManager.default.removeItem(at: url) }

  /// Runs a function with a shop on the store of this folder, as one run of the program does.
  func withShop<Result>(_ name: String = "bookshop.store", _ body: (Shop) async throws -> Result) async throws -> Result
  {
    let shop = Shop(directory: url.appending(path: name), durability: .none)
    let result = try await body(shop)
    try await shop.close()
    return result
  }

  /// Returns the names of the files in the folder.
  func files() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: url.path()) }

  /// Writes a text file.
  func file(_ text: String, _ name: String = "catalogue.json") throws -> URL {
    try file(Data(text.utf8), name)
  }

  /// Writes a file of bytes.
  func file(_ data: Data, _ name: String = "catalogue.json") throws -> URL {
    let file = url.appending(path: name)
    try data.write(to: file)
    return file
  }
}

/// The catalogue that comes with the program.
let shippedCatalogue = URL(filePath: #filePath).deletingLastPathComponent()
  .appending(path: "../../Sources/bookshop/catalogue.json").standardizedFileURL
