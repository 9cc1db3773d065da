@_spi(ModelKitInternals) import FieldKit

/// What the direct way asks of a relation, whatever it leads to.
protocol DirectRelation: AnyField {
  var relatedType: any Model.Type { get }
  var leadsToMany: Bool { get }
  var isForeignKey: Bool { get }
  /// Whether it is read and written by a transformer of its own, of which the direct way knows nothing.
  var hasTransformers: Bool { get }
  func accepts(_ model: ModelObject) -> Bool
}

extension ModelField: DirectRelation {
  var relatedType: any Model.Type { Related.self }
  var leadsToMany: Bool { false }
  func accepts(_ model: ModelObject) -> Bool { model is Related }
}

extension ModelArrayField: DirectRelation {
  var relatedType: any Model.Type { Related.self }
  var leadsToMany: Bool { true }
  func accepts(_ model: ModelObject) -> Bool { model is Related }
}
