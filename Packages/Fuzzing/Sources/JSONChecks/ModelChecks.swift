import Foundation

@testable @_spi(ModelKitInternals) import ModelCore

/// Models come out the same by way of dictionaries and straight from bytes, and so do the bytes that are written of them.
func checkModels(_ document: Data) throws {
  try checkModels(Person.self, document)
  try checkModels(Entry.self, document)
  try checkModels(Shape.self, document)
}

private func checkModels<M: Model>(_ type: M.Type, _ document: Data) throws {
  for isLenient in [false, true] {
    var context = ValueTransformerContext.standard
    if isLenient { context.decoding = .lenient }
    try checkLists(type, document, context)
  }
}

private func checkLists<M: Model>(_ type: M.Type, _ document: Data, _ context: ValueTransformerContext) throws {
  let (tree, direct) = (ModelScope(transformers: context), ModelScope(transformers: context))
  // Twice, because the second time there are live models. Those of both ways live equally long.
  var kept: [(tree: [M], direct: [M])] = []
  for _ in 0..<2 {
    guard let found = ModelReader.directList(type, from: document, at: "", ModelReader(scope: direct)) else {
      // It needs a tree. What that says of it is what is said.
      return
    }
    let expected: [M]
    do {
      expected = try ModelReader.list(type, from: document, at: "", ModelReader(scope: tree))
    } catch {
      throw Difference("Bytes give \(found.count) models of what a tree refuses: \(error)")
    }
    let (left, right) = (text(of: expected), text(of: found))
    try expect(left == right, "A tree gives\n\(left)\nand bytes give\n\(right)")
    kept.append((expected, found))
  }
  try withExtendedLifetime(kept) { try checkWriting(kept.last?.direct ?? [], context) }
}

private func checkWriting<M: Model>(_ models: [M], _ context: ValueTransformerContext) throws {
  for pretty in [false, true] {
    let expected = Result { try models.treeData(pretty: pretty) }
    guard let written = ModelWriter.directData(of: models, isList: true, pretty: pretty) else { continue }
    let tree = try expected.get()
    try expect(
      tree == written,
      "A tree is written as\n\(String(decoding: tree, as: UTF8.self))\nand straight\n"
        + String(decoding: written, as: UTF8.self))
    let again = try M.list(fromJSON: written, in: ModelScope(transformers: context))
    try expect(again.count == models.count, "\(models.count) models were written, and \(again.count) read back.")
  }
}
