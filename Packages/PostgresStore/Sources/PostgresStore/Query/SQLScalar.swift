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

    /// Returns how the values of a field are compared; nil if SQL can't, such as for values that a transformer writes.
    init?(_ field: AnyField, _ context: ValueTransformerContext) {
      func isPlain<Value>(_ type: Value.Type) -> Bool { (field as? Field<Value>)?.isPlain(in: context) == true }
      guard _openExistential(field.valueType, do: isPlain) else { return nil }
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

    /// The kind of a column with such values; nil if there can't be one.
    var columnKind: ColumnKind? {
      switch kind {
      case .text, .day, .date, .bool: .text
      case .number: .number
      case .double: .double
      }
    }

    /// Returns the expression for the value of a key, as it is compared.
    ///
    /// A value of another form, such as a date with an offset, is an error of the server: the store then reads the
    /// records.
    func expression(_ key: String, _ table: PostgresTable, _ alias: String) -> String {
      let value = table.expression(key, columnKind ?? .text, in: alias)
      return switch kind {
      case .text, .bool, .number, .double: value
      case .date:
        Self.checked(
          value, "^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d+)?Z$", "rtrim(\(value), 'Z') COLLATE \"C\"")
      case .day: Self.checked(value, "^\\d{4}-\\d\\d-\\d\\d$", value)
      }
    }

    private static func checked(_ value: String, _ pattern: String, _ result: String) -> String {
      // The conversion of a text to a number is the error.
      "CASE WHEN \(value) IS NULL THEN NULL WHEN \(value) ~ '\(pattern)' THEN \(result) ELSE (\(value))::bigint::text END"
    }

    /// The conversion of a parameter to the type of the expression.
    var conversion: String {
      switch kind {
      case .text, .date, .day, .bool: "::text"
      case .number: "::numeric"
      case .double: "::double precision"
      }
    }

    /// Returns an operand as the text of a parameter; nil if it has another form than values of the field.
    func operand(_ json: JSONValue) -> String? {
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
        return String(text.dropLast())
      case (.day, .string(let text)): return (try? #/\d{4}-\d\d-\d\d/#.wholeMatch(in: text)) != nil ? text : nil
      default: return nil
      }
    }
  }
#endif
