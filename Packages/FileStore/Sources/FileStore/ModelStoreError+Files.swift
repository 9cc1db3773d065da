@_spi(ModelKitInternals) import FieldKit
@_spi(ModelKitInternals) import StoreEngine
@_spi(ModelKitInternals) import StoreProtocol

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

extension ModelStoreError {
  /// Converts an error of the engine.
  init(_ error: FileEngineError) {
    switch error {
    case .conflict(let type, let identifier): self = .conflict(type, identifier: identifier)
    case .notFound(let type, let identifier): self = .notFound(type, identifier: identifier)
    case .taken(_, let identifier, let field, _), .duplicates(_, let field, let identifier, _):
      self.init(.conflict, error.description, identifier: identifier, fields: [field: ["is taken"]])
    default: self.init(error.code, error.description)
    }
    cause = error
  }

  /// Returns the error of a damaged record.
  ///
  /// - Parameters:
  ///   - type: the type name of the model.
  ///   - identifier: the identifier of the model.
  ///   - issue: the damage and its location.
  static func damaged(_ type: String, _ identifier: String, _ issue: IntegrityIssue) -> ModelStoreError {
    let error = FileEngineError.damaged(issue)
    return ModelStoreError(
      .corrupt, "The stored \(type.nameForMessage) \(identifier.quotedForMessage) can't be read: \(error)",
      identifier: identifier, cause: error)
  }

  /// Returns the error of a read that may lack records, because a part of the journal is lost.
  ///
  /// - Parameters:
  ///   - type: the type name of the models; empty for all.
  ///   - identifier: the identifier of the model; empty for all models, or an unknown one.
  ///   - issue: the damage and its location.
  static func incomplete(_ type: String, _ identifier: String, _ issue: IntegrityIssue) -> ModelStoreError {
    let subject =
      type.isEmpty
      ? "Stored models"
      : identifier.isEmpty
        ? "Stored models of \(type.nameForMessage)"
        : "The stored \(type.nameForMessage) \(identifier.quotedForMessage)"
    return ModelStoreError(
      .corrupt, "\(subject) may be missing or outdated: \(FileEngineError.damaged(issue))",
      identifier: identifier.isEmpty ? nil : identifier, cause: FileEngineError.damaged(issue))
  }

  /// Converts an error of the file system.
  init(_ error: FileSystemError) {
    let code: Code =
      switch error.code {
      case ENOSPC, EDQUOT, EFBIG: .full
      case EACCES, EPERM, EROFS: .unauthorized
      default: .inputOutput
      }
    self.init(code, error.description, cause: error)
  }
}

extension FileEngineError {
  fileprivate var code: ModelStoreError.Code {
    switch self {
    case .conflict, .staleRevision, .taken, .duplicates, .notEmpty, .notAStore: .conflict
    case .notFound: .notFound
    case .invalidValue, .insideStore, .noPath, .batchTooLarge, .migrationFailed, .wrongMigrations,
      .reservedType:
      .invalid
    case .identifiersExhausted: .noIdentifier
    case .noRoomToCompact: .full
    case .locked: .locked
    case .newerFormat, .unknownOperation, .closed, .readOnly, .newerModel, .needsMigration: .unsupported
    case .wrongGroup, .unknownGroup, .damaged, .unknownVersion: .corrupt
    case .refusesWrites, .noStore, .noFolder, .lockRemoved: .inputOutput
    }
  }
}
