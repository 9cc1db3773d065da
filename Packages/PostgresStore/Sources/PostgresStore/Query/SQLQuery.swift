#if Postgres
  @_spi(ModelKitInternals) import ModelCore
  @_spi(ModelKitInternals) import StoreProtocol

  /// A query as SQL.
  struct SQLQuery {
    /// The condition; nil for all records.
    private(set) var condition: String?
    private(set) var order: [String] = []
    /// The number of rows that is enough; nil for all.
    private(set) var limit: Int?
    /// Whether the condition holds for exactly the models of the query.
    private(set) var isExact: Bool
    private(set) var values: [PostgresValue] = []
    let table: PostgresTable

    /// Translates a query.
    ///
    /// - Parameter evaluation: the place where other conditions are evaluated, for a query that names none.
    /// - Throws: `ModelStoreError` with the code `unsupported`, ``SQLTranslator/TableIsNeeded``.
    init<M: Model>(
      _ query: ModelQuery<M>, _ context: ValueTransformerContext, _ tables: [String: PostgresTable],
      _ evaluation: QueryEvaluation
    ) throws {
      var translator = SQLTranslator(context, tables)
      let level = try translator.level(M.self, alias: "t")
      guard let table = level.table else { throw SQLTranslator.TableIsNeeded(type: M.typeName) }
      self.table = table
      isExact = !M.hierarchyChoosesClasses && M.isTopOfHierarchy
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
      condition = conditions.isEmpty ? nil : conditions.joined(separator: " AND ")
      var isOrdered = true
      for sort in query.sort where isOrdered {
        var attempt = translator
        if let part = try? attempt.order(sort.order, level) {
          order.append(part)
          translator = attempt
        } else {
          // The store sorts the records.
          (isOrdered, order) = (false, [])
        }
      }
      values = translator.values
      if isExact, isOrdered, let limit = query.limit {
        self.limit = limit.addingReportingOverflow(query.offset).overflow ? nil : limit + query.offset
      }
    }

    private static func terms(_ filter: QueryExpression?) -> [QueryExpression] {
      guard case .and(let terms) = filter else { return filter.map { [$0] } ?? [] }
      return terms.flatMap { Self.terms($0) }
    }

    private var matches: String { condition.map { " WHERE \($0)" } ?? "" }

    /// Returns the statement that selects the records.
    ///
    /// - Parameter start: the position after which they are; 0 for all.
    func selection(after start: UInt64) -> PostgresStatement {
      var sql = "SELECT \(table.selection("t")) FROM \(table.sql) AS t\(matches)"
      var values = values
      if start > 0 {
        values.append(.integer(table.orderValue(at: start)))
        sql += "\(condition == nil ? " WHERE" : " AND") \(table.order("t")) > $\(values.count)"
      }
      sql += " ORDER BY " + (order + [table.order("t")]).joined(separator: ", ")
      if let limit {
        values.append(.integer(Int64(limit)))
        sql += " LIMIT $\(values.count)"
      }
      return PostgresStatement(sql, values)
    }

    /// The statement that counts the records.
    var counting: PostgresStatement { PostgresStatement("SELECT count(*) FROM \(table.sql) AS t\(matches)", values) }
  }
#endif
