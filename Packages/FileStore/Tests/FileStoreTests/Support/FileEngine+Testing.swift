@testable import FileStore

extension FileEngine {
  /// An engine of a store on a file system in memory. It preallocates little space at a time, since each opening reads
  /// all of it: with a mebibyte, tests that open a hundred stores take minutes under the sanitizer.
  static func simulated(on fileSystem: any FileSystem, clock: any EngineClock = SystemClock()) -> FileEngine {
    var options = FileEngineOptions()
    options.journal.preallocation = 4 << 10
    return FileEngine(directory: "/store", options: options, fileSystem: fileSystem, clock: clock)
  }
}
