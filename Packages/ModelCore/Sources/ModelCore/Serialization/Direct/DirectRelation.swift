@_spi(ModelKitInternals) import FieldKit

/// The requirements of the direct path for a relation of any class.
protocol DirectRelation: AnyField {
  var relatedType: any Model.Type { get }
  var referencesMany: Bool { get }
  var isForeignKey: Bool { get }
  /// Whether the relation has a transformer of its own, which the direct path does not support.
  var hasTransformers: Bool { get }
  func accepts(_ model: ModelObject) -> Bool
}

extension ModelField: DirectRelation {
  var relatedType: any Model.Type { Related.self }
  var referencesMany: Bool { false }
  func accepts(_ model: ModelObject) -> Bool { model is Related }
}

extension ModelArrayField: DirectRelation {
  var relatedType: any Model.Type { Related.self }
  var referencesMany: Bool { true }
  func accepts(_ model: ModelObject) -> Bool { model is Related }
}
