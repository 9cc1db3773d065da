@_spi(ModelKitInternals) import FieldKit
@_spi(ModelKitInternals) import ModelCore

/// The error of columns of related models whose records have to be read first.
package struct MissingRelatedRecords: Error {
  package let records: [MissingRelatedRecord]
}

extension QueryReference {
  /// The field of the queried records from whose column the values are found: the first relation of the path, if any.
  var slotOfRecord: QuerySlot { steps.first?.slot ?? slot }
}

extension QueryProgram {
  /// Whether columns of the projection are fields of related models.
  package var projectsRelatedModels: Bool { !columns.allSatisfy(\.steps.isEmpty) }

  /// Returns the columns of the projection, in its order.
  ///
  /// A column of related models is built from the column of the references and the record of each referenced model.
  ///
  /// - Parameters:
  ///   - found: the columns of the records, by key.
  ///   - rows: the numbers of the records whose values are needed; nil for all.
  ///   - related: returns the bytes of the record of a related model.
  /// - Returns: nil if a column of related models can't be built.
  /// - Throws: ``MissingRelatedRecords`` with all records that `related` reports as missing.
  package func columnsOfProjection(
    _ found: [String: ValueColumn], in rows: [Int32]?,
    related: @escaping (ModelObject.Type, String) throws -> [UInt8]?
  ) throws -> [ValueColumn]? {
    let surroundings = QueryRelatedRecords { modelClass, identifier in
      try related(modelClass, identifier).map { try JSONValue(json: $0).objectValue ?? [:] }
    }
    var missing: [MissingRelatedRecord] = []
    var values: [ValueColumn] = []
    for reference in columns {
      guard var column = found[reference.slotOfRecord.spelledKey] else { return nil }
      if !reference.steps.isEmpty {
        guard let related = try self.column(of: reference, by: column, rows, surroundings, &missing) else { return nil }
        column = related
      }
      values.append(column)
    }
    guard missing.isEmpty else { throw MissingRelatedRecords(records: missing) }
    return values
  }

  /// Returns the values of a field of related models, by the column of the references to these. Only the references of
  /// the needed records are followed.
  private func column(
    of field: QueryReference, by references: ValueColumn, _ rows: [Int32]?, _ surroundings: QueryRelatedRecords,
    _ missing: inout [MissingRelatedRecord]
  ) throws -> ValueColumn? {
    guard let (followed, numbers) = references.distinctReferences(in: rows) else { return nil }
    let builder = ColumnBuilder(field.slot, context)
    for reference in followed {
      let row = JSONRow(value: .object([references.slot.spelledKey: reference]), surroundings: surroundings)
      do {
        var json = try translating { try field.json(in: row).jsonString() }
        try json.withUTF8 { try builder.add(JSONScanner(UnsafeRawBufferPointer($0))) }
      } catch let error as MissingRelatedRecord {
        missing.append(error)
      }
    }
    return missing.isEmpty ? builder.finish()?.values(at: numbers) : references
  }
}

extension ValueColumn {
  /// Returns the different references of some records, after nil, and the number of that of every record. Other records
  /// have the number of nil.
  ///
  /// - Returns: nil if the column keeps its values in another form.
  fileprivate func distinctReferences(in rows: [Int32]?) -> (references: [JSONValue], numbers: [Int])? {
    guard case .codes(let codes, let distinct) = values else { return nil }
    var references = [JSONValue.null]
    var numbers = Array(repeating: 0, count: count)
    var numbersOfCodes = Array(repeating: 0, count: distinct.count)
    func add(_ row: Int) {
      if isNil(row) { return }
      let code = Int(codes[row])
      if numbersOfCodes[code] == 0 {
        numbersOfCodes[code] = references.count
        references.append(distinct[code])
      }
      numbers[row] = numbersOfCodes[code]
    }
    if let rows { for row in rows { add(Int(row)) } } else { for row in 0..<count { add(row) } }
    return (references, numbers)
  }

  /// Returns the column of the values with some numbers, one for each record.
  fileprivate func values(at numbers: [Int]) -> ValueColumn {
    let values: Values =
      switch values {
      case .integers(let values): .integers(numbers.map { values[$0] })
      case .doubles(let values): .doubles(numbers.map { values[$0] })
      case .codes(let codes, let distinct): .codes(numbers.map { codes[$0] }, distinct: distinct)
      case .texts(let bytes, let places): .texts(bytes, places: numbers.map { places[$0] })
      }
    return ValueColumn(slot, values, nils: nils.isEmpty ? [] : numbers.map { nils[$0] }, count: numbers.count)
  }
}
