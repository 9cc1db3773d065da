extension RESTAccess {
  /// The actions that access rules allow.
  ///
  /// ```swift
  /// let actions: RESTAccess.Action = [.read, .create]
  /// ```
  public struct Action: OptionSet, Sendable, Hashable {
    /// The bits of the actions.
    public let rawValue: UInt8

    /// Creates a set from its bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Look up and list records.
    public static let read = Action(rawValue: 1)
    /// Add records.
    public static let create = Action(rawValue: 2)
    /// Change records.
    public static let update = Action(rawValue: 4)
    /// Remove records.
    public static let delete = Action(rawValue: 8)
    /// Add, change and remove records.
    public static let write: Action = [.create, .update, .delete]
    /// Everything.
    public static let all: Action = [.read, .write]
  }
}
