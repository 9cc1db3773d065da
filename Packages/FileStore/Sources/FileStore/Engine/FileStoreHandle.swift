public import Foundation
@_spi(ModelKitInternals) public import StoreEngine
@_spi(ModelKitInternals) import StoreProtocol

/// The mode in which a file store is opened.
public enum FileStoreMode: Sendable, Hashable {
  /// Opens the store for reading and writing. Only one process at a time can do that.
  case readWrite

  /// Opens an existing store for reading only, in any number of processes, even while another one writes. The next call
  /// sees new commits; observers receive them within a quarter of a second.
  case readOnly
}

/// The options of a file store: how it is opened, and how it writes.
///
/// ```swift
/// let cache = FileStoreOptions(durability: .none)
/// let viewer = FileStoreOptions(mode: .readOnly)
/// ```
public struct FileStoreOptions: Sendable {
  /// The failures that a returned write survives.
  public var durability: Durability
  /// The mode: reading and writing, or reading only.
  public var mode: FileStoreMode
  /// The migration steps from older versions of stored records.
  public var migrations: [Migration]
  /// The treatment of unreadable records.
  public var unreadable: UnreadableRecords

  /// Whether records of any model version are accepted, and none is migrated. For tools that read no models.
  @_spi(ModelKitInternals)
  public var acceptsAnyVersion = false

  /// Creates options.
  ///
  /// - Parameters:
  ///   - durability: the failures that a returned write survives. By default it survives a power cut.
  ///   - mode: reading and writing, which is the default, or reading only.
  ///   - migrations: the migration steps from older versions of stored records, in any order. They run when the store,
  ///     or another group of it, is opened for writing.
  ///   - unreadable: the treatment of unreadable records by calls that read several records. By default the call
  ///     throws.
  public init(
    durability: Durability = .everyCommit, mode: FileStoreMode = .readWrite, migrations: [Migration] = [],
    unreadable: UnreadableRecords = .fail
  ) {
    self.unreadable = unreadable
    self.durability = durability
    self.mode = mode
    self.migrations = migrations
  }
}

/// The shared engine of a file store's instances: the files of one group, and the threads that read and write them.
///
/// ```swift
/// let handle = store.handle
/// Task {
///   let other = FileModelStore(handle)
///   print(try await other.list(Person.self).count)
/// }
/// ```
public final class FileStoreHandle: CommitOrderedEngine {
  /// The folder of the store.
  public let directory: URL
  /// The options of the store.
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
    engineOptions.migrations = options.acceptsAnyVersion ? nil : MigrationPlan(options.migrations)
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

  /// The name of the group; empty for the default group.
  public var group: String { engine.group }

  /// The folder with the files of the group, for tools that show their sizes.
  @_spi(ModelKitInternals)
  public var groupFolder: URL {
    directory.appending(path: StoreFormat.groups).appending(path: GroupFolder.name(of: group))
  }

  /// Returns the engine of another group of the same store, without opening it.
  ///
  /// - Parameter name: the name of the group: any string.
  public func group(_ name: String) -> FileStoreHandle {
    FileStoreHandle(directory: directory, options: options, engine: engine.group(name), feeds: feeds)
  }
}
