@_spi(ModelKitInternals) import FieldKit
import Foundation
@_spi(ModelKitInternals) import ModelCore

@testable @_spi(ModelKitInternals) import StoreProtocol

/// Checks that conditions and columns read from the bytes of records are those of the records. The document is a record,
/// and so is each of its lines.
func checkColumns(_ document: Data) throws {
  let program = try QueryProgram(
    ModelQuery(Person.self, where: { $0.id > 1 && $0.a > 0.5 && $0.name != "" && $0.b == true && $0.small < 9 }),
    in: .standard)
  let builder = program.columnBuilder(for: program.slots.map(\.spelledKey))
  let surroundings = QueryRelatedRecords(nil)
  var records: [AttributeDictionary] = []
  for line in [document] + document.split(separator: UInt8(ascii: "\n")) {
    readAny(Array(line), program)
    guard let value = try? JSONValue(json: line), let record = value.objectValue else { continue }
    // As stores write it: each key once, in order.
    let bytes = Array(try value.jsonData(JSONWritingOptions(sortedKeys: true)))
    let found = Result { try bytes.withUnsafeBytes { try program.matches($0, surroundings) } }
    let expected = Result { try program.matches(record, surroundings) }
    try expect(
      (try? found.get()) == (try? expected.get()), "The bytes of a record match: \(found)\nThe record: \(expected)")
    records.append(record)
    do {
      try builder.add(bytes)
    } catch {
      throw Difference("Columns reject a record: \(error)")
    }
  }
  try check(builder, program.slots, records)
}

/// Reads bytes that may be no record, with any result.
private func readAny(_ bytes: [UInt8], _ program: QueryProgram<Person>) {
  bytes.withUnsafeBytes { _ = try? program.matches($0, QueryRelatedRecords(nil)) }
  let builder = program.columnBuilder(for: program.slots.map(\.spelledKey))
  try? builder.add(bytes)
  _ = builder.finish()
}

private func check(_ builder: ColumnTableBuilder, _ slots: [QuerySlot], _ records: [AttributeDictionary]) throws {
  let isImpossible = builder.isImpossible
  let columns = builder.finish()
  for slot in slots {
    let values = try records.map { columnValue(of: try slot.value(in: $0) ?? slot.missing, slot) }
    let isStorable = values.allSatisfy { $0 != nil }
    guard let column = columns[slot.spelledKey] ?? nil else {
      try expect(
        isImpossible && (!isStorable || columns[slot.spelledKey] == nil), "There is no column of \(slot.key).")
      continue
    }
    try expect(isStorable && column.count == records.count, "The column of \(slot.key) has other values.")
    for (row, value) in values.enumerated() {
      let found = column.json(row)
      try expect(found == value, "The column of \(slot.key) has \(found), and the record \(String(describing: value))")
    }
  }
}

/// Returns a value as its column has it; nil if a column can't.
private func columnValue(of json: JSONValue, _ slot: QuerySlot) -> JSONValue? {
  if json.isNull { return .null }
  switch slot.field {
  case is Field<Int>: return json.intValue.map { .int($0) }
  case is Field<Double>: return json.doubleValue.map { .double($0) }
  default:
    // A plain nil would be the JSON value.
    return [.array, .object].contains(json.kind) ? JSONValue?.none : json
  }
}
