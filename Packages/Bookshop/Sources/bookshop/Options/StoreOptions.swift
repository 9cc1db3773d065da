import ArgumentParser
import BookshopKit
import Foundation
import ModelKit

/// The location of the store.
struct StoreOptions: ParsableArguments {
  @Option(name: .customLong("store"), help: ArgumentHelp("The folder of the store.", valueName: "dir"))
  var path = "./bookshop.store"

  /// Runs a function with a shop on the store, and closes the store in any case.
  ///
  /// - Parameters:
  ///   - makesStore: whether a missing store is created; otherwise it is an error.
  ///   - durability: the failures that a finished write survives.
  func withShop<Result>(
    makesStore: Bool = false, durability: Durability = .everyCommit, _ body: (Shop) async throws -> Result
  ) async throws -> Result {
    let directory = URL(filePath: path)
    guard makesStore || Shop.exists(at: directory) else { throw ShopError.noStore(path: path) }
    let shop = Shop(directory: directory, durability: durability)
    let result: Result
    do {
      result = try await body(shop)
    } catch {
      try? await shop.close()
      throw error
    }
    try await shop.close()
    return result
  }

  /// Runs a long operation of a shop, with a progress bar on a terminal. A missing store is created.
  ///
  /// Writes reach the disk within a second, and at the latest when the command ends: the operation can be repeated.
  func withProgress<Result>(_ label: String, _ body: (Shop) async throws -> Result) async throws -> Result {
    try await withShop(makesStore: true, durability: .interval(.seconds(1))) { shop in
      guard isatty(STDERR_FILENO) == 1 else { return try await body(shop) }
      let bar = ProgressBar(label) { FileHandle.standardError.write(Data($0.utf8)) }
      defer { bar.clear() }
      shop.progress --> bar
      return try await body(shop)
    }
  }
}
