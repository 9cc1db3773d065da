@testable @_spi(ModelKitInternals) import ModelCore

/// Returns the visible state of models and their related models as text.
func text(of models: [ModelObject]) -> String {
  var numbers: [ObjectIdentifier: Int] = [:]
  var order: [ModelObject] = []
  func number(_ model: ModelObject) -> String {
    let key = ObjectIdentifier(model)
    if numbers[key] == nil {
      numbers[key] = order.count
      order.append(model)
    }
    return "#\(numbers[key] ?? 0)"
  }
  var lines = [models.map(number).joined(separator: " ")]
  var next = 0
  while next < order.count {
    let model = order[next]
    lines.append("#\(next) \(type(of: model)) \(model.modelLoadState) \(model.origin)")
    next += 1
    for field in model.layout.fields(of: model) {
      let value =
        switch field.anyValue {
        case let models as [ModelObject]: models.map(number).joined(separator: " ")
        case let model as ModelObject: number(model)
        case let map as [String: Int]: "\(map.sorted { $0.key < $1.key })"
        case let value?: "\(value)"
        case nil: "nil"
        }
      lines.append("  \(field.key ?? "?") \(field.loadState) \(field.isDirty) \(value)")
    }
  }
  return lines.joined(separator: "\n")
}
