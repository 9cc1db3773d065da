@_spi(ModelKitInternals) import FieldKit
@_spi(ModelKitInternals) import StoreEngine
@_spi(ModelKitInternals) import StoreProtocol

/// An error of the storage engine. Failed calls to the file system throw ``FileSystemError`` instead.
package enum FileEngineError: Error, Equatable, CustomStringConvertible {
  /// Returns the error for a new model whose identifier is taken.
  case conflict(type: String, identifier: String)

  /// The model to update or delete does not exist.
  case notFound(type: String, identifier: String)

  /// The model was changed since the expected revision.
  case staleRevision(type: String, identifier: String)

  /// A value of a unique index belongs to another model.
  case taken(type: String, identifier: String, field: String, holder: String)

  /// A unique index can't be created, because two models have the same value.
  case duplicates(type: String, field: String, identifier: String, holder: String)

  /// A value is not one line of JSON.
  case invalidValue(type: String, identifier: String, reason: String)

  /// A batch is larger than a segment can be.
  case batchTooLarge(bytes: Int)

  /// The disk has no space for the remaining records of a compaction.
  case noRoomToCompact(folder: String, bytes: UInt64)

  /// There is no integer left for a new model.
  case identifiersExhausted(type: String)

  /// Another process, or another store in this one, has the directory open.
  case locked(directory: String, holder: String)

  /// The files were written by a newer version.
  case newerFormat(path: String, version: UInt64, supported: UInt64)

  /// A record has an unsupported operation.
  case unknownOperation(name: String, file: String, offset: UInt64)

  /// The records of a type have a newer version than the program.
  case newerModel(type: String, version: Int, known: Int)

  /// The records of a type have an older version, and can't be migrated by a read-only store.
  case needsMigration(type: String, version: Int, known: Int)

  /// The version of the records of a type is damaged.
  case unknownVersion(type: String, IntegrityIssue)

  /// A step of a migration failed for a record.
  case migrationFailed(type: String, identifier: String, version: Int, reason: String)

  /// The declared migration steps are inconsistent.
  case wrongMigrations(type: String, reason: String)

  /// The name of a type is reserved.
  case reservedType(String)

  /// A URL is not a path of the file system.
  case noPath(String, reason: String)

  /// The folder contains a file of another program.
  case notAStore(directory: String, name: String)

  /// The store to read does not exist.
  case noStore(directory: String)

  /// The lock file of the store was removed, or its directory was renamed or replaced, so another process may have the
  /// lock too.
  case lockRemoved(directory: String)

  /// The destination is inside the store itself.
  case insideStore(path: String, directory: String)

  /// The folder of the destination does not exist.
  case noFolder(String)

  /// The destination folder is not empty.
  case notEmpty(directory: String)

  /// A group's folder contains the journal of another group.
  case wrongGroup(folder: String, expected: String, found: String)

  /// No readable file in a group's folder names the group.
  case unknownGroup(folder: String)

  /// A part of the files is damaged or missing.
  case damaged(IntegrityIssue)

  /// Writes are rejected after a failed sync, until the store is opened again: the contents of the disk are unknown.
  case refusesWrites(directory: String, cause: String)

  /// The store was opened for reading only.
  case readOnly(directory: String)

  /// The store was closed.
  case closed(directory: String)

  /// A message with the error, the state that is kept, and the remedy.
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
      "The \(type.nameForMessage) \(identifier.quotedForMessage) was not written: its \(field.nameForMessage) must be "
        + "unique, and \(holder.quotedForMessage) has the same value."
    case .duplicates(let type, let field, let identifier, let holder):
      "\(field.nameForMessage) of \(type.nameForMessage) was not indexed as unique: \(holder.quotedForMessage) and "
        + "\(identifier.quotedForMessage) have the same value. Change one of them first."
    case .invalidValue(let type, let identifier, let reason):
      "The value of \(type.nameForMessage) \(identifier.quotedForMessage) \(reason). Nothing was written."
    case .batchTooLarge(let bytes):
      "A batch of \(bytes) bytes is too large: the limit is \(Journal.largestBatch). Nothing was written: "
        + "write it in several batches."
    case .noRoomToCompact(let folder, let bytes):
      "'\(folder)' was not compacted: the remaining records need \(bytes) bytes of free disk space, and the disk has "
        + "less. Nothing was lost: free that space, or delete more models, then compact again."
    case .identifiersExhausted(let type):
      "\(type.nameForMessage) has used the largest integer as an identifier: assign identifiers to new models yourself."
    case .locked(let directory, let holder):
      "The store '\(directory)' is in use by \(holder). Only one store can write at a time: close that one first, "
        + "or open this one with mode: .readOnly."
    case .newerFormat(let path, let version, let supported):
      "'\(path)' has format version \(version), and this version of FileStore reads up to \(supported). "
        + "Nothing was changed: open it with a version of FileStore that supports format \(version)."
    case .unknownOperation(let name, let file, let offset):
      "'\(file)' has a record with the operation \(name.quotedForMessage) at offset \(offset), which this version of "
        + "FileStore does not support. Nothing was changed: open it with the version that wrote it."
    case .newerModel(let type, let version, let known):
      "The records of \(type.nameForMessage) have version \(version), and this program supports version \(known). "
        + "Nothing was changed: use a program with the migrations of \(type.nameForMessage) up to version \(version)."
    case .needsMigration(let type, let version, let known):
      "The records of \(type.nameForMessage) have version \(version), and this program reads version \(known). "
        + "Nothing was changed: open the store for reading and writing once, which migrates them."
    case .unknownVersion(let type, let issue):
      "The version of \(type.nameForMessage) is unknown: \(issue) Nothing was changed: restore that file from a backup, "
        + "or open the store with a program that declares no migrations, and export the readable records."
    case .migrationFailed(let type, let identifier, let version, let reason):
      "The migration of \(type.nameForMessage) to version \(version) failed at \(identifier.quotedForMessage): \(reason). "
        + "Nothing was changed."
    case .wrongMigrations(let type, let reason):
      "The migrations of \(type.nameForMessage) are inconsistent: \(reason). Nothing was changed."
    case .reservedType(let type):
      "\(type.quotedForMessage) can't be the name of a model type: names that begin with @ are reserved. "
        + "Nothing was read or changed: give the class another typeName."
    case .noPath(let url, let reason):
      "'\(url)' can't be a store: \(reason). Nothing was read or written: use a URL made by URL(filePath:)."
    case .notAStore(let directory, let name):
      "'\(directory)' is not a store: '\(name)' in it belongs to another program. Nothing was changed: choose a "
        + "folder that is empty or does not exist yet."
    case .noStore(let directory):
      "There is no store in '\(directory)' yet, and the mode readOnly creates none: open it once with the mode readWrite."
    case .lockRemoved(let directory):
      "The lock of the store '\(directory)' was removed or replaced while it was open, so another process may be writing to it. "
        + "Nothing was written: close the store and open it again, and don't move its directory or its file 'lock' meanwhile."
    case .insideStore(let path, let directory):
      "'\(path)' belongs to the store '\(directory)' itself. Nothing was written: choose another path."
    case .noFolder(let folder):
      "There is no folder '\(folder)'. Nothing was written: create it first, or choose another path."
    case .notEmpty(let directory):
      "'\(directory)' is not empty. Nothing was written: choose a folder that does not exist yet."
    case .wrongGroup(let folder, let expected, let found):
      "'\(folder)' should hold the group \(expected.quotedForMessage) but holds the group \(found.quotedForMessage). "
        + "Nothing was changed: rename the folder to '\(GroupFolder.name(of: found))'."
    case .unknownGroup(let folder):
      "The group in the folder '\(folder)' is unknown. Nothing was changed: if it belongs to another program, "
        + "move it out of the store; if it belongs to this store, restore its files from a backup."
    case .damaged(let issue):
      "\(issue) Nothing was changed, and all other records can be read: repair() keeps them, and moves the damage to a "
        + "quarantine file."
    case .refusesWrites(let directory, let cause):
      "The store '\(directory)' rejects writes because its data could not be synced: \(cause) "
        + "Reads still work; close the store and open it again to see what was kept."
    case .readOnly(let directory):
      "The store '\(directory)' was opened for reading only. Nothing was written: open it with the mode readWrite."
    case .closed(let directory):
      "The store '\(directory)' was closed. Nothing was read or written: create another FileModelStore for the directory."
    }
  }
}
