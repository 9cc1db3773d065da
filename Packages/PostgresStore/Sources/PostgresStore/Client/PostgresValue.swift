#if Postgres
  /// A parameter of a statement. Values are never a part of the text of a statement.
  enum PostgresValue: Sendable, Equatable {
    case null
    case text(String)
    case bytes([UInt8])
    case integer(Int64)
    case double(Double)
    case texts([String?])
    case documents([ArraySlice<UInt8>])
    case integers([Int64?])

    private static let textType: UInt32 = 25
    private static let integerType: UInt32 = 20
    private static let doubleType: UInt32 = 701

    /// The number of the type in the catalog of the server.
    var type: UInt32 {
      switch self {
      case .null, .text, .bytes: Self.textType
      case .integer: Self.integerType
      case .double: Self.doubleType
      case .texts, .documents: 1009
      case .integers: 1016
      }
    }

    /// The name of the type in SQL.
    var typeName: String {
      switch self {
      case .null, .text, .bytes: "text"
      case .integer: "bigint"
      case .double: "double precision"
      case .texts, .documents: "text[]"
      case .integers: "bigint[]"
      }
    }

    /// The bytes in the binary format of the type; nil for null.
    var bytes: [UInt8]? {
      switch self {
      case .null: nil
      case .text(let text): Array(text.utf8)
      case .bytes(let bytes): bytes
      case .integer(let value): Self.bigEndian(UInt64(bitPattern: value))
      case .double(let value): Self.bigEndian(value.bitPattern)
      case .texts(let texts): Self.list(of: Self.textType, texts.count) { texts[$0]?.utf8 }
      case .documents(let documents): Self.list(of: Self.textType, documents.count) { documents[$0] }
      case .integers(let values):
        Self.list(of: Self.integerType, values.count) { values[$0].map { Self.bigEndian(UInt64(bitPattern: $0)) } }
      }
    }

    private static func bigEndian<Value: FixedWidthInteger>(_ value: Value) -> [UInt8] {
      withUnsafeBytes(of: value.bigEndian) { Array($0) }
    }

    private static func list(
      of type: UInt32, _ count: Int, _ element: (Int) -> (some Collection<UInt8>)?
    ) -> [UInt8] {
      // Dimensions, whether there are nulls, the type, then the length and the lower bound of the only dimension.
      var bytes = bigEndian(Int32(count == 0 ? 0 : 1)) + bigEndian(Int32(1)) + bigEndian(type)
      if count > 0 { bytes += bigEndian(Int32(count)) + bigEndian(Int32(1)) }
      for index in 0..<count {
        let element = element(index)
        withUnsafeBytes(of: Int32(element?.count ?? -1).bigEndian) { bytes.append(contentsOf: $0) }
        if let element { bytes.append(contentsOf: element) }
      }
      return bytes
    }
  }

  /// A statement and its parameters.
  struct PostgresStatement: Sendable, Equatable {
    /// The text, with `$1` for the first parameter.
    var sql: String
    var values: [PostgresValue]

    init(_ sql: String, _ values: [PostgresValue] = []) {
      self.sql = sql
      self.values = values
    }
  }
#endif
