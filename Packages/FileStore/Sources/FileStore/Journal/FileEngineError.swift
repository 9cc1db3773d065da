/// Why the storage engine could not do what it was asked to. Calls to the file system that fail are thrown as
/// ``FileSystemError``.
package enum FileEngineError: Error, Equatable, CustomStringConvertible {
  /// A model was to be created under an identifier that is taken.
  case conflict(type: String, identifier: String)

  /// A model was to be updated or deleted that is not there.
  case notFound(type: String, identifier: String)

  /// A model was changed since the revision that an update is made from was read.
  case staleRevision(type: String, identifier: String)

  /// A value is not one line of JSON.
  case invalidValue(type: String, identifier: String, reason: String)

  /// A batch is larger than a segment can be.
  case batchTooLarge(bytes: Int)

  /// There is no integer left for a new model.
  case identifiersExhausted(type: String)

  /// Another process, or another store in this one, has the directory open.
  case locked(directory: String, holder: String)

  /// The files were written by a newer version.
  case newerFormat(path: String, version: UInt64, supported: UInt64)

  /// A record has an operation that this version does not know.
  case unknownOperation(name: String, file: String, offset: UInt64)

  /// A group's folder holds the journal of another group.
  case wrongGroup(folder: String, expected: String, found: String)

  /// A record that was fine when the store was opened can't be read any more.
  case damaged(Finding)

  /// Writes are refused since a sync failed: what is on the disk is known only after opening again.
  case refusesWrites(directory: String, cause: String)

  /// The store was opened for reading only.
  case readOnly(directory: String)

  /// The store was closed.
  case closed(directory: String)

  /// What was wrong, what was kept, and what to do.
  package var description: String {
    switch self {
    case .conflict(let type, let identifier):
      "'\(type)' has a model with the identifier \(Self.quoted(identifier)) already. Nothing was written."
    case .notFound(let type, let identifier):
      "'\(type)' has no model with the identifier \(Self.quoted(identifier)). Nothing was written."
    case .staleRevision(let type, let identifier):
      "'\(type)' \(Self.quoted(identifier)) was changed by another write in the meantime. Nothing was written."
    case .invalidValue(let type, let identifier, let reason):
      "The value of '\(type)' \(Self.quoted(identifier)) \(reason). Nothing was written."
    case .batchTooLarge(let bytes):
      "A batch of \(bytes) bytes is too large, the limit is \(Journal.largestBatch). Nothing was written: "
        + "write it in several batches."
    case .identifiersExhausted(let type):
      "'\(type)' has used the largest integer as an identifier: give new models identifiers of your own."
    case .locked(let directory, let holder):
      "The store '\(directory)' is in use by \(holder). Only one can have it open: close it there first."
    case .newerFormat(let path, let version, let supported):
      "'\(path)' has format version \(version), and this version of FileStore reads up to \(supported). "
        + "Nothing was changed: open it with a version of FileStore that knows format \(version)."
    case .unknownOperation(let name, let file, let offset):
      "'\(file)' has a record with the operation '\(name)' at offset \(offset), which this version of FileStore "
        + "does not know. Nothing was changed: open it with the version that wrote it."
    case .wrongGroup(let folder, let expected, let found):
      "'\(folder)' should hold the group \(Self.quoted(expected)) but holds the group \(Self.quoted(found)). "
        + "Nothing was changed: give the folder its old name back."
    case .damaged(let finding): finding.description
    case .refusesWrites(let directory, let cause):
      "The store '\(directory)' refuses writes since its data could not be brought to the disk: \(cause) "
        + "Reading still works. Close it and open it again to see what was kept."
    case .readOnly(let directory):
      "The store '\(directory)' was opened for reading only. Nothing was written: open it with the mode readWrite."
    case .closed(let directory): "The store '\(directory)' is closed."
    }
  }

  /// An identifier as a reader can see it: quoted, and cut if it is very long.
  private static func quoted(_ text: String) -> String {
    let start = text.unicodeScalars.prefix(80)
    return start.endIndex == text.endIndex ? text.debugDescription : String(start).debugDescription + "…"
  }
}
