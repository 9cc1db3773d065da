public import StoreProtocol

/// One step from a version of the stored records of a model type to the next.
///
/// Records have version 1 until their first migration. Keep the declaration of a step as long as a store may have older
/// records:
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
///       let parts = (name.stringValue ?? "")
///         .split(separator: " ", maxSplits: 1).map(String.init)
///       return [
///         "first": .string(parts.first ?? ""),
///         "last": .string(parts.count > 1 ? parts[1] : ""),
///       ]
///     }
///   },
/// ])
/// let store = FileModelStore(directory: url, options: options)
/// ```
///
/// A file store runs pending steps when it is opened for writing, before any other read, on all records of the type in a
/// group. A PostgreSQL store runs them when it is first used or prepared. The changes of all types and the new
/// versions are written together. After a crash they are stored completely or not at all, and the next opening repeats
/// the steps if needed. If a step throws, nothing is changed, and the store is not opened.
///
/// A program that lacks steps which a store has run can't open the store: it would misread migrated records.
public struct Migration: Sendable {
  /// The type name of the models.
  public let typeName: String
  /// The version of records after the step.
  public let version: Int
  /// Changes one record.
  @_spi(ModelKitInternals) public let body: @Sendable (inout MigratingRecord) throws -> Void

  /// Creates a step.
  ///
  /// - Parameters:
  ///   - type: the class of the models.
  ///   - version: the version of records after the step: 2 for the first step, 3 for the next one.
  ///   - body: changes one record. It may run more than once for a record if opening the store is interrupted, so it
  ///     must have no other effects.
  public init<M: Model>(
    _ type: M.Type, to version: Int, _ body: @escaping @Sendable (_ record: inout MigratingRecord) throws -> Void
  ) {
    self.init(M.typeName, to: version, body)
  }

  /// Creates a step for a type whose class the program may no longer have.
  ///
  /// - Parameters:
  ///   - typeName: the type name of the models.
  ///   - version: the version of records after the step: 2 for the first step, 3 for the next one.
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
