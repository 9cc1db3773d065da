@_spi(ModelKitInternals) import StoreEngine
public import StoreProtocol

/// One step from a version of the stored records of a model type to the next.
///
/// Records that were written before there were migrations have version 1. Steps are declared once and stay in the program as
/// long as a store may still have older records:
///
/// ```swift
/// let options = FileStoreOptions(migrations: [
///   Migration(Person.self, to: 2) { record in
///     try record.rename("fullName", to: "name")
///     record.drop("shoeSize")
///   },
///   Migration(Person.self, to: 3) { record in
///     try record.convert("age") { .string("\($0.intValue ?? 0) years") }
///     try record.split("name") { name in
///       let parts = (name.stringValue ?? "").split(separator: " ", maxSplits: 1).map(String.init)
///       return ["first": .string(parts.first ?? ""), "last": .string(parts.count > 1 ? parts[1] : "")]
///     }
///   },
/// ])
/// let store = FileModelStore(directory: url, options: options)
/// ```
///
/// Due steps run when the store is opened for writing, before any record is read, over all records of the type in a
/// group. Their changes, in all types, and the new versions are one batch of the journal. After a crash it is whole or
/// absent, and the next opening begins again. If a step throws, nothing is changed, and the store is not opened.
///
/// A program without the steps that a store has behind it is refused: it would take new records for old ones.
public struct Migration: Sendable {
  /// The name of the type of the models in stores.
  public let typeName: String
  /// The version that records have after the step.
  public let version: Int
  let body: @Sendable (inout MigratingRecord) throws -> Void

  /// Describes a step.
  ///
  /// - Parameters:
  ///   - type: the class of the models.
  ///   - version: the version that records have afterwards: 2 for the first step, 3 for the one after it.
  ///   - body: changes one record. It may run more often than once for a record, if opening the store does not come to its
  ///     end; so it should do nothing else.
  public init<M: Model>(
    _ type: M.Type, to version: Int, _ body: @escaping @Sendable (_ record: inout MigratingRecord) throws -> Void
  ) {
    self.init(M.typeName, to: version, body)
  }

  /// Describes a step for a type that the program may have no class for any more.
  ///
  /// - Parameters:
  ///   - typeName: what stores call the type of the models.
  ///   - version: the version that records have afterwards: 2 for the first step, 3 for the one after it.
  ///   - body: changes one record.
  public init(
    _ typeName: String, to version: Int,
    _ body: @escaping @Sendable (_ record: inout MigratingRecord) throws -> Void
  ) {
    self.typeName = typeName
    self.version = version
    self.body = body
  }
}
