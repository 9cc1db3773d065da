@_spi(ModelKitInternals) import FieldKit
@_spi(ModelKitInternals) import ModelCore

/// The keys of records with the values of sensitive fields, including those of models that are embedded in them.
struct SensitiveKeys {
  let transformers: ValueTransformerContext
  private var known: [ObjectIdentifier: Set<String>] = [:]

  init(_ transformers: ValueTransformerContext) { self.transformers = transformers }

  /// Returns the topmost keys of the sensitive values of a class.
  ///
  /// - Complexity: O(*n*) in the number of fields, once for each class.
  mutating func keys(of modelClass: ModelObject.Type) -> Set<String> {
    if let keys = known[ObjectIdentifier(modelClass)] { return keys }
    // Embedded models may embed each other.
    known[ObjectIdentifier(modelClass)] = []
    let prototype = modelClass.init()
    transformers.prepare(prototype)
    var keys: Set<String> = []
    // A field has its key from its model.
    withExtendedLifetime(prototype) {
      for field in prototype.fieldsForDictionaryValue() {
        guard let key = field.key else { continue }
        var isSensitive = field.isSensitive
        if !isSensitive, let relation = field as? any RelationField, !relation.isForeignKey {
          isSensitive = !self.keys(of: relation.relatedClass).isEmpty
        }
        if isSensitive { keys.insert(String(transformers.key(key).prefix { $0 != "." })) }
      }
    }
    known[ObjectIdentifier(modelClass)] = keys
    return keys
  }
}
