import Foundation

@testable @_spi(ModelKitInternals) import ModelCore

/// Checks that models read from dictionaries equal those read from bytes, and that the bytes written from them are
/// equal.
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
  // Each document is read twice, because the second time there are live models. The models of both paths are released
  // together.
  var kept: [(tree: [M], direct: [M])] = []
  for _ in 0..<2 {
    guard let found = ModelReader.directList(type, from: document, at: "", ModelReader(scope: direct)) else {
      // A direct reader that needs a tree reports the same error.
      return
    }
    let expected: [M]
    do {
      expected = try ModelReader.list(type, from: document, at: "", ModelReader(scope: tree))
    } catch {
      throw Difference("Bytes give \(found.count) models of a document that a tree rejects: \(error)")
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
      "A tree is written as\n\(String(decoding: tree, as: UTF8.self))\nand directly as\n"
        + String(decoding: written, as: UTF8.self))
    let again = try M.list(fromJSON: written, in: ModelScope(transformers: context))
    try expect(again.count == models.count, "\(models.count) models were written, and \(again.count) read back.")
  }
}
