#if Postgres
  import Foundation
  import ModelCore
  import PostgresStore

  /// A model with a field of each kind, in a table that another program made.
  final class Volume: Model {
    let id = Field<Int>()
    let title = Field<String>()
    let pageCount = Field<Int>()
    let price = Field<Decimal>()
    let weight = Field<Double>()
    let isLent = Field<Bool>()
    let boughtAt = Field<Date>()
    let wroteAt = Field<Date>()
    let printed = Field<Day>()
    let code = Field<UUID>()
    let cover = Field<Data>()
    let state = EnumField<VolumeState>()
    let tags = Field<String>()*
    let visits = Field<Date>()*
    let details = Field<JSONValue>()
    let note = Field<String>(key: "remarks.note")
    let shelf = ModelField<Shelf>(foreignKey: true)
    override var identifierField: AnyField? { id }
  }

  enum VolumeState: String, CaseIterable, Sendable {
    case good, worn
  }

  /// A model that is identified by a UUID, with a list that its members' foreign keys make.
  final class Shelf: Model {
    let id = Field<UUID>()
    let label = Field<String>()
    let volumes: ModelArrayField<Volume> = ModelField<Volume>(foreignKey: true, inverse: \.shelf)*
    override var identifierField: AnyField? { id }
  }

  /// A model that is identified by text.
  final class Reader: Model {
    let code = Field<String>()
    let name = Field<String>()
    override var identifierField: AnyField? { code }
  }

  /// A model that is identified by a number without bounds.
  final class Receipt: Model {
    let number = Field<String>()
    let amount = Field<Decimal>()
    override var identifierField: AnyField? { number }
  }

  /// The tables of a library that another program made.
  enum Library {
    static let tables = """
      CREATE TYPE state AS ENUM ('good', 'worn');
      CREATE DOMAIN pages AS int CHECK (value > 0);
      CREATE TABLE shelves (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), label varchar(8) UNIQUE);
      CREATE TABLE volumes (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, title text NOT NULL, page_count pages,
        price numeric(10, 2) DEFAULT 9.99, weight real, is_lent boolean NOT NULL DEFAULT false,
        "boughtAt" timestamptz DEFAULT '2020-01-02 03:04:05.5+02', wrote_at timestamp, printed date, code uuid, cover bytea,
        condition state DEFAULT 'good', tags text[], visits timestamptz[], details jsonb, remarks_note char(6),
        shelf_id uuid REFERENCES shelves, secret text DEFAULT 'hidden',
        slug text GENERATED ALWAYS AS (lower(title)) STORED);
      CREATE TABLE readers (code text PRIMARY KEY, name text);
      CREATE TABLE receipts (number numeric PRIMARY KEY, amount numeric);
      """

    static let mappings = [
      TableMapping(Volume.self, table: "volumes", columns: ["state": "condition"]),
      TableMapping(Shelf.self, table: "shelves"), TableMapping(Reader.self, table: "readers"),
      TableMapping(Receipt.self, table: "receipts"),
    ]

    /// Returns options with a schema that has the tables.
    static func options(_ statements: String = "", mappings: [TableMapping] = mappings) async throws
      -> PostgresStoreOptions
    {
      var options = TestServer.options()
      options.mappings = mappings
      let schema = options.schema
      try await TestServer.shared.value.psql(
        "CREATE SCHEMA \(schema); SET search_path = \(schema); \(tables) \(statements)")
      return options
    }

    /// Runs SQL as another program does, and returns what it prints.
    @discardableResult
    static func run(_ sql: String, _ options: PostgresStoreOptions) async throws -> String {
      try await TestServer.shared.value.psql("SET search_path = \(options.schema); \(sql)")
    }
  }
#endif
