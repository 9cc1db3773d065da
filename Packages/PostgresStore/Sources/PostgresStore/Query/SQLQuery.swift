#if Postgres
  @_spi(ModelKitInternals) import ModelCore
  import StoreEngine
  @_spi(ModelKitInternals) import StoreProtocol

  /// A query as SQL.
  struct SQLQuery {
    /// The condition; nil for all records.
    private(set) var condition: String?
    private(set) var order: [String] = []
    /// Whether the rows come in the order of the query.
    private(set) var isSorted = false
    /// The number of rows that is enough; nil for all.
    private(set) var limit: Int?
    /// The number of rows that are left out at the beginning.
    private(set) var offset = 0
    /// Whether the condition holds for exactly the models of the query.
    private(set) var isExact: Bool
    /// Whether others can follow the selected records, in the order of creation.
    private(set) var isPart = false
    private(set) var values: [PostgresValue] = []
    /// The values of groups of the records; nil if SQL calculates them in another way.
    private(set) var aggregation: SQLAggregation?
    let table: PostgresTable

    /// Translates a query.
    ///
    /// - Parameters:
    ///   - start: the position after which the records are.
    ///   - aggregation: the values of groups that are calculated.
    ///   - evaluation: the place where other conditions are evaluated, for a query that names none.
    /// - Throws: `ModelStoreError` with the code `unsupported`, ``SQLTranslator/TableIsNeeded``.
    init<M: Model>(
      _ query: ModelQuery<M>, after start: SelectionStart?, aggregating aggregation: RecordAggregation? = nil,
      _ context: ValueTransformerContext,
      _ tables: [String: PostgresTable], _ evaluation: QueryEvaluation
    ) throws {
      var translator = SQLTranslator(context, tables)
      let level = try translator.level(M.self, alias: "t")
      guard let table = level.table else { throw SQLTranslator.TableIsNeeded(type: M.typeName) }
      self.table = table
      // SQL does not know the class of a record; all of them are models of the topmost one.
      isExact = M.isTopOfHierarchy
      let isInMemory = query.evaluation == .inMemory || evaluation == .inMemory
      var conditions: [String] = []
      for term in Self.terms(query.filter) {
        do {
          var attempt = translator
          conditions.append(try attempt.condition(term, level))
          translator = attempt
        } catch let error as Untranslatable {
          guard isInMemory else {
            throw ModelStoreError(
              .unsupported,
              """
              PostgreSQL can't evaluate \(error.part): \(error.reason). Use evaluation: .inMemory, or another condition.
              """)
          }
          // All records for which the other terms hold are tested.
          isExact = false
        }
      }
      do {
        var attempt = translator
        let order = try query.sort.map { try attempt.order($0.order, level) }
        if let start, start.order > 0 || !start.values.isEmpty {
          conditions.append(try attempt.follows(start, query.sort.map(\.order), level))
        }
        (self.order, translator, isSorted) = (order, attempt, true)
        isPart = start?.allowsPart == true && query.sort.isEmpty && query.offset == 0 && query.limit != nil
        if isExact || isPart, let limit = query.limit { (self.limit, offset) = (limit, query.offset) }
      } catch is Untranslatable {
        // The store sorts the records.
      }
      if let aggregation {
        do {
          var attempt = translator
          self.aggregation = try SQLAggregation(aggregation, &attempt, level)
          if self.aggregation != nil { translator = attempt }
        } catch is Untranslatable {
          // The store reads the records.
        }
      }
      conditions += translator.provisos.sorted()
      condition = conditions.isEmpty ? nil : conditions.joined(separator: " AND ")
      values = translator.values
    }

    private static func terms(_ filter: QueryExpression?) -> [QueryExpression] {
      guard case .and(let terms) = filter else { return filter.map { [$0] } ?? [] }
      return terms.flatMap { Self.terms($0) }
    }

    private var matches: String { condition.map { " WHERE \($0)" } ?? "" }

    /// The statement that selects the records.
    var selection: PostgresStatement {
      var sql = "SELECT \(table.selection("t")) FROM \(table.sql) AS t\(matches)"
      var values = values
      sql += " ORDER BY " + (order + [table.order("t")]).joined(separator: ", ")
      if let limit {
        values.append(.integer(Int64(limit)))
        sql += " LIMIT $\(values.count)"
      }
      if offset > 0 {
        values.append(.integer(Int64(offset)))
        sql += " OFFSET $\(values.count)"
      }
      return PostgresStatement(sql, values)
    }

    /// The statement that calculates the values of groups; nil if SQL calculates them in another way.
    var aggregating: PostgresStatement? {
      aggregation.map { PostgresStatement($0.statement(table, matches), values) }
    }

    /// The statement that counts the records.
    var counting: PostgresStatement { PostgresStatement("SELECT count(*) FROM \(table.sql) AS t\(matches)", values) }
  }
#endif
