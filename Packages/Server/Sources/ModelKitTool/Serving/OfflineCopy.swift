@_spi(ModelKitInternals) import FileStore
import Foundation
import StoreEngine

extension FileStoreHandle {
  /// Rejects writes to the offline copy of a server, as a `SyncModelStore` keeps it. Without an entry in its outbox a
  /// write never gets to the server, and the next comparison with the server reverts it.
  ///
  /// - Parameters:
  ///   - failure: the beginning of the message, such as "Nothing was imported".
  ///   - remedy: its last sentence.
  /// - Throws: ``ToolError`` if the store has records of the synchronisation.
  func refuseOfflineCopy(_ failure: String, _ remedy: String) async throws {
    guard try await typeNames()?.contains(where: { $0.hasPrefix("sync.") }) == true else { return }
    let path = directory.path(percentEncoded: false)
    throw ToolError("\(failure): '\(path)' is the offline copy of a server, which would not get the changes. \(remedy)")
  }
}
