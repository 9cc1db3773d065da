@_spi(ModelKitInternals) import FieldKit

extension Field {
  /// Reads a value as a model does: first checked, then set.
  func read(_ json: JSONValue, in context: ValueTransformerContext = .standard) throws {
    try staged(json, by: FieldReader(context: context))()
  }

  /// Writes the value as a model does; nil if there is none.
  func written(in context: ValueTransformerContext = .standard) throws -> JSONValue? {
    try exported(by: FieldWriter(context: context))
  }
}
