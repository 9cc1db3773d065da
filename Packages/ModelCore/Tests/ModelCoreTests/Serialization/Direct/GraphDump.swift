@testable @_spi(ModelKitInternals) import ModelCore

/// Returns the visible state of models and of all models that can be reached, as text.
func dump(_ models: [ModelObject], scope: ModelScope?) -> String {
  var numbers: [ObjectIdentifier: Int] = [:]
  var order: [ModelObject] = []
  func number(_ model: ModelObject) -> Int {
    if let known = numbers[ObjectIdentifier(model)] { return known }
    numbers[ObjectIdentifier(model)] = order.count
    order.append(model)
    return order.count - 1
  }
  var lines = [models.map { "#\(number($0))" }.joined(separator: " ")]
  var next = 0
  while next < order.count {
    let model = order[next]
    next += 1
    var line = "#\(next - 1) \(type(of: model)) \(model.modelLoadState) \(model.origin) \(model.isStored)"
    line += model.memberScope === scope ? " here" : model.memberScope == nil ? " nowhere" : " elsewhere"
    for field in model.layout.fields(of: model) {
      line += "\n  \(field.key ?? "?") \(field.loadState)\(field.isDirty ? " dirty" : "") \(field.validationState) "
      line += "\(field.updatedAt == nil ? "-" : "set")\(field.changedAt == nil ? "" : " changed") "
      if let relation = field as? any RelationField {
        line += relation.anyValue == nil ? "nil" : relation.relatedModels.map { "#\(number($0))" }.description
        line += " \(field.loadState)"
      } else {
        let value = field.anyValue.map { ($0 as? [String: Int])?.sorted { $0.key < $1.key } ?? $0 }
        line += value.map { "\($0)" } ?? "nil"
      }
    }
    for (path, value) in (model.details?.remainder?.unknown ?? [:]).sorted(by: { "\($0.key)" < "\($1.key)" }) {
      line += "\n  besides \(path) \(value)"
    }
    for field in model.layout.fields(of: model) {
      guard let rejection = model.details?.remainder?.rejection(of: field) else { continue }
      line += "\n  rejected \(field.key ?? "?") \(rejection.content) \(rejection.issues)"
    }
    lines.append(line)
  }
  return lines.joined(separator: "\n")
}
