@testable import FileStore

extension FileEngine {
  /// An engine of a store on a file system in memory. It preallocates little space at a time, since each opening reads
  /// all of it. With a mebibyte, tests that open a hundred stores take minutes under the sanitizer.
  static func simulated(on fileSystem: any FileSystem, clock: any EngineClock = SystemClock()) -> FileEngine {
    var options = FileEngineOptions()
    options.journal.preallocation = 4 << 10
    return FileEngine(directory: "/store", options: options, fileSystem: fileSystem, clock: clock)
  }
  /// The number of writes and other jobs of the store that wait for the writing thread, including withdrawn ones.
  var waitingJobs: Int { service.waitingJobs }

  /// Returns the JSON of a model and its revision; nil if there is none with this identifier.
  func read(_ type: String, _ identifier: String) async throws -> (value: [UInt8], revision: UInt64)? {
    try await record(type, identifier).map { ($0.bytes, $0.revision) }
  }

  /// Returns the number of models of a type.
  func count(_ type: String) async throws -> Int { try await identifiers(type).count }

  /// Returns whether there is a model with this identifier.
  func contains(_ type: String, _ identifier: String) async throws -> Bool {
    try await record(type, identifier) != nil
  }

  /// Syncs all earlier writes, whatever their durability.
  func sync() async throws {
    _ = try await service.contents(of: group)
    try await service.writing { [group] writer in try writer.sync(group) }
  }
}
