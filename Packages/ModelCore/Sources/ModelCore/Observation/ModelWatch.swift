@_spi(ModelKitInternals) import FieldKit

/// The source of notifications for a model's observers of all changes, or of those that concern one path.
///
/// It is created with the first observer and held by the model. It is released at the first change after the last
/// observer was removed. Its value is the path of the last change.
final class ModelWatch: ValueObservable {
  private(set) var value = FieldPath()
  let observations = ObservationRegistry<FieldPath>()

  private let path: FieldPath
  private weak var model: ModelObject?
  /// The watch of the graph or of the path.
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
    // Every report is a change, even of the same path.
    observations.notify(from: last, to: changed, isChange: true, stamp: .next())
  }
}

extension ModelObject {
  /// Returns the source of the changes that concern a path.
  func watch(for path: FieldPath?) -> ModelWatch {
    // No path, an empty path and `*` all stand for everything.
    let path = path.flatMap { $0.isEmpty ? nil : $0 } ?? FieldPath([], isWildcard: true)
    if let watch = details?.watches[path], !watch.observations.isEmpty { return watch }
    let watch = ModelWatch(self, for: path)
    detailsForWriting.watches[path] = watch
    return watch
  }
}
