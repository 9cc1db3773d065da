@_spi(ModelKitInternals) import FieldKit

/// An observation of the fields on one path: its last field, the fields on the way to it, and everything below for a
/// wildcard. All members of a list are on the path, unless it names an index.
final class PathWatch {
  fileprivate let path: FieldPath
  fileprivate let report: (FieldPath) -> Void
  private var first: PathStep?

  init(from model: ModelObject, path: FieldPath, report: @escaping (FieldPath) -> Void) {
    self.path = path
    self.report = report
    let first = PathStep(model, from: 0, of: self)
    self.first = first
    if !first.hasField, let step = path.components.first {
      ModelIssue.report(
        FieldError(
          observing: path,
          "\(type(of: model).displayName) has no field \(FieldPath([step]).description.quotedForMessage)"))
    }
  }
}

/// One model on the path, and the field by which the path continues.
private final class PathStep: ModelWatcher {
  private weak var watch: PathWatch?
  private weak var model: ModelObject?
  /// The number of components before this model, and before the models of the field.
  private let start: Int
  private var end = 0
  private weak var field: AnyField?
  private var token: ObservationToken?
  /// The models that the field references.
  private var next: [ObjectIdentifier: PathStep] = [:]
  /// The watch of everything below, for a wildcard.
  private var below: GraphWatch?

  var hasField: Bool { field != nil }

  init(_ model: ModelObject, from start: Int, of watch: PathWatch) {
    self.model = model
    self.start = start
    self.watch = watch
    model.detailsForWriting.add(self)
    bind(to: model)
  }

  deinit { token?.cancel() }

  func fieldAdded(_ field: AnyField, to model: ModelObject) { bind(to: model) }

  private func bind(to model: ModelObject) {
    guard let watch, let (field, count) = model.firstField(on: watch.path.components[start...]),
      field !== self.field
    else { return }
    token?.cancel()
    self.field = field
    end = start + count
    next = [:]
    let outer = FieldPath(Array(watch.path.components[..<start]))
    if watch.path.isWildcard, end == watch.path.components.count {
      below = GraphWatch(from: model, only: field) { [weak watch] changed in watch?.report(changed.prepending(outer)) }
      return
    }
    token = field.onChange { [weak self] in self?.changed($0) }
    follow(field, watch)
  }

  private func changed(_ field: AnyField?) {
    guard let watch else { return }
    guard let field else {
      // The model of the field is deallocated, so the change is that of the field that referenced it.
      token?.cancel()
      watch.report(FieldPath(Array(watch.path.components[..<start])))
      return
    }
    follow(field, watch)
    watch.report(FieldPath(Array(watch.path.components[..<end])))
  }

  /// Finds the models on which the path continues.
  private func follow(_ field: AnyField, _ watch: PathWatch) {
    let components = watch.path.components
    guard end < components.count, let relation = field as? any RelationField else { return }
    var models = relation.relatedModels
    var start = end
    if case .index(let index) = components[end] {
      models = models.indices.contains(index) ? [models[index]] : []
      start += 1
    }
    guard start < components.count else { return }
    let old = next
    next = [:]
    for model in models {
      let id = ObjectIdentifier(model)
      if let known = old[id], known.model === model {
        next[id] = known
      } else {
        next[id] = PathStep(model, from: start, of: watch)
      }
    }
  }
}
