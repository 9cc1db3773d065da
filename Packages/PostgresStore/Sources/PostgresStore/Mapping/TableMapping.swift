#if Postgres
  @_spi(ModelKitInternals) public import ModelCore

  /// The use of an existing table for the models of a class: which column has the value of which field.
  ///
  /// ```swift
  /// options.mappings = [
  ///   TableMapping(
  ///     Book.self, table: "books", schema: "library",
  ///     columns: ["author": "written_by"])
  /// ]
  /// ```
  ///
  /// A field that is missing in `columns` is stored in the column with the name of its key, or of its key in snake
  /// case. For `pageCount` that is `pageCount` or `page_count`. A foreign key also has `author_id`. Other columns of
  /// the table are left alone.
  ///
  /// The table is compared with the class when the type is first used, or by ``PostgresModelStore/prepare(_:dryRun:)``.
  /// A field without a column that can hold its values is an error then.
  public struct TableMapping: Sendable {
    /// The name of the type of the models.
    public let typeName: String
    /// The name of the table.
    public let table: String
    /// The schema of the table; nil for that of the store.
    public let schema: String?
    /// The names of columns, by the keys of fields.
    public let columns: [String: String]
    /// The column by whose values models without another order are sorted; nil for an order of the store's own.
    public let order: String?
    let fields: [MappedField]

    /// Describes the table of a class.
    ///
    /// - Parameters:
    ///   - type: the class of the models.
    ///   - table: the name of the table.
    ///   - schema: the schema of the table; nil for that of the store.
    ///   - columns: the names of columns, by the keys of fields as they are declared.
    ///   - order: a unique column of integers, by which models without another order are sorted. Without it they are
    ///     sorted by an identifier that is an integer, and otherwise by a hash of the identifier.
    ///   - transformers: the transformers of the scopes in which the store is used.
    public init<M: Model>(
      _ type: M.Type, table: String, schema: String? = nil, columns: [String: String] = [:], order: String? = nil,
      transformers: ValueTransformerContext = .standard
    ) {
      typeName = M.typeName
      self.table = table
      self.schema = schema
      self.columns = columns
      self.order = order
      fields = MappedField.fields(of: transformers.prepared(M()), transformers)
    }
  }
#endif
