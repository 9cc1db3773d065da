@_spi(ModelKitInternals) import FieldKit

/// A path that leads nowhere, so that nothing could be set there.
///
/// ```swift
/// do { try person.set("ACM", at: "company.name") } catch { print(error) }
/// // company.name was not set: there is no model in company.
/// ```
public struct FieldPathError: Error, CustomStringConvertible {
  /// The whole path.
  public let path: FieldPath
  /// Why it leads nowhere.
  public let reason: String

  private let isSet: Bool

  init(_ path: FieldPath, _ reason: String) {
    self.path = path
    self.reason = reason
    isSet = true
  }

  /// An error of an observer, who waits until there is such a field.
  init(observing path: FieldPath, _ reason: String) {
    self.path = path
    self.reason = reason
    isSet = false
  }

  /// What could not be done, and why.
  public var description: String {
    let path = path.isEmpty && !path.isWildcard ? "The empty path" : path.description.pathForMessage
    return isSet ? "\(path) was not set: \(reason)." : "An observer waits for changes of \(path): \(reason)."
  }
}
