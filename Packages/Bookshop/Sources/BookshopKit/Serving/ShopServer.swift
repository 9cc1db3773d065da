package import Foundation
import ModelKit
import RESTService

/// A server of authors and books, on this machine only. Shops push to it, pull from it, and synchronise with it.
///
/// Its classes are those of the shops, so it checks the same rules. Its records are files of a folder.
package final class ShopServer {
  /// The address of the server.
  package var url: URL { server.url }
  private let files: FileModelStore
  private let server: LoopbackServer

  /// Starts a server.
  ///
  /// - Parameters:
  ///   - directory: the folder of the records, which the first write creates.
  ///   - port: the port; 0 for a free one.
  /// - Throws: ``ShopError/noPort(_:reason:)`` if the port can't be used.
  package init(directory: URL, port: UInt16 = 0) throws {
    files = FileModelStore(directory: directory)
    // With a log, shops receive only what has changed since their last synchronisation.
    let service = RESTService(ChangeLogEngine(files.handle), serving: [Author.self, Book.self])
    server = try LoopbackServer(service, port: port)
  }

  /// Stops the server, and closes its folder.
  package func stop() async throws {
    server.stop()
    try await files.close()
  }
}
