@_spi(ModelKitInternals) import FieldKit

/// What the observers of a model hear of: all changes, or those that have to do with one path.
///
/// Made when the first observer comes, kept by the model, and dropped at the first change that nobody wants to know of any
/// more. Its value is the path of the last change.
final class ModelWatch: ValueObservable {
  private(set) var value = FieldPath()
  let observations = ObservationRegistry<FieldPath>()

  private let path: FieldPath
  private weak var model: ModelObject?
  /// What watches the fields.
  private var source: AnyObject?

  init(_ model: ModelObject, for path: FieldPath) {
    self.model = model
    self.path = path
    let report = { [weak self] (changed: FieldPath) -> Void in self?.report(changed) }
    source =
      path.isEmpty ? GraphWatch(from: model, report: report) : PathWatch(from: model, path: path, report: report)
  }

  private func report(_ changed: FieldPath) {
    if observations.isEmpty {
      source = nil
      if model?.details?.watches[path] === self { model?.details?.watches[path] = nil }
      return
    }
    let last = value
    value = changed
    // Every report is a change, also of the same path twice.
    observations.notify(from: last, to: changed, isChange: true, stamp: .next())
  }
}

extension ModelObject {
  /// What tells of changes that have to do with a path.
  func watch(for path: FieldPath?) -> ModelWatch {
    // No path, an empty one, and `*` all mean everything.
    let path = path.flatMap { $0.isEmpty ? nil : $0 } ?? FieldPath([], isWildcard: true)
    if let watch = details?.watches[path], !watch.observations.isEmpty { return watch }
    let watch = ModelWatch(self, for: path)
    detailsForWriting.watches[path] = watch
    return watch
  }
}
