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
  ///   - related: returns the bytes of the record of a related model.
  /// - Returns: nil if a column of related models can't be built.
  /// - Throws: ``MissingRelatedRecords`` with all records that `related` reports as missing.
  package func columnsOfProjection(
    _ found: [String: ValueColumn], related: @escaping (ModelObject.Type, String) throws -> [UInt8]?
  ) throws -> [ValueColumn]? {
    let surroundings = QueryRelatedRecords { modelClass, identifier in
      try related(modelClass, identifier).map { try JSONValue(json: $0).objectValue ?? [:] }
    }
    var missing: [MissingRelatedRecord] = []
    var values: [ValueColumn] = []
    for reference in columns {
      guard var column = found[reference.slotOfRecord.spelledKey] else { return nil }
      if !reference.steps.isEmpty {
        guard let related = try self.column(of: reference, by: column, surroundings, &missing) else { return nil }
        column = related
      }
      values.append(column)
    }
    guard missing.isEmpty else { throw MissingRelatedRecords(records: missing) }
    return values
  }

  /// Returns the values of a field of related models, by the column of the references to these.
  private func column(
    of field: QueryReference, by references: ValueColumn, _ surroundings: QueryRelatedRecords,
    _ missing: inout [MissingRelatedRecord]
  ) throws -> ValueColumn? {
    guard case .codes(let codes, let distinct) = references.values else { return nil }
    let builder = ColumnBuilder(field.slot, context)
    // The last one stands for records without a reference.
    for reference in distinct + [.null] {
      let row = JSONRow(value: .object([references.slot.spelledKey: reference]), surroundings: surroundings)
      do {
        var json = try translating { try field.json(in: row).jsonString() }
        try json.withUTF8 { try builder.add(JSONScanner(UnsafeRawBufferPointer($0))) }
      } catch let error as MissingRelatedRecord {
        missing.append(error)
      }
    }
    let rows = codes.indices.map { references.isNil($0) ? distinct.count : Int(codes[$0]) }
    return missing.isEmpty ? builder.finish()?.values(at: rows) : references
  }
}

extension ValueColumn {
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
