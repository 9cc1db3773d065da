public import Foundation
@_spi(ModelKitInternals) public import StoreEngine
@_spi(ModelKitInternals) import StoreProtocol

/// How a file store is opened.
public enum FileStoreMode: Sendable, Hashable {
  /// For reading and writing. One process at a time can have a store open like that.
  case readWrite

  /// For reading only: any number of processes, also while another one writes. What it writes is seen by the next call,
  /// and within a quarter of a second by observers. No store is made: there has to be one.
  case readOnly
}

/// How a file store is opened, and how it writes.
///
/// ```swift
/// let cache = FileStoreOptions(durability: .none)
/// let viewer = FileStoreOptions(mode: .readOnly)
/// ```
public struct FileStoreOptions: Sendable {
  /// The failures that a returned write survives.
  public var durability: Durability
  /// Whether the store is opened for writing too.
  public var mode: FileStoreMode
  /// The steps from older versions of stored records to those of this program.
  public var migrations: [Migration]
  /// The treatment of records that can't be read.
  public var unreadable: UnreadableRecords

  /// Creates options.
  ///
  /// - Parameters:
  ///   - durability: what a write that returned has survived. Default: everything, a power cut included.
  ///   - mode: whether the store is opened for writing too. Default: it is.
  ///   - migrations: the steps from older versions of stored records to those of this program, in any order. They run when
  ///     the store, or another group of it, is opened for writing.
  ///   - unreadable: the treatment of unreadable records when others are read together with them. Default: the
  ///     call throws.
  public init(
    durability: Durability = .everyCommit, mode: FileStoreMode = .readWrite, migrations: [Migration] = [],
    unreadable: UnreadableRecords = .refuse
  ) {
    self.unreadable = unreadable
    self.durability = durability
    self.mode = mode
    self.migrations = migrations
  }
}

/// The engine that the instances of a file store share: the files of one group, and the threads that read and write them.
///
/// ```swift
/// let handle = store.handle
/// Task {
///   let other = FileModelStore(handle)
///   print(try await other.list(Person.self).count)
/// }
/// ```
public final class FileStoreHandle: RecordEngine {
  /// The folder of the store.
  public let directory: URL
  /// How the store is opened, and how it writes.
  public let options: FileStoreOptions
  let engine: FileEngine
  let feeds: FileChangeFeeds

  convenience init(
    directory: URL, options: FileStoreOptions, fileSystem: any FileSystem = PosixFileSystem(),
    clock: any EngineClock = SystemClock()
  ) {
    var engineOptions = FileEngineOptions()
    engineOptions.isReadOnly = options.mode == .readOnly
    do throws(FileEngineError) { _ = try directory.filePath() } catch { engineOptions.refusal = error }
    let feeds = FileChangeFeeds()
    engineOptions.reporter = feeds.report
    engineOptions.followReporter = feeds.reportFollowed
    engineOptions.isFollowed = feeds.isObserved
    engineOptions.migrations = MigrationPlan(options.migrations)
    self.init(
      directory: directory, options: options,
      engine: FileEngine(
        directory: directory.path(percentEncoded: false), options: engineOptions, fileSystem: fileSystem, clock: clock),
      feeds: feeds)
  }

  init(directory: URL, options: FileStoreOptions, engine: FileEngine, feeds: FileChangeFeeds) {
    self.directory = directory
    self.options = options
    self.engine = engine
    self.feeds = feeds
  }

  /// The name of the group whose models these are; empty for the group without a name.
  public var group: String { engine.group }

  /// The engine of another group of the same store. Nothing is opened by that.
  ///
  /// - Parameter name: the name of the group: any string.
  public func group(_ name: String) -> FileStoreHandle {
    FileStoreHandle(directory: directory, options: options, engine: engine.group(name), feeds: feeds)
  }
}
