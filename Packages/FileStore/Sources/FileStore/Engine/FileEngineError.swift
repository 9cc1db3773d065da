@_spi(ModelKitInternals) import FieldKit
@_spi(ModelKitInternals) import StoreEngine
@_spi(ModelKitInternals) import StoreProtocol

/// The reason why the storage engine could not do something. Calls to the file system that fail are thrown as
/// ``FileSystemError``.
package enum FileEngineError: Error, Equatable, CustomStringConvertible {
  /// A model was to be created under an identifier that is taken.
  case conflict(type: String, identifier: String)

  /// A model was to be updated or deleted that is not there.
  case notFound(type: String, identifier: String)

  /// A model was changed since the revision that an update is made from was read.
  case staleRevision(type: String, identifier: String)

  /// A value that must not be there twice is that of another model.
  case taken(type: String, identifier: String, field: String, holder: String)

  /// There can't be a unique index, since two models have the same value.
  case duplicates(type: String, field: String, identifier: String, holder: String)

  /// A value is not one line of JSON.
  case invalidValue(type: String, identifier: String, reason: String)

  /// A batch is larger than a segment can be.
  case batchTooLarge(bytes: Int)

  /// The disk has no room for what a compaction keeps.
  case noRoomToCompact(folder: String, bytes: UInt64)

  /// There is no integer left for a new model.
  case identifiersExhausted(type: String)

  /// Another process, or another store in this one, has the directory open.
  case locked(directory: String, holder: String)

  /// The files were written by a newer version.
  case newerFormat(path: String, version: UInt64, supported: UInt64)

  /// A record has an operation that this version does not know.
  case unknownOperation(name: String, file: String, offset: UInt64)

  /// The records of a type have a version that the program does not know yet.
  case newerModel(type: String, version: Int, known: Int)

  /// The records of a type have an older version, and must not be changed now.
  case needsMigration(type: String, version: Int, known: Int)

  /// The version that the records of a type have can't be read any more.
  case unknownVersion(type: String, IntegrityIssue)

  /// A step of a migration failed for a record.
  case migrationFailed(type: String, identifier: String, version: Int, reason: String)

  /// The steps that were declared don't lead from one version to the next.
  case wrongMigrations(type: String, reason: String)

  /// A type has a name that the store keeps to itself.
  case reservedType(String)

  /// A URL stands for no place in the file system.
  case noPath(String, reason: String)

  /// Something in a folder that is to be a store belongs to another program.
  case notAStore(directory: String, name: String)

  /// A store was to be read that does not exist yet.
  case noStore(directory: String)

  /// The lock of the store was removed while it was held, so others may have it too.
  case lockRemoved(directory: String)

  /// Something is to be made in a place that belongs to the store itself.
  case insideStore(path: String, directory: String)

  /// A file is to be made in a folder that does not exist.
  case noFolder(String)

  /// A folder in which something is to be made is not empty.
  case notEmpty(directory: String)

  /// A group's folder holds the journal of another group.
  case wrongGroup(folder: String, expected: String, found: String)

  /// No file in a group's folder names the group any more.
  case unknownGroup(folder: String)

  /// Something in the files can't be read, or is not there any more.
  case damaged(IntegrityIssue)

  /// Writes are refused since a sync failed: what is on the disk is known only after opening again.
  case refusesWrites(directory: String, cause: String)

  /// The store was opened for reading only.
  case readOnly(directory: String)

  /// The store was closed.
  case closed(directory: String)

  /// The error, the state that is kept, and what to do.
  package var description: String {
    switch self {
    case .conflict(let type, let identifier):
      "\(type.nameForMessage) has a model with the identifier \(identifier.quotedForMessage) already. Nothing was written."
    case .notFound(let type, let identifier):
      "\(type.nameForMessage) has no model with the identifier \(identifier.quotedForMessage). Nothing was written."
    case .staleRevision(let type, let identifier):
      "\(type.nameForMessage) \(identifier.quotedForMessage) was changed by another write in the meantime. "
        + "Nothing was written."
    case .taken(let type, let identifier, let field, let holder):
      "The \(type.nameForMessage) \(identifier.quotedForMessage) was not written: its \(field.nameForMessage) has to be "
        + "unique, and \(holder.quotedForMessage) has the same."
    case .duplicates(let type, let field, let identifier, let holder):
      "There is no unique index of \(field.nameForMessage) of \(type.nameForMessage): \(holder.quotedForMessage) and "
        + "\(identifier.quotedForMessage) have the same value. Change one of them first."
    case .invalidValue(let type, let identifier, let reason):
      "The value of \(type.nameForMessage) \(identifier.quotedForMessage) \(reason). Nothing was written."
    case .batchTooLarge(let bytes):
      "A batch of \(bytes) bytes is too large, the limit is \(Journal.largestBatch). Nothing was written: "
        + "write it in several batches."
    case .noRoomToCompact(let folder, let bytes):
      "'\(folder)' was not compacted, since that needs \(bytes) bytes of free disk space for what is kept, and the disk has "
        + "less. Nothing was lost: make so much room on the disk, or delete more models, then compact again."
    case .identifiersExhausted(let type):
      "\(type.nameForMessage) has used the largest integer as an identifier: give new models identifiers of your own."
    case .locked(let directory, let holder):
      "The store '\(directory)' is in use by \(holder). Only one can write to it: close it there first, "
        + "or read it here with mode: .readOnly."
    case .newerFormat(let path, let version, let supported):
      "'\(path)' has format version \(version), and this version of FileStore reads up to \(supported). "
        + "Nothing was changed: open it with a version of FileStore that knows format \(version)."
    case .unknownOperation(let name, let file, let offset):
      "'\(file)' has a record with the operation \(name.quotedForMessage) at offset \(offset), which this version of "
        + "FileStore does not know. Nothing was changed: open it with the version that wrote it."
    case .newerModel(let type, let version, let known):
      "The records of \(type.nameForMessage) have version \(version), and this program knows version \(known). "
        + "Nothing was changed: use a program with the migrations of \(type.nameForMessage) up to version \(version)."
    case .needsMigration(let type, let version, let known):
      "The records of \(type.nameForMessage) have version \(version), and this program reads version \(known). "
        + "Nothing was changed: open the store for reading and writing once, which migrates them."
    case .unknownVersion(let type, let issue):
      "The version of \(type.nameForMessage) is unknown: \(issue) Nothing was changed: put that file of a backup "
        + "in its place, or open the store with a program that declares no migrations, and export what is readable."
    case .migrationFailed(let type, let identifier, let version, let reason):
      "The migration of \(type.nameForMessage) to version \(version) failed at \(identifier.quotedForMessage): \(reason). "
        + "Nothing was changed."
    case .wrongMigrations(let type, let reason):
      "The migrations of \(type.nameForMessage) don't go together: \(reason). Nothing was changed."
    case .reservedType(let type):
      "\(type.quotedForMessage) is no name for a type of models: names that begin with @ belong to the store. "
        + "Nothing was read or changed: give the class another typeName."
    case .noPath(let url, let reason):
      "'\(url)' is no place for files: \(reason). Nothing was read or written: give a URL made by URL(filePath:)."
    case .notAStore(let directory, let name):
      "'\(directory)' is no store, since '\(name)' in it belongs to something else. Nothing was changed: choose a "
        + "folder that is empty or does not exist yet."
    case .noStore(let directory):
      "There is no store in '\(directory)' yet, and the mode readOnly makes none: open it once with the mode readWrite."
    case .lockRemoved(let directory):
      "The lock of the store '\(directory)' was removed while it was open, so another process may be writing to it. "
        + "Nothing was written: close the store and open it again, and leave its file 'lock' where it is."
    case .insideStore(let path, let directory):
      "'\(path)' belongs to the store '\(directory)' itself. Nothing was written: choose another place."
    case .noFolder(let folder):
      "There is no folder '\(folder)'. Nothing was written: make it first, or choose another place."
    case .notEmpty(let directory):
      "'\(directory)' is not empty. Nothing was written: choose a folder that does not exist yet."
    case .wrongGroup(let folder, let expected, let found):
      "'\(folder)' should hold the group \(expected.quotedForMessage) but holds the group \(found.quotedForMessage). "
        + "Nothing was changed: give the folder its old name '\(GroupFolder.name(of: found))' back."
    case .unknownGroup(let folder):
      "The group in the folder '\(folder)' is unknown. Nothing was changed: if it belongs to another program, "
        + "move it elsewhere; if it is of this store, put files of a backup in its place."
    case .damaged(let issue):
      "\(issue) Nothing was changed, and all else can be read: repair() keeps what is readable, and moves the rest to a "
        + "quarantine file."
    case .refusesWrites(let directory, let cause):
      "The store '\(directory)' refuses writes since its data could not be brought to the disk: \(cause) "
        + "What its files still have can be read. Close it and open it again to see what was kept."
    case .readOnly(let directory):
      "The store '\(directory)' was opened for reading only. Nothing was written: open it with the mode readWrite."
    case .closed(let directory):
      "The store '\(directory)' was closed. Nothing was read or written: make another FileModelStore for the directory."
    }
  }
}
