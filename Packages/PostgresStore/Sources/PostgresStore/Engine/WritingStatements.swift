#if Postgres
  import StoreEngine
  @_spi(ModelKitInternals) import StoreProtocol

  extension PostgresTable {
    /// Returns the statement that writes records of one kind of operation.
    ///
    /// - Parameter number: the new revision.
    func writing(
      _ kind: RecordOperation.Kind, _ operations: [RecordOperation], _ number: Int64
    ) -> PostgresStatement {
      let identifiers = PostgresValue.texts(operations.map { SQLName.encoded($0.identifier) })
      let expected = PostgresValue.integers(operations.map { $0.expectedRevision.map { Int64(bitPattern: $0) } })
      let documents = PostgresValue.documents(operations.map(\.value))
      let columns = columnValues("i.body")
      switch kind {
      case .delete:
        return PostgresStatement(
          """
          DELETE FROM \(sql) AS t USING unnest($1::text[], $2::bigint[]) AS i (id, revision) \
          WHERE t.id = i.id AND (i.revision IS NULL OR t.revision = i.revision) RETURNING t.id
          """, [identifiers, expected])
      case .update:
        return PostgresStatement(
          """
          UPDATE \(sql) AS t SET body = i.body, revision = $4\(columns.map { ", \($0.name) = \($0.value)" }.joined()) \
          FROM (SELECT id, body::json AS body, revision FROM unnest($1::text[], $2::text[], $3::bigint[]) \
          AS n (id, body, revision)) AS i WHERE t.id = i.id AND (i.revision IS NULL OR t.revision = i.revision) RETURNING t.id
          """, [identifiers, documents, expected, .integer(number)])
      case .create:
        // Each partition has a primary key of its own, and identifiers determine partitions.
        let target = isPartitioned ? "" : " (id)"
        return PostgresStatement(
          """
          INSERT INTO \(sql) (id, seq, revision, body\(columns.map { ", \($0.name)" }.joined())) \
          SELECT i.id, nextval(\(SQLName.sequence(SQLName.quoted(schema)))), $3, i.body\(columns.map { ", \($0.value)" }.joined()) \
          FROM (SELECT id, body::json AS body FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS n (id, body, place) ORDER BY place) AS i \
          ON CONFLICT\(target) DO NOTHING RETURNING id
          """, [identifiers, documents, .integer(number)])
      }
    }
  }

  extension PostgresCatalog {
    /// The statement that logs the changes: a row for each run of operations of one kind on one type.
    ///
    /// - Parameter number: the number of the batch.
    func noting(_ operations: [RecordOperation], _ number: Int64) -> PostgresStatement {
      var runs: [ArraySlice<RecordOperation>] = []
      var rest = operations[...]
      while let first = rest.first {
        let run = rest.prefix { $0.operation == first.operation && $0.type == first.type }
        runs.append(run)
        rest = rest.dropFirst(run.count)
      }
      let identifiers = PostgresValue.texts(operations.map { SQLName.encoded($0.identifier) })
      if runs.count > 1_000 {
        // The server finds each run from the beginning of the identifiers.
        return PostgresStatement(
          """
          INSERT INTO \(schema).modelkit_changes (position, transaction, batch, type, ids, kind) \
          SELECT nextval(\(SQLName.sequence(schema))), pg_current_xact_id(), $1, n.type, ARRAY[n.id], n.kind \
          FROM unnest($2::text[], $3::text[], $4::text[]) AS n (type, kind, id)
          """,
          [
            .integer(number), .texts(operations.map(\.type)),
            .texts(operations.map(\.changeKind.rawValue)), identifiers,
          ])
      }
      // An array can't have arrays of different lengths: each run has the positions of its identifiers.
      return PostgresStatement(
        """
        INSERT INTO \(schema).modelkit_changes (position, transaction, batch, type, ids, kind) \
        SELECT nextval(\(SQLName.sequence(schema))), pg_current_xact_id(), $1, n.type, \
        ($4::text[])[n.first:n.last], n.kind \
        FROM unnest($2::text[], $3::text[], $5::bigint[], $6::bigint[]) AS n (type, kind, first, last)
        """,
        [
          .integer(number), .texts(runs.map { $0[$0.startIndex].type }),
          .texts(runs.map { $0[$0.startIndex].changeKind.rawValue }),
          identifiers, .integers(runs.map { Int64($0.startIndex + 1) }), .integers(runs.map { Int64($0.endIndex) }),
        ])
    }
  }

  extension RecordOperation {
    /// The kind of the change that observers receive.
    var changeKind: RecordChange.Kind {
      switch operation {
      case .create: .created
      case .update: .updated
      case .delete: .deleted
      }
    }
  }

  extension SQLName {
    /// Returns the sequence of the orders of records and changes, as a string constant.
    static func sequence(_ schema: String) -> String { constant("\(schema).modelkit_order") }
  }
#endif
