public import Foundation

/// How a file store writes.
///
/// ```swift
/// let cache = FileStoreOptions(durability: .none)
/// ```
public struct FileStoreOptions: Sendable {
  /// What a write that returned has survived.
  public var durability: Durability

  /// Creates options.
  ///
  /// - Parameter durability: what a write that returned has survived. Default: everything, a power cut included.
  public init(durability: Durability = .everyCommit) {
    self.durability = durability
  }
}

/// What the fronts of a file store share: the files, and the threads that read and write them.
///
/// ```swift
/// let handle = store.handle
/// Task {
///   let front = FileModelStore(handle)
///   print(try await front.list(Person.self).count)
/// }
/// ```
public final class FileStoreHandle: Sendable {
  /// The folder of the store.
  public let directory: URL
  /// How the store writes.
  public let options: FileStoreOptions
  let engine: FileEngine
  let feeds: FileChangeFeeds

  init(directory: URL, options: FileStoreOptions) {
    self.directory = directory
    self.options = options
    let feeds = FileChangeFeeds()
    var engineOptions = FileEngineOptions()
    engineOptions.reporter = feeds.report
    self.feeds = feeds
    engine = FileEngine(directory: directory.path(percentEncoded: false), options: engineOptions)
  }
}
