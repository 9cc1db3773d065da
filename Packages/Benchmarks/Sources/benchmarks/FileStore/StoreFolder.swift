import BenchmarkHarness
import CBenchmarkSupport
import Foundation

/// A new folder for one store, removed when the benchmark is over.
final class StoreFolder {
  /// Where folders are made.
  struct Place {
    let parent: URL

    /// A place below a directory; by default beside this program, which is built on a disk.
    ///
    /// - Throws: ``NotOnDisk`` if a sync would cost nothing there.
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

/// Durable writes were to be measured where nothing is durable.
struct NotOnDisk: Error, CustomStringConvertible {
  let path: String

  var description: String {
    "\(path) is kept in memory, where a sync costs nothing: give a folder on a disk with --directory."
  }
}
