@_spi(ModelKitInternals) import FieldKit
@_spi(ModelKitInternals) import StoreEngine
@_spi(ModelKitInternals) import StoreProtocol

/// The import of an exported file into a store: the file is checked first, then read again and written.
struct JSONImport {
  /// The approximate number of bytes that are written as one batch.
  private static let batchSize = 4 << 20

  private let engine: FileEngine
  private let path: String
  private let existing: FileStoreImport.Existing
  private let durability: Durability
  private let models: ImportedModels
  private var outcome = FileStoreImport()

  init(
    engine: FileEngine, path: String, existing: FileStoreImport.Existing, durability: Durability, models: ImportedModels
  ) {
    self.engine = engine
    self.path = path
    self.existing = existing
    self.durability = durability
    self.models = models
  }

  mutating func run(_ progress: (FileStoreProgress) -> Void) async throws -> FileStoreImport {
    if engine.isReadOnly { throw FileEngineError.readOnly(directory: engine.service.directory) }
    let contents = try await engine.contents()
    let (file, size) = try await engine.reading { [path, fileSystem = engine.service.fileSystem] in
      let file = try fileSystem.open(path, .read)
      return (file, try file.size())
    }
    var declared = engine.service.migrations
    if declared == nil {
      declared = try await engine.reading { MigrationPlan(versions: try ModelVersions.all(in: contents)) }
    }
    let migrations = declared ?? MigrationPlan()
    do {
      try await check(ExportReader(file), contents, migrations) {
        progress(FileStoreProgress(0, $0, of: size * 2))
      }
    } catch let error as ExportFileError {
      throw ModelStoreError(
        .invalid,
        "Nothing was imported from '\(path)', \(error.text)")
    }
    try await write(ExportReader(file), contents, migrations) { count, done in
      progress(FileStoreProgress(count, size + done, of: size * 2))
    }
    return outcome
  }

  // MARK: Checking

  /// A hash that identifies a model: collisions are practically impossible.
  private struct Fingerprint: Hashable {
    let first: Int
    let second: Int

    init(_ model: ExportedModel) {
      func hash(_ seed: Int) -> Int {
        var hasher = Hasher()
        hasher.combine(seed)
        hasher.combine(Array(model.type.utf8))
        hasher.combine(Array(model.identifier.utf8))
        return hasher.finalize()
      }
      (first, second) = (hash(1), hash(2))
    }
  }

  private func check(
    _ start: ExportReader, _ contents: JournalContents, _ migrations: MigrationPlan, _ progress: (UInt64) -> Void
  ) async throws {
    var reader = start
    var seen: Set<Fingerprint> = []
    while true {
      try Task.checkCancellation()
      let (next, models) = try await Self.read(reader, engine, migrations)
      reader = next
      if models.isEmpty { break }
      try self.models.check(models, from: path)
      for model in models {
        let place = "at line \(model.line), offset \(model.offset)"
        if !seen.insert(Fingerprint(model)).inserted {
          throw ModelStoreError(
            .conflict,
            """
            Nothing was imported from '\(path)': \(model.type.nameForMessage) \(model.identifier.quotedForMessage) occurs \
            twice, the second time \(place).
            """,
            identifier: model.identifier)
        }
        if existing == .reject, contents.entry(model.type, model.identifier) != nil {
          throw ModelStoreError(
            .conflict,
            """
            Nothing was imported from '\(path)': the model \(place) is \(model.type.nameForMessage) \
            \(model.identifier.quotedForMessage), which the store already has. Import with existing: .keep or .replace.
            """, identifier: model.identifier)
        }
      }
      progress(reader.offset)
    }
  }

  /// Reads the next models, migrated to the versions of the store.
  private static func read(
    _ start: ExportReader, _ engine: FileEngine, _ migrations: MigrationPlan
  ) async throws -> (reader: ExportReader, models: [ExportedModel]) {
    try await engine.reading {
      var reader = start
      var models: [ExportedModel] = []
      repeat {
        let read = try reader.nextModels()
        if read.isEmpty { break }
        for model in read {
          guard !StoreFormat.isReservedType(model.type) else {
            throw ExportFileError(line: model.line, offset: model.offset, reason: "models can't have this type")
          }
          let version = reader.modelVersions[model.type] ?? 1
          let value: [UInt8]?
          do {
            value = try migrations.migrate(model.value, of: model.type, model.identifier, from: version)
          } catch let error as FileEngineError {
            throw ExportFileError(line: model.line, offset: model.offset, reason: "\(error)")
          }
          if let value {
            if value.withUnsafeBytes(RecordLimits.isTooDeep) {
              throw ExportFileError(
                line: model.line, offset: model.offset, reason: "the value \(RecordLimits.tooDeep)")
            }
            var model = model
            model.value = value
            models.append(model)
          }
        }
        // Migrations may have removed all models of a part.
      } while models.isEmpty
      return (reader, models)
    }
  }

  // MARK: Writing

  private mutating func write(
    _ start: ExportReader, _ contents: JournalContents, _ migrations: MigrationPlan,
    _ progress: (Int, UInt64) -> Void
  ) async throws {
    var reader = start
    var pending: [ExportedModel] = []
    var size = 0
    do {
      while true {
        try Task.checkCancellation()
        let (next, models) = try await Self.read(reader, engine, migrations)
        reader = next
        pending += models
        size += models.reduce(0) { $0 + $1.value.count }
        if models.isEmpty || size >= Self.batchSize {
          try await write(pending, contents)
          progress(outcome.count, reader.offset)
          pending = []
          size = 0
        }
        if models.isEmpty { return }
      }
    } catch {
      throw partial(error)
    }
  }

  private mutating func write(_ models: [ExportedModel], _ contents: JournalContents) async throws {
    var changes: [Change] = []
    var written = outcome
    for model in models {
      let isThere = contents.entry(model.type, model.identifier) != nil
      switch existing {
      case .keep where isThere: written.keptCount += 1
      case .replace where isThere:
        changes.append(.update(model.type, model.identifier, model.value))
        written.replacedCount += 1
      default:
        changes.append(.create(model.type, model.identifier, model.value))
        written.createdCount += 1
      }
    }
    if !changes.isEmpty { try await engine.write(changes, durability: durability) }
    outcome = written
  }

  /// Returns the error of a failed import with the number of written models.
  private func partial(_ error: any Error) -> ModelStoreError {
    var reason: ModelStoreError
    switch error {
    case let error as FileEngineError: reason = ModelStoreError(error)
    case let error as FileSystemError: reason = ModelStoreError(error)
    case let error as ModelStoreError: reason = error
    case is CancellationError: reason = ModelStoreError(.cancelled, "The task was cancelled.", cause: error)
    case let error as ExportFileError:
      reason = ModelStoreError(
        .invalid, "The file changed during the import: \(error.text)")
    default: reason = ModelStoreError(.inputOutput, "\(error)", cause: error)
    }
    let done = outcome.createdCount + outcome.replacedCount
    let rest =
      done == 0 ? "Nothing was imported." : "The first \(outcome.count) models of '\(path)' were imported and stay."
    reason.message = "\(rest) \(reason.message)"
    return reason
  }
}
