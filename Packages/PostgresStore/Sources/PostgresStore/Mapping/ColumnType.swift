#if Postgres
  /// The type of a column of an existing table.
  struct ColumnType: Sendable {
    /// The name, as statements spell it. It can be that of a domain.
    let name: String
    /// The name in the catalog of the type, or of the one that a domain restricts.
    let base: String
    /// The same of the elements; nil if the type is not an array.
    let element: (name: String, base: String)?
    /// The limit of length or digits, as the catalog has it; -1 without one.
    var modifier = -1

    private static let integers: Set<String> = ["int2", "int4", "int8"]
    private static let texts: Set<String> = ["text", "varchar", "bpchar", "name", "citext"]

    var isInteger: Bool { Self.integers.contains(base) }
    var isText: Bool { Self.texts.contains(base) }
    /// Whether a value is any JSON.
    var isJSON: Bool { base == "json" || base == "jsonb" }
    private var elementType: ColumnType? { element.map { ColumnType(name: $0.name, base: $0.base, element: nil) } }

    /// Returns whether the type keeps all values of a form, apart from limits of size.
    func keeps(_ form: ValueForm) -> Bool {
      if isJSON { return true }
      if let elementType {
        if case .list(let element) = form { return elementType.keeps(element) }
        return form == .json
      }
      switch form {
      case .integer: return isInteger || base == "numeric"
      case .decimal: return isInteger || base == "numeric"
      case .double: return ["float4", "float8", "numeric"].contains(base)
      case .bool: return base == "bool"
      case .uuid: return base == "uuid" || isText
      case .date: return ["timestamptz", "timestamp"].contains(base) || isText
      case .day: return base == "date" || isText
      case .data: return base == "bytea" || isText
      case .text: return !["timestamptz", "timestamp", "date", "bytea", "bool"].contains(base)
      case .json: return true
      case .list: return false
      }
    }

    /// Returns the expression for a value as JSON, in the form in which records have it.
    func json(_ value: String, _ form: ValueForm) -> String {
      if isJSON { return "to_json(\(value))" }
      if let elementType {
        let elements: ValueForm = if case .list(let element) = form { element } else { .json }
        let element = elementType.json("e.v", elements)
        if element == "to_json(e.v)" { return "to_json(\(value))" }
        return """
          CASE WHEN \(value) IS NOT NULL THEN coalesce((SELECT json_agg(\(element) ORDER BY e.n) \
          FROM unnest(\(value)) WITH ORDINALITY AS e (v, n)), '[]') END
          """
      }
      switch (form, base) {
      // Infinity becomes a text that is no date.
      case (.date, "timestamptz"): return "to_json((to_json(\(value) AT TIME ZONE 'UTC') #>> '{}') || 'Z')"
      case (.date, "timestamp"): return "to_json((to_json(\(value)) #>> '{}') || 'Z')"
      case (.uuid, "uuid"): return "to_json(upper(\(value)::text))"
      // The encoding breaks lines.
      case (.data, "bytea"): return "to_json(translate(encode(\(value), 'base64'), chr(10), ''))"
      case (.text, _): return "to_json(\(value)::text)"
      default: return "to_json(\(value))"
      }
    }

    /// Returns the expression for the value of a text: the one that a record has, or JSON for lists and JSON.
    func value(_ text: String) -> String {
      if let elementType {
        return """
          CASE WHEN \(text) IS NOT NULL THEN ARRAY(SELECT \(elementType.value("e.v")) \
          FROM json_array_elements_text(\(text)::json) WITH ORDINALITY AS e (v, n) ORDER BY e.n)::\(name) END
          """
      }
      switch base {
      case "timestamp": return "(\(text)::timestamptz AT TIME ZONE 'UTC')"
      case "bytea": return "decode(\(text), 'base64')"
      default: return "\(text)::\(name)"
      }
    }
  }
#endif
