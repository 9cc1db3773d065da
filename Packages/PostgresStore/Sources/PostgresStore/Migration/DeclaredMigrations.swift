#if Postgres
  @_spi(ModelKitInternals) import ModelCore
  @_spi(ModelKitInternals) import StoreEngine
  @_spi(ModelKitInternals) import StoreProtocol

  /// The migration steps that a program declares.
  struct DeclaredMigrations: Sendable {
    private let steps: [String: [Migration]]
    private let mappedTypes: Set<String>

    init(_ options: PostgresStoreOptions) {
      steps = Dictionary(grouping: options.migrations, by: \.typeName).mapValues { steps in
        steps.sorted { $0.version < $1.version }
      }
      mappedTypes = Set(options.mappings.map(\.typeName))
    }

    /// The types that have steps.
    var types: [String] { steps.keys.sorted() }

    /// Returns the version of the records of a type after all steps.
    func version(of type: String) -> Int { steps[type]?.last?.version ?? 1 }

    /// Returns the steps from a version to that of the program.
    ///
    /// - Throws: `ModelStoreError` with the code `invalid` for steps that are declared wrongly, or `unsupported` for
    ///   records of a later version.
    func steps(_ type: String, from version: Int) throws -> ArraySlice<Migration> {
      let steps = steps[type] ?? []
      if mappedTypes.contains(type), !steps.isEmpty {
        throw mistake(type, "its rows are in an existing table. Migrate them with SQL.")
      }
      for (number, step) in steps.enumerated() where step.version != steps[0].version + number {
        throw mistake(type, "each step needs a version of its own, and none may be missing before \(step.version).")
      }
      if let first = steps.first, first.version < 2 { throw mistake(type, "the first step has the version 2.") }
      guard version <= self.version(of: type) else {
        throw ModelStoreError(
          .unsupported,
          """
          The store can't be used: a later program has migrated the records of \(type.nameForMessage) to version \
          \(version). Update this program.
          """)
      }
      let due = steps.drop { $0.version <= version }
      if let first = due.first, first.version > version + 1 {
        throw mistake(type, "the store has version \(version), and there is no step to version \(version + 1).")
      }
      return due
    }

    private func mistake(_ type: String, _ reason: String) -> ModelStoreError {
      ModelStoreError(.invalid, "Nothing was migrated for \(type.nameForMessage): \(reason)")
    }

    /// Returns a record after some steps; nil if they leave it unchanged.
    ///
    /// - Throws: `ModelStoreError` with the code `invalid` for a step that throws, `corrupt` for another record.
    static func migrated(
      _ record: StoredRecord, of type: String, _ steps: ArraySlice<Migration>
    ) throws -> MigratingRecord? {
      guard let value = (try? JSONValue(json: record.bytes))?.objectValue else {
        throw ModelStoreError(
          .corrupt,
          """
          Nothing was migrated: the record \(record.identifier.quotedForMessage) of \(type.nameForMessage) is not a \
          JSON object. Change or delete its row.
          """, identifier: record.identifier)
      }
      var migrating = MigratingRecord(typeName: type, identifier: record.identifier, value: value)
      for step in steps where !migrating.isRemoved {
        do {
          try step.body(&migrating)
        } catch {
          throw ModelStoreError(
            .invalid,
            """
            Nothing was migrated: the step of \(type.nameForMessage) to version \(step.version) failed for the record \
            \(record.identifier.quotedForMessage): \(error)
            """, identifier: record.identifier, cause: error)
        }
      }
      return migrating.isRemoved || migrating.value != value ? migrating : nil
    }
  }
#endif
