import BenchmarkHarness
import CBenchmarkSupport
import Foundation

/// A new folder for one store, removed at the end of the benchmark.
final class StoreFolder {
  /// The parent folder of the stores.
  struct Place {
    let parent: URL

    /// Creates a location below a folder; the default is beside this program, which is on a disk.
    ///
    /// - Throws: ``NotOnDisk`` if the folder is in memory, where a sync costs nothing.
    init(_ path: String?) throws {
      parent =
        if let path {
          URL(filePath: path, directoryHint: .isDirectory)
        } else {
          URL(filePath: Bundle.main.executablePath ?? CommandLine.arguments[0]).deletingLastPathComponent()
        }
      if benchmark_is_memory_file_system(parent.path(percentEncoded: false)) {
        throw NotOnDisk(path: parent.path(percentEncoded: false))
      }
    }
  }

  let url: URL

  init(in place: Place) throws {
    url = place.parent.appending(path: "benchmark-\(UUID().uuidString)", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  func remove() { try? FileManager.default.removeItem(at: url) }

  deinit { remove() }
}

/// An error for a folder in memory, where no write is durable.
struct NotOnDisk: Error, CustomStringConvertible {
  let path: String

  var description: String {
    "\(path) is kept in memory, where a sync costs nothing: give a folder on a disk with --directory."
  }
}
