#if Postgres
  @_spi(ModelKitInternals) import ModelCore
  import StoreEngine
  @_spi(ModelKitInternals) import StoreProtocol

  /// A part of a query that SQL can't express in the way in which stores compare.
  struct Untranslatable: Error {
    let part: String
    let reason: String
  }

  /// A translator of conditions and orders to SQL.
  ///
  /// In SQL a comparison with null is neither true nor false. A condition counts as false then, as a comparison with
  /// nil does; `NOT` is written as `IS NOT TRUE`, so that its result is true.
  struct SQLTranslator {
    /// A model or an element of a list that a part of a condition is about.
    struct Level {
      /// A model of the class, which names its fields; nil for an element of a list.
      let prototype: ModelObject?
      let table: PostgresTable?
      /// The name of the row in the statement.
      let alias: String
      /// How the elements of a list are compared.
      var element: SQLScalar?
    }

    /// A table that has to be known first.
    struct TableIsNeeded: Error {
      let type: String
    }

    let context: ValueTransformerContext
    let tables: [String: PostgresTable]
    private(set) var values: [PostgresValue] = []
    /// The conditions under which the columns that are used have the values of all records.
    private(set) var provisos: Set<String> = []
    private var lastAlias = 0

    init(_ context: ValueTransformerContext, _ tables: [String: PostgresTable]) {
      self.context = context
      self.tables = tables
    }

    /// Returns the level of a class of models.
    mutating func level(_ type: ModelObject.Type, alias: String) throws -> Level {
      guard let table = tables[type.typeName] else { throw TableIsNeeded(type: type.typeName) }
      return Level(prototype: context.prepared(type.init()), table: table, alias: alias)
    }

    private mutating func newAlias() -> String {
      lastAlias += 1
      return "r\(lastAlias)"
    }

    /// Returns the placeholder of a new parameter.
    mutating func parameter(_ value: PostgresValue) -> String {
      values.append(value)
      return "$\(values.count)"
    }

    // MARK: Conditions

    mutating func condition(_ expression: QueryExpression, _ level: Level) throws -> String {
      switch expression {
      case .constant(let value): return value ? "TRUE" : "FALSE"
      case .and(let terms): return try joined(terms, "AND", "TRUE", level)
      case .or(let terms): return try joined(terms, "OR", "FALSE", level)
      case .not(let term): return "(\(try condition(term, level))) IS NOT TRUE"
      case .comparison(let comparison): return try self.comparison(comparison, level)
      case .any(let path, let condition): return try any(path, condition, level)
      }
    }

    private mutating func joined(
      _ terms: [QueryExpression], _ word: String, _ none: String, _ level: Level
    ) throws -> String {
      var parts: [String] = []
      for term in terms { parts.append(try condition(term, level)) }
      return parts.isEmpty ? none : "(" + parts.joined(separator: " \(word) ") + ")"
    }

    private mutating func comparison(_ comparison: QueryComparison, _ level: Level) throws -> String {
      func refused(_ reason: String) -> Untranslatable { Untranslatable(part: "\(comparison)", reason: reason) }
      guard ![.ignoringCase, .ignoringCaseAndAccents].contains(comparison.term.form) else {
        throw refused("its rules for case and accents differ")
      }
      if comparison.operator == .matchesWords { throw refused("its rules for words differ") }
      if comparison.term.form == .count { return try count(comparison, level) }
      switch comparison.operand {
      case .unwritable(let reason): throw refused(reason)
      case .term(let other):
        guard other.form == .value else { throw refused("it compares more than two fields") }
        let (left, right) = (try value(comparison.term.path, level), try value(other.path, level))
        guard let left, let right, left.scalar.kind == right.scalar.kind, left.form.isComparable(to: right.form) else {
          throw refused("the fields have different formats in JSON")
        }
        switch comparison.operator {
        case .equal: return "\(left.sql) IS NOT DISTINCT FROM \(right.sql)"
        case .notEqual: return "\(left.sql) IS DISTINCT FROM \(right.sql)"
        case .less, .lessOrEqual, .greater, .greaterOrEqual:
          guard left.scalar.isOrdered, right.scalar.isOrdered else { throw refused("the values have no order in SQL") }
          return "\(left.sql) \(comparison.operator.rawValue) \(right.sql)"
        default: throw refused("it compares parts of two fields")
        }
      case .value(let operand):
        if operand.isNull { return try nilCondition(comparison, level) }
        guard let value = try value(comparison.term.path, level) else {
          throw refused("a transformer or a field subclass writes the field")
        }
        return try self.comparison(comparison, value, operand)
      }
    }

    mutating func comparison(
      _ comparison: QueryComparison, _ value: SQLValue, _ operand: JSONValue
    ) throws -> String {
      func refused(_ reason: String) -> Untranslatable { Untranslatable(part: "\(comparison)", reason: reason) }
      let (sql, scalar) = (value.sql, value.scalar)
      if comparison.operator == .isIn {
        guard case .array(let elements) = operand else { throw refused("it needs a list") }
        var texts: [String] = []
        for element in elements where !element.isNull {
          guard let text = scalar.operand(element) else { throw refused("a value has another format") }
          let (known, isRounded) = value.form.operand(text)
          if !isRounded { texts.append(known) }
        }
        let list = "\(value.equated) = ANY(\(value.form.list(parameter(.texts(texts)), texts)))"
        return elements.contains(where: \.isNull) ? "(\(list) OR \(sql) IS NULL)" : list
      }
      guard let text = scalar.operand(operand) else { throw refused("the value has another format than the field") }
      let (known, isRounded) = value.form.operand(text)
      func placeholder() -> String { value.form.value(parameter(.text(known)) + "::text", known) }
      switch comparison.operator {
      case .equal: return isRounded ? "FALSE" : "\(value.equated) = \(placeholder())"
      case .notEqual: return isRounded ? "TRUE" : "\(value.equated) IS DISTINCT FROM \(placeholder())"
      case .less, .lessOrEqual, .greater, .greaterOrEqual:
        guard scalar.isOrdered else { throw refused("the values have no order in SQL") }
        return "\(sql) \(comparison.operator.symbol(isRounded: isRounded)) \(placeholder())"
      case .hasPrefix, .hasSuffix, .contains:
        guard scalar.kind == .text, scalar.isOrdered else { throw refused("the field is not text") }
        let part = placeholder()
        switch comparison.operator {
        case .hasPrefix: return "starts_with(\(sql), \(part))"
        case .hasSuffix: return "right(\(sql), length(\(part))) = \(part) COLLATE \"C\""
        default: return "strpos(\(sql), \(part)) > 0"
        }
      case .matches, .containsMatch, .matchesWords, .isIn: throw refused("its regular expressions differ")
      }
    }

    private mutating func nilCondition(_ comparison: QueryComparison, _ level: Level) throws -> String {
      guard comparison.operator == .equal || comparison.operator == .notEqual else { return "FALSE" }
      let (owner, steps) = try owner(of: comparison.term.path, level)
      guard let key = comparison.term.path.keys.last, let field = owner.prototype?.field(declaredAs: key) else {
        throw Untranslatable(part: "\(comparison)", reason: "it compares an element of a list")
      }
      let relation = field as? any RelationField
      guard relation?.isToMany != true, relation == nil || relation?.isForeignKey == true else {
        throw Untranslatable(part: "\(comparison)", reason: "the relation is not a to-one foreign key")
      }
      if relation == nil {
        func isPlain<Value>(_ type: Value.Type) -> Bool { (field as? Field<Value>)?.isPlain(in: context) == true }
        guard _openExistential(field.valueType, do: isPlain) else {
          throw Untranslatable(part: "\(comparison)", reason: "a transformer writes the field")
        }
      }
      let missing = missing(field)
      guard let isNull = owner.table?.isNil(context.key(field.key ?? key), missing, in: owner.alias) else {
        throw Untranslatable(part: "\(comparison)", reason: "its table has no column for it")
      }
      if steps.isEmpty { return comparison.operator == .equal ? isNull : "(\(isNull)) IS NOT TRUE" }
      // Nothing is nil as well if there is no related model.
      guard let from = from(steps) else {
        throw Untranslatable(part: "\(comparison)", reason: "a table has no column for a relation")
      }
      let found = "coalesce((SELECT NOT (\(isNull)) \(from)), FALSE)"
      return comparison.operator == .equal ? "NOT \(found)" : found
    }

    private mutating func count(_ comparison: QueryComparison, _ level: Level) throws -> String {
      guard case .value(.int(let number)) = comparison.operand, let list = try list(comparison.term.path, level),
        [.equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual].contains(comparison.operator)
      else { throw Untranslatable(part: "\(comparison)", reason: "it is not an integer count of values in the record") }
      let sign =
        comparison.operator == .equal ? "=" : comparison.operator == .notEqual ? "<>" : comparison.operator.rawValue
      return "json_array_length(\(list.sql)) \(sign) \(parameter(.integer(Int64(number))))"
    }

    private mutating func any(_ path: QueryPath, _ condition: QueryExpression, _ level: Level) throws -> String {
      guard let list = try list(path, level), let element = list.element else {
        throw Untranslatable(
          part: "\(path)", reason: "it is not a list of texts in the record")
      }
      let alias = newAlias()
      let inner = try self.condition(condition, Level(prototype: nil, table: nil, alias: alias, element: element))
      return "EXISTS (SELECT 1 FROM json_array_elements_text(\(list.sql)) AS \(alias) (v) WHERE \(inner))"
    }

    // MARK: Values

    /// The value of a field in a statement.
    struct SQLValue {
      var sql: String
      /// The same for a comparison with `=`, as an index of a column can answer it.
      var equated: String
      let scalar: SQLScalar
      let form: SQLForm
      /// Whether it is read from a column of a store's own table.
      var isInColumn = false
    }

    /// Returns the value at a path; nil if SQL can't compare it.
    mutating func value(_ path: QueryPath, _ level: Level) throws -> SQLValue? {
      if let element = level.element {
        guard path.keys.isEmpty else { return nil }
        let value = "\(level.alias).v COLLATE \"C\""
        return SQLValue(sql: value, equated: value, scalar: element, form: .text)
      }
      if let identifier = foreignKey(path, level) {
        if identifier.isInColumn, let table = level.table { provisos.insert(table.isRegular) }
        return identifier
      }
      let (owner, steps) = try owner(of: path, level)
      guard let key = path.keys.last, let field = owner.prototype?.field(declaredAs: key),
        !(field is any RelationField),
        let table = owner.table, let scalar = SQLScalar(field, context),
        var value = scalar.value(context.key(field.key ?? key), table, owner.alias)
      else { return nil }
      if value.isInColumn { provisos.insert(table.isRegular) }
      let missing = missing(field)
      if table.mapped == nil, !missing.isNull {
        guard let text = scalar.operand(missing) else { return nil }
        let document = PostgresTable.document(context.key(field.key ?? key), in: "\(owner.alias).body")
        let initial = value.form.value(parameter(.text(text)) + "::text", text)
        value.sql = "CASE WHEN \(document) IS NULL THEN \(initial) ELSE \(value.sql) END"
        value.equated = value.sql
      }
      if !steps.isEmpty {
        guard let from = from(steps) else { return nil }
        (value.sql, value.equated) = ("(SELECT \(value.sql) \(from))", "(SELECT \(value.equated) \(from))")
      }
      return value
    }

    /// Returns the identifier of a related model, which the record itself has.
    private func foreignKey(_ path: QueryPath, _ level: Level) -> SQLValue? {
      guard path.keys.count == 2, let prototype = level.prototype, let table = level.table,
        let relation = prototype.field(declaredAs: path.keys[0]) as? any RelationField, relation.isForeignKey,
        !relation.isToMany
      else { return nil }
      let related = context.prepared(relation.relatedClass.init())
      guard let field = related.identifierField, related.field(declaredAs: path.keys[1]) === field,
        let scalar = SQLScalar(field, context), scalar.kind == .text || scalar.kind == .number
      else { return nil }
      return scalar.value(context.key(relation.key ?? path.keys[0]), table, level.alias)
    }

    /// A relation on a path.
    typealias Step = (key: String, from: Level, to: Level)

    /// Returns the model that has the last field of a path, and the relations on the path.
    private mutating func owner(of path: QueryPath, _ level: Level) throws -> (owner: Level, steps: [Step]) {
      var (current, steps) = (level, [Step]())
      for key in path.keys.dropLast() {
        guard let relation = current.prototype?.field(declaredAs: key) as? any RelationField else {
          throw Untranslatable(part: "\(path)", reason: "it is part of a value")
        }
        guard relation.isForeignKey, !relation.isToMany else {
          throw Untranslatable(part: "\(path)", reason: "a relation on the path is not a to-one foreign key")
        }
        let next = try self.level(relation.relatedClass, alias: newAlias())
        steps.append((context.key(relation.key ?? key), current, next))
        current = next
      }
      return (current, steps)
    }

    /// Returns the tables of the related models, and how they are found.
    private func from(_ steps: [Step]) -> String? {
      let tables = steps.map { "\($0.to.table?.sql ?? "") AS \($0.to.alias)" }.joined(separator: ", ")
      let conditions = steps.compactMap { step in
        step.to.table.flatMap { step.from.table?.joins(step.key, step.from.alias, $0, step.to.alias) }
      }
      if conditions.count < steps.count { return nil }
      return "FROM \(tables) WHERE \(conditions.joined(separator: " AND "))"
    }

    /// Returns a list that the record itself has, and how its elements are compared; nil if SQL can't read it.
    private mutating func list(_ path: QueryPath, _ level: Level) throws -> (sql: String, element: SQLScalar?)? {
      guard path.keys.count == 1, let prototype = level.prototype,
        let field = prototype.field(declaredAs: path.keys[0]),
        !(field is any RelationField), let list = field as? any ListField, list.isCodedByElement(in: context)
      else { return nil }
      let missing = missing(field)
      guard missing.isNull || missing == .array([]),
        let document = level.table?.document(context.key(field.key ?? path.keys[0]), level.alias)
      else { return nil }
      let element = SQLScalar(list.elementPrototype, context)
      let sql = "CASE WHEN json_typeof(\(document)) = 'array' THEN \(document) ELSE '[]'::json END"
      return (sql, element?.kind == .text ? element : nil)
    }

    /// Returns the value of a field for records without its key.
    private func missing(_ field: AnyField) -> JSONValue {
      (try? field.exported(by: FieldWriter(context: context))) ?? .null
    }
  }
#endif
