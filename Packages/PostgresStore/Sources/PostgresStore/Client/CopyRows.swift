#if Postgres
  /// Rows in the binary format of COPY.
  struct CopyRows: Sendable {
    private(set) var bytes: [UInt8] = Array("PGCOPY\n".utf8) + [0xFF, 0x0D, 0x0A, 0] + [UInt8](repeating: 0, count: 8)
    private let columnCount: Int

    /// Creates rows.
    ///
    /// - Parameters:
    ///   - columnCount: the number of columns.
    ///   - size: the approximate number of bytes.
    init(columnCount: Int, size: Int) {
      self.columnCount = columnCount
      bytes.reserveCapacity(size)
    }

    /// Begins a row, to which the value of each column is added then.
    mutating func beginRow() { append(Int16(columnCount)) }

    /// Adds text, or JSON.
    mutating func add(_ text: some Collection<UInt8>) {
      append(Int32(text.count))
      bytes.append(contentsOf: text)
    }

    /// Adds an integer of 64 bits.
    mutating func add(_ integer: Int64) {
      append(Int32(8))
      append(integer)
    }

    /// Ends the rows.
    mutating func end() { append(Int16(-1)) }

    private mutating func append(_ number: some FixedWidthInteger) {
      withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
    }
  }
#endif
