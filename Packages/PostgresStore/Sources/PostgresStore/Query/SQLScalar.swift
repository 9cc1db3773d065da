#if Postgres
  import Foundation
  @_spi(ModelKitInternals) import ModelCore
  @_spi(ModelKitInternals) import StoreProtocol

  /// The way in which the values of a field are compared in SQL, exactly as the store compares them.
  struct SQLScalar {
    /// The kind of the values.
    enum Kind {
      /// Text, compared by bytes.
      case text
      /// As numbers of any size.
      case number
      /// As floating-point numbers.
      case double
      /// Dates as timestamps, with as many fractional digits as they need.
      case date
      /// As days.
      case day
      /// As true and false.
      case bool
    }

    let kind: Kind
    /// Whether values have an order.
    let isOrdered: Bool
    private let field: AnyField
    private let context: ValueTransformerContext

    static let datePattern = "^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d+)?Z$"
    /// Returns the expression for a date in UTC without its last letter, and without zeros at the end of a fraction.
    static func date(_ text: String) -> String {
      "regexp_replace(rtrim(\(text), 'Z'), '(\\.\\d*[1-9])0+$|\\.0+$', '\\1')"
    }
    static let dayPattern = "^\\d{4}-\\d\\d-\\d\\d$"

    /// The form of a column with the values.
    var columnForm: OwnColumn.Form {
      switch kind {
      case .text: isUUID ? .uuid : .text
      case .bool: .text
      case .number: .number
      case .double: .double
      case .date: .date
      case .day: .day
      }
    }

    /// Whether all values are integers.
    var isInteger: Bool { field.valueType is any FixedWidthInteger.Type }

    /// Whether values are UUIDs, which rows can spell in two ways.
    private var isUUID: Bool { field.valueType is UUID.Type }

    /// Returns how the values of a field are compared; nil if SQL can't, such as for values that a transformer writes.
    init?(_ field: AnyField, _ context: ValueTransformerContext) {
      func isPlain<Value>(_ type: Value.Type) -> Bool { (field as? Field<Value>)?.isPlain(in: context) == true }
      guard _openExistential(field.valueType, do: isPlain) else { return nil }
      (self.field, self.context) = (field, context)
      switch field.valueType {
      case is String.Type: (kind, isOrdered) = (.text, true)
      case is Double.Type: (kind, isOrdered) = (.double, true)
      case is Bool.Type: (kind, isOrdered) = (.bool, false)
      case is Date.Type: (kind, isOrdered) = (.date, true)
      case is Day.Type: (kind, isOrdered) = (.day, true)
      case is UUID.Type: (kind, isOrdered) = (.text, false)
      case is Decimal.Type, is any FixedWidthInteger.Type: (kind, isOrdered) = (.number, true)
      case let type as any RawRepresentable.Type:
        func raw<Value: RawRepresentable>(_ type: Value.Type) -> Kind? {
          Value.RawValue.self == String.self ? .text : Value.RawValue.self is any FixedWidthInteger.Type ? .number : nil
        }
        guard let kind = raw(type) else { return nil }
        (self.kind, isOrdered) = (kind, false)
      default: return nil
      }
    }

    /// Returns the value of a key in a row; nil if the table has no column for it.
    ///
    /// A value of another form, such as a date with an offset, is an error of the server: the store then reads the
    /// records.
    func value(_ key: String, _ table: PostgresTable, _ alias: String) -> SQLTranslator.SQLValue? {
      guard let mapped = table.mapped else {
        if let column = table.column(key, columnForm) {
          let form: SQLForm = kind == .number ? .number : kind == .double ? .double : .text
          let sql = column.sql(alias)
          return .init(sql: sql, equated: sql, scalar: self, form: form, isInColumn: true)
        }
        return value(ofText: "(\(PostgresTable.text(key, in: "\(alias).body")))")
      }
      guard let column = mapped.column(key) else { return nil }
      let sql = column.sql(alias)
      func native(_ form: SQLForm) -> SQLTranslator.SQLValue { .init(sql: sql, equated: sql, scalar: self, form: form) }
      switch (kind, column.type.base) {
      case (.number, "numeric"): return native(.number)
      case (.number, _) where column.type.isInteger: return native(.integer)
      case (.double, "float8"): return native(.double)
      case (.bool, "bool"): return native(.bool)
      case (.day, "date"): return native(.day)
      case (.date, "timestamptz"): return native(.moment)
      case (.date, "timestamp"): return native(.localMoment)
      case (.text, "uuid") where column.field.form == .uuid: return native(.uuid)
      // Text is equal if its bytes are. Its order is another one in other collations.
      case (.text, "text"), (.text, "varchar"):
        let bytes = isUUID ? "upper(\(sql)) COLLATE \"C\"" : "\(sql) COLLATE \"C\""
        return .init(
          sql: bytes, equated: column.comparesBytes && !isUUID ? sql : bytes, scalar: self, form: .text)
      default: return value(ofText: "(\(column.json(alias)) #>> '{}')")
      }
    }

    /// Returns a value that is written as text.
    private func value(ofText text: String) -> SQLTranslator.SQLValue {
      let bytes = "\(text) COLLATE \"C\""
      let (sql, form): (String, SQLForm) =
        switch kind {
        case .text: (isUUID ? "upper(\(text)) COLLATE \"C\"" : bytes, .text)
        case .bool: (bytes, .text)
        case .number: ("\(text)::numeric", .number)
        case .double: ("\(text)::double precision", .double)
        case .date:
          (
            Self.checked(bytes, Self.datePattern, "\(Self.date(text)) COLLATE \"C\""), .text
          )
        case .day: (Self.checked(bytes, Self.dayPattern, bytes), .text)
        }
      return SQLTranslator.SQLValue(sql: sql, equated: sql, scalar: self, form: form)
    }

    private static func checked(_ value: String, _ pattern: String, _ result: String) -> String {
      // The conversion of a text to a number is the error.
      "CASE WHEN \(value) IS NULL THEN NULL WHEN \(value) ~ '\(pattern)' THEN \(result) ELSE (\(value))::bigint::text END"
    }

    /// Returns an operand as the text of a parameter, spelled as the field writes it. Returns nil if it has another
    /// form than values of the field.
    func operand(_ json: JSONValue) -> String? {
      func spelled<Value>(_ type: Value.Type) -> JSONValue? {
        guard let field = field as? Field<Value>, let value = try? field.value(readFrom: json, in: context) else {
          return nil
        }
        return try? field.json(ofValue: value, in: context)
      }
      guard let json = _openExistential(field.valueType, do: spelled) else { return nil }
      switch (kind, json) {
      case (.text, .string(let text)):
        // A text with a zero character equals no value that can be read here.
        return text.utf8.contains(0) ? nil : text
      case (.bool, .bool(let value)): return value ? "true" : "false"
      case (.number, .int), (.number, .double), (.number, .number):
        return try? String(decoding: json.jsonData(), as: UTF8.self)
      case (.double, .int(let value)): return "\(Double(value))"
      case (.double, .double(let value)): return value.isFinite ? "\(value)" : nil
      case (.double, .number): return json.doubleValue.map { "\($0)" }
      case (.date, .string(let text)):
        guard (try? #/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/#.wholeMatch(in: text)) != nil else { return nil }
        let time = text.dropLast()
        guard let point = time.lastIndex(of: ".") else { return String(time) }
        let digits = time[point...].reversed().drop { $0 == "0" || $0 == "." }.count
        return String(time[..<point]) + time[point...].prefix(digits)
      case (.day, .string(let text)): return (try? #/\d{4}-\d\d-\d\d/#.wholeMatch(in: text)) != nil ? text : nil
      default: return nil
      }
    }
  }
#endif
